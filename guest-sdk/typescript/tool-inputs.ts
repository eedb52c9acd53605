/**
 * Inputs of the agent's own tools, as the agent documents them. The host does not check them, so a guard should check
 * each field that it uses (`typeof event.tool_input.command !== "string"`).
 *
 * A guard can add a missing tool: `declare module "hookbox/guest" { interface ToolInputs { Deploy: { target: string } }
 * }`
 */
export interface ToolInputs {
  Bash: BashInput;
  BashOutput: { bash_id: string; filter?: string };
  KillShell: { shell_id: string };
  Read: { file_path: string; offset?: number; limit?: number; pages?: string };
  Write: { file_path: string; content: string };
  Edit: { file_path: string; old_string: string; new_string: string; replace_all?: boolean };
  NotebookEdit: NotebookEditInput;
  Glob: { pattern: string; path?: string };
  Grep: GrepInput;
  WebFetch: { url: string; prompt: string };
  WebSearch: { query: string; allowed_domains?: string[]; blocked_domains?: string[] };
  Task: AgentInput;
  Agent: AgentInput;
  TodoWrite: { todos: { content: string; status: "pending" | "in_progress" | "completed"; activeForm: string }[] };
  ExitPlanMode: Record<string, unknown>;
  AskUserQuestion: AskUserQuestionInput;
  Skill: { skill: string; args?: string };
}

export interface BashInput {
  command: string;
  /** The timeout in milliseconds. */
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
  /** The folder of the command, relative to the event's `cwd`. Only from agents whose tool has this field. */
  cwd?: string;
}

export interface NotebookEditInput {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: "code" | "markdown";
  edit_mode?: "replace" | "insert" | "delete";
}

export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  output_mode?: "content" | "files_with_matches" | "count";
  "-i"?: boolean;
  "-n"?: boolean;
  "-A"?: number;
  "-B"?: number;
  "-C"?: number;
  multiline?: boolean;
  head_limit?: number;
}

export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: string;
  run_in_background?: boolean;
}

export interface AskUserQuestionInput {
  questions: {
    question: string;
    header: string;
    options: { label: string; description: string }[];
    multiSelect: boolean;
  }[];
  answers?: Record<string, string>;
}

/** Names like `mcp__server__tool`, and other agents' tools such as `run_shell_command`. */
export type UnderscoredToolName = `${string}_${string}`;

/**
 * Any other name. TypeScript narrows a union by members of an enum, but not by `string`. To compare with such a name,
 * add it to `ToolInputs`, or write `const name: string = event.tool_name`.
 */
export declare enum OtherToolName {
  other = "any other tool",
}

/** A union with one member for each tool, so that comparing `tool_name` narrows `tool_input`. */
export type ToolNameAndInput =
  | { [Name in keyof ToolInputs]: { tool_name: Name; tool_input: ToolInputs[Name] } }[keyof ToolInputs]
  | { tool_name: UnderscoredToolName | OtherToolName; tool_input: Record<string, unknown> };
