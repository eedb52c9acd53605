import type { JsonObject } from "../../event.ts";
import { ToolAliases } from "../tool-aliases.ts";
import { separateLine, wholeLine } from "./command-line.ts";

const path = { path: "file_path" };
const directory = { directory: "cwd" };

/**
 * Autohand's tools, each with the one of Claude Code's that does the same. No two share one: a hook for `append_file`
 * must not run for `write_file`. Tools that have no counterpart keep their name, and get `file_path` where they have a path.
 */
const aliases = new ToolAliases({
  run_command: { tool: "Bash", fields: directory },
  shell: { tool: "shell", fields: directory },
  read_file: { tool: "Read", fields: path },
  write_file: { tool: "Write", fields: path },
  append_file: { tool: "Edit", fields: path },
  apply_patch: { tool: "MultiEdit", fields: path },
  notebook_edit: { tool: "NotebookEdit", fields: { path: "notebook_path" } },
  list_tree: { tool: "LS" },
  search: { tool: "Grep", fields: { query: "pattern" } },
  delete_path: { tool: "delete_path", fields: path },
  search_replace: { tool: "search_replace", fields: path },
  format_file: { tool: "format_file", fields: path },
});

/** Tools that do their work in a way of their own: a rule that names the canonical tool means them as well. */
const MEANT_BY: Readonly<Record<string, string>> = {
  shell: "Bash",
  search_replace: "Edit",
  multi_file_edit: "Edit",
  format_file: "Edit",
};

/** Tools that run a command line. */
const SHELLS: readonly unknown[] = ["Bash", "shell"];

export function spellings(name: string): readonly string[] {
  return Object.hasOwn(MEANT_BY, name) ? [name, MEANT_BY[name] as string] : aliases.spellings(name);
}

/** The tool's fields of a payload in the agent's words -> the same in canonical ones. */
export function canonicalToolFields(payload: JsonObject): JsonObject {
  const fields = aliases.canonicalFields(payload);
  return SHELLS.includes(fields["tool_name"]) ? withInput(fields, wholeLine) : fields;
}

/** The tool's fields of a canonical payload -> the same in the agent's words. */
export function agentToolFields(payload: JsonObject): JsonObject {
  const fields = SHELLS.includes(payload["tool_name"]) ? withInput(payload, separateLine) : payload;
  return aliases.agentFields(fields);
}

/** A whole input of the canonical tool -> the same in the agent's words. */
export function agentInput(tool: unknown, input: JsonObject): JsonObject {
  return aliases.exchangedInput(tool, SHELLS.includes(tool) ? separateLine(input) : input);
}

/** A whole input in the agent's words -> the canonical tool's. */
export function canonicalInput(tool: unknown, input: JsonObject): JsonObject {
  const exchanged = aliases.exchangedInput(tool, input);
  return SHELLS.includes(tool) ? wholeLine(exchanged) : exchanged;
}

function withInput(payload: JsonObject, change: (input: JsonObject) => JsonObject): JsonObject {
  const { tool_input: input } = payload;
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? { ...payload, tool_input: change(input as JsonObject) }
    : payload;
}
