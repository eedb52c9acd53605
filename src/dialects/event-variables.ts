import type { HookEvent } from "../event.ts";
import type { JsonValue } from "../json.ts";
import { isJsonObject } from "../json.ts";

/**
 * Puts an event into the environment variables of a hook, so that a script can use `"$tool_input_path"`. A value is
 * never put into the text of a command, so that no quote, newline or `$(…)` in a value becomes code.
 */

/** The maximum length of one value in UTF-8, in bytes. Linux allows 128 KiB for name and value together. */
export const MAX_VARIABLE_BYTES = 120 * 1024;
/**
 * The maximum length of all names and values together, in bytes. macOS allows 1 MiB for the environment and the
 * arguments, including inherited variables.
 */
export const MAX_VARIABLES_BYTES = 512 * 1024;
/** The maximum number of fields of a tool's input that get their own variable. */
export const MAX_INPUT_FIELDS = 64;

/** Field names that can be part of a variable's name. */
const FIELD_NAME = /^\w{1,64}$/;

/** Fields that scripts judge. They come first, so that fields that the model invents cannot use up their space. */
const FIRST_FIELDS = ["command", "file_path", "notebook_path", "url", "pattern", "query"];

const PATH_FIELDS = ["file_path", "notebook_path", "path"];

/**
 * Returns the variables of an event. `HOOK_CUT` names the values that were cut and `HOOK_OMITTED` the values that were
 * left out, both separated by spaces. A script that judges a value must know whether the value is complete. Stdin
 * always contains the whole event.
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
 * Returns the names of variables with a missing or cut value. A hook that guards an action is not started with such
 * variables, because its script would judge a different event.
 */
export function incompleteVariables({
  HOOK_CUT,
  HOOK_OMITTED,
}: Readonly<Record<string, string | undefined>>): string[] {
  return [HOOK_CUT, HOOK_OMITTED].flatMap((names) => names?.split(" ") ?? []);
}

/**
 * Returns the path in a tool's input. A tool reads one of these fields. If they name different files, the result is
 * `ambiguous`, because a script might otherwise see the wrong file.
 */
export function pathOf(input: Readonly<Record<string, JsonValue>>): JsonValue | undefined | "ambiguous" {
  const paths = PATH_FIELDS.map((name) => input[name]).filter((value) => value !== undefined && value !== null);
  return paths.every((path) => path === paths[0]) ? paths[0] : "ambiguous";
}

/** Collects the variables that fit into an environment, and the names of the variables that do not fit. */
export class VariableSet {
  readonly #values = new Map<string, string>();
  readonly #cut: string[] = [];
  readonly #omitted: string[] = [];
  #bytes = 0;

  /** Adds a string unchanged and any other value as JSON. Ignores `undefined` and `null`. */
  add(name: string, value: JsonValue | undefined): void {
    if (value === undefined || value === null) return;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // A NUL ends an environment variable, and the text before the NUL may have another meaning.
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

/** Returns the longest prefix of whole characters that fits. */
function firstBytes(text: string, limit: number): string {
  // A UTF-16 unit is at most three bytes in UTF-8, so most texts need no check.
  if (text.length * 3 <= limit) return text;
  const bytes = Buffer.from(text.slice(0, limit + 1));
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString("utf8");
}
