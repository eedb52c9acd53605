import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";

/** Lists of formats for help texts. */

export const ALL_FORMATS = listed(DIALECT_NAMES);

/** Formats with hooks in files. OpenClaw's hooks are functions of plugins. */
export const HOOK_FILE_FORMATS = listed(DIALECT_NAMES.filter((name) => name !== "openclaw"));

/** Formats of agents whose files hookbox finds without `--config`. */
export const FORMATS_WITH_PLACES = listed(DIALECT_NAMES.filter((name) => dialectNamed(name)?.places !== undefined));

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
