import type { HookEvent, JsonValue } from "../event.ts";
import { isJsonObject } from "../event.ts";

/**
 * An event as variables of a hook's environment: `"$tool_input_path"` in a script. A value gets there as environment only,
 * never as text of a command, so that no quote, newline or `$(…)` in it can become code.
 */

/** Bytes of one value in UTF-8. Linux allows 128 KiB for name and value together. */
export const MAX_VARIABLE_BYTES = 120 * 1024;
/** Bytes of all names and values. macOS allows 1 MiB for an environment and its arguments, the inherited part included. */
export const MAX_VARIABLES_BYTES = 512 * 1024;
/** Fields of a tool's input that get a variable of their own. */
export const MAX_INPUT_FIELDS = 64;

/** What a field may be called to be part of a variable's name. */
const FIELD_NAME = /^\w{1,64}$/;

/** What scripts judge goes first: a field that the model makes up must not use up the room for it. */
const FIRST_FIELDS = ["command", "file_path", "notebook_path", "url", "pattern", "query"];

const PATH_FIELDS = ["file_path", "notebook_path", "path"];

/**
 * The variables of an event. Values that were cut are named in `HOOK_CUT`, those that were left out in `HOOK_OMITTED`, both
 * separated by spaces: a script that judges a value has to know that it does not see all of it. All of it is on stdin.
 */
export function eventVariables(event: HookEvent): Readonly<Record<string, string>> {
  const { payload } = event;
  const input = isJsonObject(payload["tool_input"]) ? payload["tool_input"] : {};
  const named = Object.keys(input).filter((name) => FIELD_NAME.test(name) && name !== "path");
  const fields = [
    ...FIRST_FIELDS.filter((name) => named.includes(name)),
    ...named.filter((name) => !FIRST_FIELDS.includes(name)),
  ];
  const path = pathOf(input);
  const output = payload["tool_response"] ?? payload["tool_output"];

  const variables = new VariableSet();
  variables.add("HOOK_EVENT", event.name);
  variables.add("hook_event_name", event.name);
  variables.add("HOOK_SESSION_ID", payload["session_id"]);
  variables.add("session_id", payload["session_id"]);
  variables.add("HOOK_WORKSPACE", payload["cwd"]);
  variables.add("cwd", payload["cwd"]);
  variables.add("HOOK_TOOL", payload["tool_name"]);
  variables.add("tool_name", payload["tool_name"]);
  variables.add("HOOK_TOOL_CALL_ID", payload["tool_use_id"]);
  if (path === "ambiguous") variables.omit("tool_input_path", "HOOK_PATH");
  else {
    variables.add("tool_input_path", path);
    variables.add("HOOK_PATH", path);
  }
  for (const name of fields.slice(0, MAX_INPUT_FIELDS)) variables.add(`tool_input_${name}`, input[name]);
  variables.omit(...fields.slice(MAX_INPUT_FIELDS).map((name) => `tool_input_${name}`));
  variables.add("HOOK_ARGS", payload["tool_input"]);
  variables.add("tool_input", payload["tool_input"]);
  variables.add("HOOK_OUTPUT", output);
  variables.add("tool_output", output);
  variables.add("HOOK_INSTRUCTION", payload["prompt"]);
  variables.add("HOOK_ERROR", payload["error"]);
  return variables.toEnvironment();
}

/**
 * Names of variables that do not hold the whole value of the event. A script that judges one of them would judge
 * another event than the one that happens, so a hook that guards an action is not started with them.
 */
export function incompleteVariables({
  HOOK_CUT,
  HOOK_OMITTED,
}: Readonly<Record<string, string | undefined>>): string[] {
  return [HOOK_CUT, HOOK_OMITTED].flatMap((names) => names?.split(" ") ?? []);
}

/** A tool reads one of the fields. If they name different files, whoever asks for "the" path could be shown the wrong one. */
export function pathOf(input: Readonly<Record<string, JsonValue>>): JsonValue | undefined | "ambiguous" {
  const paths = PATH_FIELDS.map((name) => input[name]).filter((value) => value !== undefined && value !== null);
  return paths.every((path) => path === paths[0]) ? paths[0] : "ambiguous";
}

/** Variables that fit into an environment, and the names of those that did not. */
export class VariableSet {
  readonly #values = new Map<string, string>();
  readonly #cut: string[] = [];
  readonly #omitted: string[] = [];
  #bytes = 0;

  /** Text as it is, anything else as JSON; nothing for a value that is not there. */
  add(name: string, value: JsonValue | undefined): void {
    if (value === undefined || value === null) return;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // An environment ends a value at a NUL: what stands before it may mean something else.
    const canBeHeld = !text.includes("\0");
    const kept = firstBytes(text, MAX_VARIABLE_BYTES);
    const bytes = name.length + 2 + Buffer.byteLength(kept);
    if (!canBeHeld || this.#bytes + bytes > MAX_VARIABLES_BYTES) {
      this.omit(name);
      return;
    }
    this.#bytes += bytes;
    if (kept.length < text.length) this.#cut.push(name);
    this.#values.set(name, kept);
  }

  omit(...names: readonly string[]): void {
    this.#omitted.push(...names);
  }

  toEnvironment(): Readonly<Record<string, string>> {
    if (this.#cut.length > 0) this.#values.set("HOOK_CUT", this.#cut.join(" "));
    if (this.#omitted.length > 0)
      this.#values.set("HOOK_OMITTED", firstBytes(this.#omitted.join(" "), MAX_VARIABLE_BYTES));
    return Object.fromEntries(this.#values);
  }
}

/** As many whole characters as fit. */
function firstBytes(text: string, limit: number): string {
  // A UTF-16 unit is at most three bytes, so most texts need not be looked at.
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text.slice(0, limit + 1));
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString("utf8");
}
