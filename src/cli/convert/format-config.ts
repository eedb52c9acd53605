import type { JsonObject } from "../../json.ts";

/** Formats whose readers accept YAML, and that users write by hand. */
const YAML_FORMATS: readonly string[] = ["hookbox", "docker-agent", "patterns"];

/** Formats a configuration as YAML or JSON. YAML is used if the file's name says so and the reader accepts YAML. */
export async function formatConfig(value: JsonObject, file: string, dialect: string): Promise<string> {
  if (!/\.ya?ml$/i.test(file) || !YAML_FORMATS.includes(dialect)) return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** Returns the usual name of a file in a dialect, for users who name no file. */
export function usualName(dialect: string): string {
  return USUAL_NAME[dialect] ?? "hooks.json";
}

const USUAL_NAME: Readonly<Record<string, string>> = {
  hookbox: "hookbox.json",
  "claude-code": "settings.json",
  "docker-agent": "hooks.yaml",
  agentao: "hooks.json",
  autohand: "config.json",
  patterns: "hooks.yaml",
};
