import type { Compat } from "../codec.ts";
import { contractOf } from "./lookup.ts";

/** The built-in hooks: the events at which each one works, and the number of its arguments. */

interface Builtin {
  /** One line for the list in `hookbox hooks`. */
  readonly summary: string;
  /** The events at which the built-in works. `context`: every event at which text can be added. `any`: every event. */
  readonly events: readonly string[] | "context" | "any";
  readonly args: readonly [least: number, most: number];
  /** Further events that the built-in receives automatically, without an entry in the file. */
  readonly alsoAt?: readonly string[];
  /** Set if the built-in asks a model. The first argument names the model; default: the default model. */
  readonly asksModel?: true;
}

const NONE = [0, 0] as const;
const ANY_NUMBER = Number.POSITIVE_INFINITY;
const RESULTS = ["ToolResponseTransform", "PostToolUse"] as const;
/** Events after which the model no longer has the earlier conversation. */
const CONTEXT_LOSSES = ["SessionEnd", "SessionStart", "AfterCompaction", "PostCompact"] as const;
const ENDINGS = ["Stop", "SessionEnd", "TurnEnd", "SubagentStop"] as const;
const FILE_CHANGES = ["FileChanged", "PostToolUse"] as const;

export const BUILTINS: Readonly<Record<string, Builtin>> = {
  add_context: { summary: "text made from templates over the event", events: "context", args: [1, ANY_NUMBER] },
  add_date: { summary: "today's date", events: "context", args: NONE },
  add_environment_info: {
    summary: "working directory, git, system and architecture",
    events: "context",
    args: NONE,
  },
  add_prompt_files: {
    summary: "files by name, from the working directory upwards and from the home folder",
    events: "context",
    args: [1, ANY_NUMBER],
  },
  add_git_status: { summary: "`git status --short --branch`", events: "context", args: NONE },
  add_git_diff: { summary: "`git diff --stat`, or with `full` the whole difference", events: "context", args: [0, 1] },
  add_directory_listing: { summary: "the files in the working directory", events: "context", args: NONE },
  add_user_info: { summary: "the names of the user and of the machine", events: "context", args: NONE },
  add_recent_commits: { summary: "the last 10 commits, or the given number", events: "context", args: [0, 1] },
  max_iterations: { summary: "stops the agent after N calls of its model", events: ["BeforeModelCall"], args: [1, 1] },
  limit_large_tool_results: {
    summary: "moves a tool's long output into a file, and keeps its end",
    events: [...RESULTS, "SessionEnd"],
    args: NONE,
    alsoAt: ["SessionEnd"],
  },
  elide_repeated_tool_results: {
    summary: "omits output that a tool has already returned in the session",
    events: [...RESULTS, ...CONTEXT_LOSSES],
    args: NONE,
    alsoAt: CONTEXT_LOSSES,
  },
  http_post: { summary: "posts a text to a URL", events: "any", args: [2, 2] },
  unload: { summary: "unloads the local models of the previous agent", events: ["AgentSwitch"], args: NONE },
  snapshot: {
    summary: "saves states of the working tree that can be restored",
    events: [
      "SessionStart",
      "TurnStart",
      "TurnEnd",
      "UserPromptSubmit",
      "PreToolUse",
      "PostToolUse",
      "Stop",
      "SessionEnd",
    ],
    args: NONE,
  },
  "log-session-start": { summary: "a line in the log when a session starts", events: ["SessionStart"], args: [0, 1] },
  "log-session-end": { summary: "a line in the log when a session ends", events: ["SessionEnd"], args: [0, 1] },
  "log-stop": { summary: "a line in the log when the agent stops", events: ["Stop"], args: [0, 1] },
  "log-file-modified": { summary: "a line in the log for each changed file", events: FILE_CHANGES, args: [0, 1] },
  "sound-alert": { summary: "plays a sound of the system", events: [...ENDINGS, "Notification"], args: NONE },
  "auto-format": { summary: "formats the changed file: prettier, eslint, biome", events: FILE_CHANGES, args: NONE },
  "slack-notify": {
    summary: "tells a Slack channel, by the address in SLACK_WEBHOOK_URL",
    events: [...ENDINGS, "Notification"],
    args: NONE,
  },
  "git-auto-stage": { summary: "stages the changed file", events: FILE_CHANGES, args: NONE },
  "smart-commit": {
    summary: "lints, tests, and commits with a message by a model",
    events: ["Stop", "SessionEnd"],
    args: [0, 1],
    asksModel: true,
  },
};

export const BUILTIN_NAMES: readonly string[] = Object.keys(BUILTINS);

/** Returns the arguments that a built-in lacks. Returns `undefined` if all are present. */
export function missingArgs(name: string, args: readonly string[]): string | undefined {
  const builtin = builtinNamed(name);
  return builtin === undefined || args.length >= builtin.args[0] ? undefined : wrongNumber(name, builtin, args);
}

/** Returns why a built-in has no effect at an event, or ignores some arguments; otherwise `undefined`. */
export function misplacedBuiltin(
  name: string,
  event: string,
  dialect: string,
  args: readonly string[],
  compat?: Compat,
): string | undefined {
  const builtin = builtinNamed(name);
  if (builtin === undefined) return undefined;
  const [least, most] = builtin.args;
  if (args.length < least || args.length > most) return wrongNumber(name, builtin, args);
  return canWorkAt(builtin, event, dialect, compat) ? undefined : `${name} does nothing at ${event}`;
}

/** Whether a built-in works at an event. At other events the built-in gives no opinion, as in its agent. */
export function canWorkAt({ events }: Builtin, event: string, dialect: string, compat?: Compat): boolean {
  if (events === "any") return true;
  return events === "context"
    ? contractOf(event, dialect, undefined, compat)?.context !== null
    : events.includes(event);
}

export function builtinNamed(name: string): Builtin | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
}

function wrongNumber(name: string, { args: [least, most] }: Builtin, args: readonly string[]): string {
  const upTo = most === ANY_NUMBER ? `at least ${least}` : `${least} to ${most}`;
  return `${name} takes ${least === most ? least : upTo} args, not ${args.length}`;
}
