import { AGENT_OPTIONS, HOOK_FLAG_OPTIONS } from "./agent-options.ts";
import { CONFIG_OPTIONS } from "./config-files.ts";
import { PATIENCE_OPTION } from "./patience.ts";

/** The options of `hookbox run`, which a relay passes on to the server. */
export const RUN_OPTIONS = {
  ...CONFIG_OPTIONS,
  ...AGENT_OPTIONS,
  ...HOOK_FLAG_OPTIONS,
  ...PATIENCE_OPTION,
  dialect: { type: "string" },
  event: { type: "string" },
  "with-project": { type: "boolean", default: false },
  "trust-env": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  lines: { type: "boolean", default: false },
} as const;
