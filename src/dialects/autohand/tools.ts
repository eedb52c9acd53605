import type { JsonObject } from "../../json.ts";
import { ToolAliases } from "../tool-aliases.ts";
import { separateLine, wholeLine } from "./command-line.ts";

const path = { path: "file_path" };
const directory = { directory: "cwd" };

/**
 * Autohand's tools and their counterparts among Claude Code's tools. No two tools share a counterpart, because a hook
 * for `append_file` must not run for `write_file`. A tool without a counterpart keeps its name, and its path becomes
 * `file_path`.
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

/** Autohand's own variants of canonical tools. A rule that names the canonical tool includes its variants. */
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

/** Converts the tool fields of a payload from Autohand's names to canonical names. */
export function canonicalToolFields(payload: JsonObject): JsonObject {
  const fields = aliases.canonicalFields(payload);
  return SHELLS.includes(fields["tool_name"]) ? withInput(fields, wholeLine) : fields;
}

/** Converts the tool fields of a canonical payload to Autohand's names. */
export function agentToolFields(payload: JsonObject): JsonObject {
  const fields = SHELLS.includes(payload["tool_name"]) ? withInput(payload, separateLine) : payload;
  return aliases.agentFields(fields);
}

/** Converts a whole input of the canonical tool to Autohand's names. */
export function agentInput(tool: unknown, input: JsonObject): JsonObject {
  return aliases.exchangedInput(tool, SHELLS.includes(tool) ? separateLine(input) : input);
}

/** Converts a whole input with Autohand's names to the names of the canonical tool. */
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
