import type { Codec } from "../codec.ts";
import { SPEAKERS } from "./registry.ts";
import { nearest } from "./suggest.ts";

/** Claude Code's tools. Their names are the canonical ones. */
const CANONICAL: readonly string[] = [
  ...["Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit"],
  ...["EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillShell", "LS", "LSP"],
  ...["ListMcpResourcesTool", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read"],
  ...["ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task", "TaskCreate"],
  ...["TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead"],
  ...["TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
];

/** Names of tools in agents that have no dialect of their own here, or of older versions -> the canonical tool. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...named("Bash", "Shell terminal exec exec_command execute_command run_in_terminal run_terminal_cmd"),
  ...named("Bash", "run_shell_command local_shell"),
  ...named("Write", "create create_file"),
  ...named("Edit", "str_replace str_replace_editor"),
  ...named("Read", "view"),
  ...named("Grep", "grep_search"),
  ...named("WebFetch", "FetchURL fetch_url"),
  ...named("Agent", "spawn_agent invoke_agent"),
};

function named(tool: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(" ").map((name) => [name, tool]));
}

/** The tool that a name was probably meant for. */
export interface MeantTool {
  readonly name: string;
  /** Whether the name is another agent's for this tool, and not a misspelling. */
  readonly isElsewhere: boolean;
}

/** Whether a tool of this name is known in files of a dialect: by the agent's name or the canonical one. */
export function isKnownTool(name: string, codec: Codec): boolean {
  return CANONICAL.includes(name) || (codec.toolSpellings?.(name).length ?? 0) > 0;
}

/** All names that tools are known by in files of a dialect. */
export function knownTools({ toolSpellings }: Codec): readonly string[] {
  return [...new Set(CANONICAL.flatMap((tool) => [tool, ...(toolSpellings?.(tool) ?? [])]))];
}

/**
 * The known tool that an unknown name is close to: another agent's name for it, another case, or a letter or two.
 * `undefined` for a known name, and for one that is close to none, which may be a tool of the user's own.
 */
export function toolMeantBy(name: string, codec: Codec): MeantTool | undefined {
  // Names of MCP servers and their tools are the server's choice.
  if (isKnownTool(name, codec) || /^mcp|__|[/:.]/i.test(name)) return undefined;
  const canonical = canonicalOf(name);
  if (canonical !== undefined) return { name: ownNameOf(canonical, codec), isElsewhere: true };
  const near = nearest(name, knownTools(codec));
  return near === undefined ? undefined : { name: near, isElsewhere: false };
}

function canonicalOf(name: string): string | undefined {
  if (Object.hasOwn(ELSEWHERE, name)) return ELSEWHERE[name];
  for (const { toolSpellings } of Object.values(SPEAKERS)) {
    const [canonical] = toolSpellings?.(name) ?? [];
    if (canonical !== undefined && CANONICAL.includes(canonical)) return canonical;
  }
  return undefined;
}

/** The name by which the agent itself knows the tool, in a file that the agent reads as well. */
function ownNameOf(canonical: string, { toolSpellings }: Codec): string {
  return toolSpellings?.(canonical)[1] ?? canonical;
}
