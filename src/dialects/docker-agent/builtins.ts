import type { Compat } from "../../codec.ts";
import { misplacedBuiltin } from "../../events/builtins.ts";
import type { EventName } from "../../events/table.ts";
import { agentEvent } from "./spelling.ts";

/** The events of a built-in hook on docker-agent's page, if the function itself works at more events. */
const PAGE_EVENTS: Readonly<Record<string, readonly EventName[]>> = {
  add_date: ["TurnStart"],
  add_environment_info: ["SessionStart"],
  add_prompt_files: ["TurnStart"],
  add_git_status: ["TurnStart"],
  add_git_diff: ["TurnStart"],
  add_directory_listing: ["SessionStart"],
  add_user_info: ["SessionStart"],
  add_recent_commits: ["SessionStart"],
  snapshot: ["SessionStart", "TurnStart", "TurnEnd", "PreToolUse", "PostToolUse", "SessionEnd"],
  limit_large_tool_results: ["ToolResponseTransform", "SessionEnd"],
  elide_repeated_tool_results: ["ToolResponseTransform", "SessionEnd"],
};

/** The names of docker-agent's built-in hooks. */
export const BUILTIN_NAMES: readonly string[] = [
  "add_context",
  ...Object.keys(PAGE_EVENTS),
  "max_iterations",
  "redact_secrets",
  "safer_shell",
  "http_post",
  "unload",
];

/** Limit on the commits that `add_recent_commits` lists. */
const MAX_COMMITS = 1_000;

type Given = readonly string[];

interface ReadArgs {
  readonly args: Given;
  /** Remarks on the arguments that were changed or dropped. */
  readonly remarks: readonly string[];
}

/**
 * Returns the arguments of a hook that adds text, as docker-agent reads them: an invalid argument is ignored and the
 * text is added without it. Arguments of other hooks do not change.
 */
export function readArgs(name: string, args: Given): ReadArgs {
  const ignored = (arg: string): string => `${name} ignores ${JSON.stringify(arg)}`;
  const [first] = args;
  if (name === "add_prompt_files") {
    const read = args.map((arg) => [arg, depthArg(arg)] as const);
    return {
      args: read.flatMap(([, depth]) => (depth === undefined ? [] : [depth])),
      remarks: read.flatMap(([arg, depth]) => (depth === undefined ? [ignored(arg)] : [])),
    };
  }
  if (first === undefined) return { args, remarks: [] };
  if (name === "add_git_diff" && first !== "full") return { args: [], remarks: [ignored(first)] };
  if (name !== "add_recent_commits") return { args, remarks: [] };
  const count = wholeNumber(first) ?? 0;
  if (count <= 0) return { args: [], remarks: [ignored(first)] };
  if (count <= MAX_COMMITS) return { args: [String(count), ...args.slice(1)], remarks: [] };
  return { args: [String(MAX_COMMITS)], remarks: [`${name} lists ${MAX_COMMITS} commits at most`] };
}

const DEPTH = "--depth=";

/** Returns the argument with its depth as a plain number. Returns `undefined` if the depth is not a number. */
function depthArg(arg: string): string | undefined {
  if (!arg.startsWith(DEPTH)) return arg;
  const depth = wholeNumber(arg.slice(DEPTH.length));
  return depth === undefined ? undefined : `${DEPTH}${Math.max(0, depth)}`;
}

function wholeNumber(text: string): number | undefined {
  return /^[+-]?[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns why a hook that adds text has nothing to add, otherwise `undefined`. docker-agent skips such a hook silently.
 */
export function nothingToAdd(name: string, args: Given): string | undefined {
  if (name === "add_context" && args.length === 0) return "add_context without a template does nothing";
  return name === "add_prompt_files" && args.every((arg) => arg.startsWith(DEPTH))
    ? "add_prompt_files without the name of a file does nothing"
    : undefined;
}

/** Returns why the built-in hook does nothing at this event, in hookbox or in docker-agent; otherwise `undefined`. */
export function misplaced(
  name: string,
  event: EventName,
  args: readonly string[],
  compat?: Compat,
): string | undefined {
  const nothing = misplacedBuiltin(name, event, "docker-agent", args, compat);
  if (nothing !== undefined) return nothing;
  const events = Object.hasOwn(PAGE_EVENTS, name) ? PAGE_EVENTS[name] : undefined;
  if (events === undefined || events.includes(event)) return undefined;
  const named = events.map((one) => agentEvent(one)).join(", ");
  return `${name} works in hookbox at ${agentEvent(event)}; docker-agent itself uses it at ${named}`;
}
