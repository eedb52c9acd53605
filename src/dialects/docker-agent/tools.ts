import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { ToolAliases } from "../tool-aliases.ts";

/**
 * docker-agent's built-in tools with a counterpart among Claude Code's tools. Tools without a counterpart
 * (`read_multiple_files`, `directory_tree`, `transfer_task` …) and MCP tools keep their names.
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

/** The fields that each tool reads, by docker-agent's name of the tool. */
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
    // A field that the tool does not have is dropped, because hooks would otherwise see another tool.
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

  /** Converts a new input from a hook to canonical names. */
  canonicalInput(canonicalTool: unknown, input: JsonObject): JsonObject {
    const exchanged = aliases.exchangedInput(canonicalTool, input);
    return canonicalTool === "WebFetch" ? withUrl(exchanged, "url", single) : exchanged;
  },

  /** Converts a new canonical input to docker-agent's names. Leaves out fields that only the canonical tool has. */
  agentInput(canonicalTool: unknown, input: JsonObject): JsonObject {
    const exchanged = aliases.exchangedInput(canonicalTool, input);
    if (canonicalTool === "WebFetch") return listOfUrls(exchanged);
    if (canonicalTool !== "Bash") return exchanged;
    const { run_in_background: _, ...rest } = exchanged;
    return rest;
  },
};

/**
 * Returns an input as the tool reads it: keys in any case and, for a shell, `command` if `cmd` is blank. Otherwise a
 * model could evade a guard with another spelling. If two spellings are present, an undocumented order decides, so the
 * judged text contains both.
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

/** Folds a key as Go's JSON reader does. Go treats a long s as an s, while JavaScript treats it as another letter. */
function folded(key: string): string {
  return key.toLowerCase().replaceAll("\u017f", "s");
}

/** Whether Go or JavaScript treats the value as blank. docker-agent also skips a "next line" character (U+0085). */
function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (typeof value === "string" && /^[\s\u0085]*$/.test(value));
}

function together(one: JsonValue, other: JsonValue): JsonValue {
  return typeof one === "string" && typeof other === "string" ? `${one}\n${other}` : [one, other];
}

/** Sets a property by defining it, because assigning a key such as `__proto__` would not create the property. */
function set(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * A list of one URL becomes the URL, as in the canonical tool. Several URLs stay a list, so that a condition cannot be
 * decided and its hook runs.
 */
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
