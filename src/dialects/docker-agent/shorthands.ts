import type { Compat } from "../../codec.ts";
import type { JsonObject } from "../../json.ts";

/** A hook for which a setting of an agent or of the user is a shorthand. */
export interface ShorthandHook {
  /** docker-agent's name of the event. */
  readonly event: string;
  readonly builtin: string;
  readonly args?: readonly string[];
  readonly preempts?: true;
}

/**
 * Returns the hooks for a setting's value. Returns `undefined` for an invalid value. `beside` is the mapping that
 * contains the setting.
 */
type Expansion = (value: unknown, compat: Compat, beside?: JsonObject) => readonly ShorthandHook[] | undefined;

const NONE: readonly ShorthandHook[] = [];

/** Expands settings that are `true` or `false`. */
function flag(...hooks: readonly ShorthandHook[]): Expansion {
  return (value) =>
    value === true ? hooks : value === false || value === undefined || value === null ? NONE : undefined;
}

const REDACTS: readonly ShorthandHook[] = [
  { event: "before_llm_call", builtin: "redact_secrets" },
  { event: "tool_response_transform", builtin: "redact_secrets" },
];

/**
 * Expands `redact_secrets`. docker-agent's page redacts inputs at `pre_tool_use`, which calls without approval never
 * reach. Its code redacts them at `tool_input_transform`, which every call reaches.
 */
const redactSecrets: Expansion = (value, compat) => {
  const event = compat === "faithful" ? "pre_tool_use" : "tool_input_transform";
  return flag({ event, builtin: "redact_secrets" }, ...REDACTS)(value, compat);
};

/** The key with the number of levels below the working directory in which `add_prompt_files` lists files. */
export const PROMPT_FILES_DEPTH = "add_prompt_files_depth";

export function isDepth(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Settings of an agent. */
export const AGENT_SHORTHANDS: Readonly<Record<string, Expansion>> = {
  add_date: flag({ event: "turn_start", builtin: "add_date" }),
  add_environment_info: flag({ event: "session_start", builtin: "add_environment_info" }),
  add_prompt_files: (value, _, beside) => {
    if (value === undefined || value === null) return NONE;
    if (!Array.isArray(value) || value.some((file) => typeof file !== "string")) return undefined;
    const depth = beside?.[PROMPT_FILES_DEPTH];
    const args = [...(isDepth(depth) && depth > 0 ? [`--depth=${depth}`] : []), ...(value as string[])];
    return value.length === 0 ? NONE : [{ event: "turn_start", builtin: "add_prompt_files", args }];
  },
  redact_secrets: redactSecrets,
};

/** Settings of one of an agent's toolsets. */
export const TOOLSET_SHORTHANDS: Readonly<Record<string, Expansion>> = {
  safer: flag({ event: "pre_tool_use", builtin: "safer_shell", preempts: true }),
};

/** Keys of the user's `settings`. */
export const SETTINGS_SHORTHANDS: Readonly<Record<string, Expansion>> = {
  snapshot: flag(
    ...["session_start", "turn_start", "turn_end", "session_end"].map(
      (event): ShorthandHook => ({ event, builtin: "snapshot" }),
    ),
  ),
};

/** Hooks that docker-agent adds after all other hooks, so that a result is redacted before it is cut. */
export const ALWAYS_ON: readonly ShorthandHook[] = [
  { event: "tool_response_transform", builtin: "limit_large_tool_results" },
  { event: "session_end", builtin: "limit_large_tool_results" },
];

/** Returns the hook as it would be written in a file. */
export function writtenOut({ builtin, args }: ShorthandHook): JsonObject {
  return { type: "builtin", command: builtin, ...(args === undefined ? {} : { args: [...args] }) };
}
