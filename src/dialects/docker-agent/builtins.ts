import type { EventName } from "../../events/table.ts";

/** docker-agent's own functions that a hook of type `builtin` names: where each works, and what it is given. */
export interface Builtin {
  readonly events: readonly EventName[] | "any";
  /** How many `args` it takes: at least, at most. */
  readonly args: readonly [least: number, most: number];
}

const NONE = [0, 0] as const;
const REWRITES = ["ToolInputTransform", "PreToolUse", "BeforeModelCall", "ToolResponseTransform"] as const;

export const BUILTINS: Readonly<Record<string, Builtin>> = {
  add_context: { events: "any", args: [1, Number.POSITIVE_INFINITY] },
  add_date: { events: ["TurnStart"], args: NONE },
  add_environment_info: { events: ["SessionStart"], args: NONE },
  add_prompt_files: { events: ["TurnStart"], args: [1, Number.POSITIVE_INFINITY] },
  add_git_status: { events: ["TurnStart"], args: NONE },
  add_git_diff: { events: ["TurnStart"], args: [0, 1] },
  add_directory_listing: { events: ["SessionStart"], args: NONE },
  add_user_info: { events: ["SessionStart"], args: NONE },
  add_recent_commits: { events: ["SessionStart"], args: [0, 1] },
  max_iterations: { events: ["BeforeModelCall"], args: [1, 1] },
  snapshot: {
    events: ["SessionStart", "TurnStart", "TurnEnd", "PreToolUse", "PostToolUse", "SessionEnd"],
    args: NONE,
  },
  redact_secrets: { events: REWRITES, args: NONE },
  limit_large_tool_results: { events: ["ToolResponseTransform", "SessionEnd"], args: NONE },
  elide_repeated_tool_results: { events: ["ToolResponseTransform"], args: NONE },
  safer_shell: { events: ["PreToolUse"], args: NONE },
  http_post: { events: "any", args: [2, 2] },
  unload: { events: ["AgentSwitch"], args: NONE },
};

export const BUILTIN_NAMES: readonly string[] = Object.keys(BUILTINS);

/** Why the function cannot do its work there; `undefined` where it can. */
export function misplaced(name: string, event: EventName, args: readonly string[]): string | undefined {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined) return undefined;
  const [least, most] = builtin.args;
  if (args.length < least || args.length > most) {
    const wanted =
      least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} or ${most}`;
    return `${name} takes ${wanted} args, not ${args.length}`;
  }
  if (builtin.events === "any" || builtin.events.includes(event)) return undefined;
  return `${name} does nothing at ${event}`;
}
