import { ToolAliases } from "../tool-aliases.ts";

const path = { path: "file_path" };

/** docker-agent's built-in tools that do what one of Claude Code's does. */
export const dockerTools = new ToolAliases({
  shell: { tool: "Bash", fields: { cmd: "command" } },
  read_file: { tool: "Read", fields: path },
  write_file: { tool: "Write", fields: path },
  edit_file: { tool: "Edit", fields: path },
  list_directory: { tool: "LS" },
  search_files_content: { tool: "Grep", fields: { query: "pattern" } },
});
