import type { Codec } from "../../src/codec.ts";
import { isJsonObject } from "../../src/json.ts";
import { makeEvent } from "../helpers/rules.ts";

/** Claude Code's tools that others have as well, with the fields of their inputs that matter to a guard. */
export const TOOLS: Readonly<Record<string, readonly string[]>> = {
  Bash: ["command"],
  Read: ["file_path"],
  Write: ["file_path", "content"],
  Edit: ["file_path", "old_string", "new_string"],
  MultiEdit: ["file_path"],
  NotebookEdit: ["notebook_path"],
  LS: ["path"],
  Glob: ["pattern"],
  Grep: ["pattern", "path"],
  WebFetch: ["url"],
  WebSearch: ["query"],
  Task: ["prompt", "description"],
};

/** Uses the codec's output instead of a table, because each field has its own name for a value. */
export function toolCell(tool: string, codec: Codec): string {
  const input = Object.fromEntries((TOOLS[tool] ?? []).map((field) => [field, `value of ${field}`]));
  const event = makeEvent("PreToolUse", { tool_name: tool, tool_input: input }, codec.dialect);
  const told = entriesIn(JSON.parse(codec.encodePayload(event)) as unknown);
  const names = [...(codec.toolSpellings?.(tool) ?? [])].filter((name) => name !== tool);
  const renamed = (TOOLS[tool] ?? []).flatMap((field) => {
    const name = told.find(([, value]) => value === `value of ${field}`)?.[0];
    return name === undefined || name === field ? [] : [`\`${name}\` for \`${field}\``];
  });
  if (names.length === 0) return renamed.length === 0 ? "" : `(${renamed.join(", ")})`;
  return `${names.map((name) => `\`${name}\``).join(" ")}${renamed.length === 0 ? "" : ` (${renamed.join(", ")})`}`;
}

function entriesIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[key, inner] as const, ...entriesIn(inner)]);
}
