import { misplacedBuiltin } from "../../events/builtins.ts";
import type { EventName } from "../../events/table.ts";
import type { Compat } from "../../rule.ts";
import { agentEvent } from "./spelling.ts";

/** What docker-agent's page says of a built-in hook, where that is less than the function itself can do. */
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

/** The names that docker-agent has. */
export const BUILTIN_NAMES: readonly string[] = [
  "add_context",
  ...Object.keys(PAGE_EVENTS),
  "max_iterations",
  "redact_secrets",
  "safer_shell",
  "http_post",
  "unload",
];

/** Why the function does nothing there, here or in the agent itself; `undefined` where it does what it is for. */
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
  return `${name} works here at ${agentEvent(event)}; in docker-agent itself it is for ${named}`;
}
