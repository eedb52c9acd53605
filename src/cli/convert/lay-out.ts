import type { JsonObject } from "../../event.ts";

/** Formats that somebody may want to write by hand, and whose readers take YAML. */
const YAML_FORMATS: readonly string[] = ["hookbox", "docker-agent", "patterns"];

/** A configuration as text: YAML where its name says so and its reader takes it, else JSON. */
export async function layOut(value: JsonObject, file: string, dialect: string): Promise<string> {
  if (!/\.ya?ml$/i.test(file) || !YAML_FORMATS.includes(dialect)) return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** What a file is called that has no name yet. */
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
