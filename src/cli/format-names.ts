import { DIALECT_NAMES, dialectNamed } from "../dialects/registry.ts";

/** The formats as help texts name them. */

export const ALL_FORMATS = listed(DIALECT_NAMES);

/** Those with files that hold hooks: OpenClaw's are functions of plugins. */
export const HOOK_FILE_FORMATS = listed(DIALECT_NAMES.filter((name) => name !== "openclaw"));

/** Those of agents whose own files are found without being named. */
export const FORMATS_WITH_PLACES = listed(DIALECT_NAMES.filter((name) => dialectNamed(name)?.places !== undefined));

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
