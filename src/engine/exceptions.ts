import { lstatSync } from "node:fs";
import { isAbsolute, join, resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Action } from "../actions/action.ts";
import { actionsOf } from "../actions/actions-of.ts";
import { directoryOf } from "../actions/place.ts";
import { partOf } from "../actions/tool-table.ts";
import type { HookEvent } from "../event.ts";
import type { RuleException } from "../exception.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { HookOutcome, Reply } from "../outcome.ts";
import { realPath } from "../project-folder.ts";
import type { Rule } from "../rule.ts";
import { recordUse } from "../state/exception-use.ts";
import type { StateFolder } from "../state/private-json.ts";

/**
 * Turns a rule's "deny" or "ask" into no opinion, for exactly the calls that an exception names. Texts are compared
 * character by character: another spelling of a command or path is another call.
 */

/** Whether exceptions count at an event. Both events judge a call before the tool runs. */
function hasExceptions(event: string): boolean {
  return event === "PreToolUse" || event === "PermissionRequest";
}

/** Fields of a command's input that do not change what the command does. Any other field needs an exception by input. */
const DETAILS: ReadonlySet<string> = new Set(
  "description explanation justification timeout timeout_ms timeoutms run_in_background is_background background".split(
    " ",
  ),
);

const MS_OF_DAY = 86_400_000;

/** Returns whether the last day of the exception is over. */
export function isExpired({ expires }: RuleException, now: number): boolean {
  const end = Date.parse(`${expires}T00:00:00Z`) + MS_OF_DAY;
  return !(now < end);
}

/** Returns the rule's exception for an event. `undefined`: the rule's answer counts. */
export function exceptionFor(
  { exceptions }: Pick<Rule, "exceptions">,
  event: HookEvent,
  now: number = Date.now(),
): RuleException | undefined {
  if (exceptions === undefined) return undefined;
  const call = callOf(event);
  return call && exceptions.find((one) => !isExpired(one, now) && isFor(one, call));
}

/**
 * Returns the outcome under the rule's exceptions, and records the use of an exception in the state folder. A failure
 * and an answer that stops the agent stay.
 */
export function underExceptions(
  rule: Rule,
  event: HookEvent,
  outcome: HookOutcome,
  stateFolder: StateFolder | undefined,
): HookOutcome {
  if (rule.exceptions === undefined || outcome.status !== "decided") return outcome;
  if (outcome.reply.continue === false || !isRefusal(outcome.reply)) return outcome;
  const excepted = exceptionFor(rule, event);
  if (excepted === undefined) return outcome;
  if (stateFolder !== undefined) recordUse(excepted, stateFolder);
  return { status: "abstained", receipt: outcome.receipt, excepted };
}

export function isRefusal({ decision }: Reply): boolean {
  return decision === "deny" || decision === "ask" || decision === "block";
}

/**
 * Returns the exception that would let exactly this call pass the rule, without its reason and day. `undefined`: no
 * exception of the user can name the call.
 */
export function exceptionNaming({ handler, name, layer }: Rule, event: HookEvent): JsonObject | undefined {
  const call = callOf(event);
  if (call === undefined || layer === "managed") return undefined;
  const guard = handler.type === "wasm" ? /^builtin:(.*)$/.exec(handler.module)?.[1] : undefined;
  const named = { ...(guard === undefined ? { rule: name } : { guard }), tool: call.tool };
  const [first] = call.actions;
  const forms: readonly (JsonObject | undefined)[] = [
    first?.kind === "command" && isPlain(first.command)
      ? { ...named, command: first.command, directory: realOf(first.directory) }
      : undefined,
    { ...named, input: call.input, directory: realOf(call.directory) },
  ];
  // A form that the call does not fit would be of no use.
  return forms.find((one) => one !== undefined && isFor(one as unknown as RuleException, call));
}

function realOf(directory: string | undefined): string {
  return (directory === undefined ? undefined : placeOf(directory)) ?? "";
}

/** Whether a terminal shows and takes a command exactly as it is. */
function isPlain(command: string | readonly string[]): command is string {
  return typeof command === "string" && /^[\x20-\x7e]+$/.test(command);
}

interface Call {
  readonly tool: string;
  readonly input: JsonObject;
  readonly actions: readonly Action[];
  /** The event's working directory. */
  readonly directory: string | undefined;
}

function callOf({ name, payload, dialect }: HookEvent): Call | undefined {
  const { tool_name: tool, tool_input: input } = payload;
  if (!hasExceptions(name) || typeof tool !== "string" || !isJsonObject(input)) return undefined;
  return { tool, input, actions: actionsOf(payload, dialect) ?? [], directory: directoryOf(payload) };
}

function isFor(one: RuleException, call: Call): boolean {
  const { tool, command, input, directory } = one;
  if (tool !== undefined && tool !== call.tool) return false;
  if (input !== undefined) return isDeepStrictEqual(input, call.input) && isPlace(call.directory, directory);
  if (call.actions.length === 0) return false;
  if (command === undefined) return call.actions.every((action) => isFileIn(action, directory));
  const isCommand = (action: Action): boolean =>
    action.kind === "command" && action.command === command && isPlace(action.directory, directory);
  return call.actions.every(isCommand) && Object.keys(call.input).every(isHarmlessField);
}

function isHarmlessField(key: string): boolean {
  const part = partOf(key);
  return part === "command" || part === "directory" || DETAILS.has(key.toLowerCase());
}

/** Whether a path leads to the directory, whose path contains no links. The agent could make a link lead elsewhere. */
function isPlace(path: string | undefined, directory: string): boolean {
  return path !== undefined && placeOf(path) === directory;
}

/** Returns where a path leads. `undefined` for a path with `..`, which shells and systems resolve in different ways. */
function placeOf(path: string): string | undefined {
  return isAbsolute(path) && !path.split(/[/\\]/).includes("..") ? realPath(resolve(path)) : undefined;
}

/** Whether an action only touches files in a directory. A command can do anything, so it needs its exact text. */
function isFileIn(action: Action, directory: string): boolean {
  switch (action.kind) {
    case "read":
    case "write":
    case "delete":
      return isIn(action.path, directory);
    case "move":
      return isIn(action.path, directory) && isIn(action.to, directory);
    default:
      return false;
  }
}

function isIn(path: string, directory: string): boolean {
  const place = placeOf(path);
  if (place === undefined || !place.startsWith(directory + sep) || realPath(directory) !== directory) return false;
  // A link that leads nowhere yet is still in the path.
  let at = directory;
  return place
    .slice(directory.length + 1)
    .split(sep)
    .every((part) => {
      at = join(at, part);
      return !isLink(at);
    });
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return true;
  }
}
