import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { autohandFormat } from "../../../src/dialects/autohand/config-format.ts";
import type { ParsedConfig } from "../../../src/dialects/dialect.ts";
import { open } from "../../config/config-files.ts";

/** Parses a config.json: text unchanged, any other value as JSON. */
export async function parse(config: unknown): Promise<ParsedConfig> {
  const document = await open(typeof config === "string" ? config : JSON.stringify(config), "config.json");
  return autohandFormat.parseRules(document, { layer: "user", baseDir: "/base", defaults: BUILTIN_DEFAULTS });
}

export const list = (...hooks: readonly unknown[]) => ({ hooks: { hooks } });
