import { isJsonObject } from "../json.ts";
import { kindOf } from "../schema-issue.ts";
import { problemAt } from "./config-problems.ts";
import type { ConfigDocument, ConfigFormat } from "./dialect.ts";

/** The `parseSettings` of formats whose files have no settings that concern hookbox. */
export function parseNoSettings(document: ConfigDocument): ReturnType<ConfigFormat["parseSettings"]> {
  if (isJsonObject(document.value)) return { settings: {}, problems: [] };
  const message = `the configuration must be a mapping, not ${kindOf(document.value)}`;
  return { settings: {}, problems: [problemAt(document, "HOOK_CONFIG_TYPE", [], message)] };
}
