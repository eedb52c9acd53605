import type { ClientName } from "./clients.ts";

/** An agent's tool names, each with the canonical tools that do the same work, the nearest first. */
type ToolNames = Readonly<Record<string, readonly string[]>>;

/** Tool names of agents without a dialect. `others`: agents and older versions that no payload identifies. */
export const OTHER_AGENTS_TOOLS: Readonly<Partial<Record<ClientName | "others", ToolNames>>> = {
  codex: { apply_patch: ["Write", "Edit"], spawn_agent: ["Agent"], view_image: ["Read"] },
  kimi: { FetchURL: ["WebFetch"] },
  qwen: {
    run_shell_command: ["Bash"],
    write_file: ["Write"],
    edit: ["Edit"],
    read_file: ["Read"],
    notebook_edit: ["NotebookEdit"],
    web_fetch: ["WebFetch"],
    web_search: ["WebSearch"],
    grep_search: ["Grep"],
    glob: ["Glob"],
    list_directory: ["LS"],
    todo_write: ["TodoWrite"],
    agent: ["Agent"],
    skill: ["Skill"],
  },
  others: {
    ...named("Bash", "Shell terminal exec exec_command execute_command run_in_terminal run_terminal_cmd local_shell"),
    ...named("Write", "create create_file"),
    ...named("Edit", "str_replace str_replace_editor"),
    ...named("Read", "view"),
    ...named("WebFetch", "fetch_url"),
    ...named("Agent", "invoke_agent"),
  },
};

function named(tool: string, names: string): ToolNames {
  return Object.fromEntries(names.split(" ").map((name) => [name, [tool]]));
}
