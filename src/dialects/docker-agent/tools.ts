import { isJsonObject, type JsonObject, type JsonValue } from "../../event.ts";
import { ToolAliases } from "../tool-aliases.ts";

/**
 * docker-agent's built-in tools that do what one of Claude Code's does. Those without such a counterpart
 * (`read_multiple_files`, `directory_tree`, `transfer_task` …), and MCP tools, keep their names.
 */

const path = { path: "file_path" };
const cmd = { cmd: "command" };

const aliases = new ToolAliases({
  shell: { tool: "Bash", fields: cmd },
  run_background_job: { tool: "Bash", fields: cmd },
  read_file: { tool: "Read", fields: path },
  write_file: { tool: "Write", fields: path },
  edit_file: { tool: "Edit", fields: path },
  list_directory: { tool: "LS" },
  search_files_content: { tool: "Grep", fields: { query: "pattern" } },
  fetch: { tool: "WebFetch", fields: { urls: "url" } },
});

/** The fields that a tool reads, by the agent's name of it. */
const READS: Readonly<Record<string, readonly string[]>> = {
  shell: ["cmd", "command", "cwd"],
  run_background_job: ["cmd", "command", "cwd"],
  read_file: ["path"],
  write_file: ["path", "content"],
  edit_file: ["path", "edits"],
  list_directory: ["path"],
  search_files_content: ["path", "query"],
  fetch: ["urls"],
};

export const dockerTools = {
  spellings: aliases.spellings,

  canonicalFields(payload: JsonObject): JsonObject {
    const { tool_name: name, tool_input: input } = payload;
    if (typeof name !== "string" || !isJsonObject(input) || !Object.hasOwn(READS, name)) {
      return aliases.canonicalFields(payload);
    }
    const read = oneUrl(name, asToolReads(name, input));
    if (!READS[name]?.includes("cmd")) return aliases.canonicalFields({ ...payload, tool_input: read });
    // No field of theirs: a model that adds it would give the tool another name for hooks.
    const { run_in_background: _, ...rest } = read;
    const fields = aliases.canonicalFields({ ...payload, tool_input: rest });
    if (name !== "run_background_job") return fields;
    return { ...fields, tool_input: { ...(fields["tool_input"] as JsonObject), run_in_background: true } };
  },

  agentFields(payload: JsonObject): JsonObject {
    const fields = aliases.agentFields(payload);
    const { tool_name: name, tool_input: input } = fields;
    if (!isJsonObject(input)) return fields;
    if (name === "fetch") return { ...fields, tool_input: listOfUrls(input) };
    if (name !== "shell" || input["run_in_background"] !== true) return fields;
    const { run_in_background: _, ...rest } = input;
    return { ...fields, tool_name: "run_background_job", tool_input: rest };
  },

  /** A new input that a hook gave -> the same in canonical words. */
  canonicalInput(canonicalTool: unknown, input: JsonObject): JsonObject {
    const exchanged = aliases.exchangedInput(canonicalTool, input);
    return canonicalTool === "WebFetch" ? withUrl(exchanged, "url", single) : exchanged;
  },

  /** A new canonical input -> the same for the agent. What only the canonical one has room for is left out. */
  agentInput(canonicalTool: unknown, input: JsonObject): JsonObject {
    const exchanged = aliases.exchangedInput(canonicalTool, input);
    if (canonicalTool === "WebFetch") return listOfUrls(exchanged);
    if (canonicalTool !== "Bash") return exchanged;
    const { run_in_background: _, ...rest } = exchanged;
    return rest;
  },
};

/**
 * An input as the tool reads it: keys in any case, and, of a shell, `command` where `cmd` is blank. A guard must not be
 * passed with the other spelling. Where two spellings are there, which of them counts depends on an order that nobody
 * is told, so both stand in the text that is judged.
 */
function asToolReads(tool: string, input: JsonObject): JsonObject {
  const read: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(input)) {
    const name = READS[tool]?.find((field) => field === folded(key)) ?? key;
    const before = Object.hasOwn(read, name) ? read[name] : undefined;
    set(read, name, before === undefined ? value : together(before, value));
  }
  const { cmd, command, ...rest } = read;
  if (!READS[tool]?.includes("cmd") || !isBlank(cmd) || isBlank(command)) return read;
  return { ...rest, cmd: command as JsonValue };
}

/** As Go's JSON reader compares keys: a long s is an s to it, and to JavaScript a letter of its own. */
function folded(key: string): string {
  return key.toLowerCase().replaceAll("\u017f", "s");
}

/** To Go or to us: the agent passes over a "next line" (U+0085) as well. */
function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === "string" && /^[\s\u0085]*$/.test(value));
}

function together(one: JsonValue, other: JsonValue): JsonValue {
  return typeof one === "string" && typeof other === "string" ? `${one}\n${other}` : [one, other];
}

/** A key such as `__proto__` is a key like any other. */
function set(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** One address is what the canonical tool has. Several stay a list: a condition cannot tell, and its hook runs. */
const single = (value: JsonValue): JsonValue =>
  Array.isArray(value) && value.length === 1 && typeof value[0] === "string" ? value[0] : value;
const listed = (value: JsonValue): JsonValue => (typeof value === "string" ? [value] : value);

function oneUrl(tool: string, input: JsonObject): JsonObject {
  return tool === "fetch" ? withUrl(input, "urls", single) : input;
}

function listOfUrls(input: JsonObject): JsonObject {
  return withUrl(input, "urls", listed);
}

function withUrl(input: JsonObject, key: string, change: (value: JsonValue) => JsonValue): JsonObject {
  const value = input[key];
  return value === undefined ? input : { ...input, [key]: change(value) };
}
