import type { JsonObject } from "../../event.ts";
import { ToolAliases } from "../tool-aliases.ts";
import { separateLine, wholeLine } from "./command-line.ts";

const path = { path: "file_path" };

/**
 * Autohand's tools, each with the one of Claude Code's that does the same. No two share one: a hook for `append_file`
 * must not run for `write_file`. Tools that have no counterpart keep their name, and get `file_path` where they have a path.
 */
const aliases = new ToolAliases({
  run_command: { tool: "Bash" },
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

/** Tools that change files in a way of their own: a rule that says `Edit` means them as well. */
const MEANT_BY_EDIT: readonly string[] = ["search_replace", "multi_file_edit", "format_file"];

export function spellings(name: string): readonly string[] {
  return MEANT_BY_EDIT.includes(name) ? [name, "Edit"] : aliases.spellings(name);
}

/** The tool's fields of a payload in the agent's words -> the same in canonical ones. */
export function canonicalToolFields(payload: JsonObject): JsonObject {
  const fields = aliases.canonicalFields(payload);
  return fields["tool_name"] === "Bash" ? withInput(fields, wholeLine) : fields;
}

/** The tool's fields of a canonical payload -> the same in the agent's words. */
export function agentToolFields(payload: JsonObject): JsonObject {
  const fields = payload["tool_name"] === "Bash" ? withInput(payload, separateLine) : payload;
  return aliases.agentFields(fields);
}

/** A whole input of the canonical tool -> the same in the agent's words. */
export function agentInput(tool: unknown, input: JsonObject): JsonObject {
  return tool === "Bash" ? separateLine(input) : aliases.exchangedInput(tool, input);
}

/** A whole input in the agent's words -> the canonical tool's. */
export function canonicalInput(tool: unknown, input: JsonObject): JsonObject {
  return tool === "Bash" ? wholeLine(input) : aliases.exchangedInput(tool, input);
}

function withInput(payload: JsonObject, change: (input: JsonObject) => JsonObject): JsonObject {
  const { tool_input: input } = payload;
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? { ...payload, tool_input: change(input as JsonObject) }
    : payload;
}
