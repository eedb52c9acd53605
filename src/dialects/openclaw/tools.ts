import { ToolAliases } from "../tool-aliases.ts";

const path = { path: "file_path" };
const shell = { background: "run_in_background", workdir: "cwd" };

/**
 * OpenClaw's tools with a counterpart among Claude Code's tools. If a tool has several names, the first name is
 * OpenClaw's own.
 */
export const openclawTools = new ToolAliases({
  exec: { tool: "Bash", fields: shell },
  bash: { tool: "Bash", fields: shell },
  exec_command: { tool: "Bash", fields: shell },
  read: { tool: "Read", fields: path },
  write: { tool: "Write", fields: path },
  edit: { tool: "Edit", fields: { ...path, oldText: "old_string", newText: "new_string" } },
  grep: { tool: "Grep" },
  find: { tool: "Glob" },
  ls: { tool: "LS" },
  web_search: { tool: "WebSearch" },
  web_fetch: { tool: "WebFetch" },
  sessions_spawn: { tool: "Task", fields: { task: "prompt", label: "description" } },
  // Claude Code has no tool that does the same as the following tools. Some providers see the second spelling.
  process: { tool: "process" },
  apply_patch: { tool: "apply_patch" },
  "apply-patch": { tool: "apply_patch" },
});
