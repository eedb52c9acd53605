import { type ToolAlias, ToolAliases } from "../tool-aliases.ts";

const TABLE: Readonly<Record<string, ToolAlias>> = {
  read_file: { tool: "Read" },
  write_file: { tool: "Write" },
  replace: { tool: "Edit", fields: { old_text: "old_string", new_text: "new_string" } },
  run_shell_command: { tool: "Bash", fields: { working_directory: "cwd" } },
  glob: { tool: "Glob" },
  search_file_content: { tool: "Grep" },
  web_fetch: { tool: "WebFetch" },
  web_search: { tool: "WebSearch" },
  list_directory: { tool: "LS" },
  save_memory: { tool: "SaveMemory" },
  ask_user: { tool: "AskUser" },
  todo_write: { tool: "TodoWrite" },
  plan_save: { tool: "PlanSave" },
  plan_finalize: { tool: "PlanFinalize" },
  activate_skill: { tool: "ActivateSkill" },
};

/**
 * Returns Agentao's tools with the tools of an embedding program. `extra` maps the program's tool name to the name that
 * hooks see.
 */
export function agentaoToolsWith(extra: Readonly<Record<string, string>>): ToolAliases {
  const own = Object.entries(extra).map(([name, tool]) => [name, { ...TABLE[name], tool }] as const);
  const others = Object.entries(TABLE).filter(([name]) => !Object.hasOwn(extra, name));
  return new ToolAliases(Object.fromEntries([...own, ...others]));
}

export const agentaoTools = agentaoToolsWith({});
