/** What a tool's input is about, and which fields contain this subject. */
export interface ToolKind {
  readonly kind: "shell" | "opaque-shell" | "file" | "search" | "url" | "agent" | "text";
  readonly fields: readonly string[];
}

const PATHS = ["file_path", "path", "notebook_path", "filePath", "absolute_path", "target_file"] as const;

const SHELL: ToolKind = { kind: "shell", fields: ["command", "cmd", "script"] };
const FILE: ToolKind = { kind: "file", fields: PATHS };
/** Search tools, which read everything below their path. */
const SEARCH: ToolKind = { kind: "search", fields: ["path", "dir_path", "directory"] };
const URL: ToolKind = { kind: "url", fields: ["url", "uri"] };
const AGENT: ToolKind = { kind: "agent", fields: ["subagent_type", "agent_type", "agent", "agent_name"] };

/** Tool names of many agents. A condition's own name tells which tool the condition means. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ...named(SHELL, "Bash Monitor Shell shell bash run_shell_command run_command execute_command run_terminal_cmd exec"),
  // The shell reader cannot parse PowerShell.
  ...named({ kind: "opaque-shell", fields: ["command"] }, "PowerShell powershell"),
  ...named(FILE, "Read Write Edit MultiEdit NotebookEdit NotebookRead ReadFile WriteFile EditFile ApplyPatch"),
  ...named(FILE, "read_file write_file edit_file create_file delete_file replace append_file"),
  ...named(SEARCH, "Glob Grep LS glob grep list_directory search_files"),
  ...named(URL, "WebFetch web_fetch fetch fetch_url"),
  ...named(AGENT, "Agent Task"),
  ...named({ kind: "text", fields: ["skill", "command", "name"] }, "Skill"),
  ...named({ kind: "text", fields: ["query"] }, "WebSearch"),
]);

function named(kind: ToolKind, names: string): [string, ToolKind][] {
  return names.split(" ").map((name) => [name, kind]);
}

/** Returns the kind of a tool. If the tool has several names, the first known name counts. */
export function kindOfTool(...names: readonly string[]): ToolKind {
  const known = names.find((name) => KINDS.has(name));
  return (known === undefined ? undefined : KINDS.get(known)) ?? { kind: "text", fields: [] };
}

/** Tools that are covered by rules for another tool. */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["Bash", "Monitor"]],
  ["Edit", ["Edit", "Write", "MultiEdit", "NotebookEdit"]],
  ["Read", ["Read", "NotebookRead", "Grep", "Glob", "LS"]],
  ["Agent", ["Agent", "Task"]],
  ["Task", ["Agent", "Task"]],
]);

export function descendantsOf(name: string): readonly string[] {
  return FAMILIES.get(name) ?? [name];
}
