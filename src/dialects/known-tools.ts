import type { Codec } from "../codec.ts";
import { SPEAKERS } from "./registry.ts";
import { nearest } from "./suggest.ts";
import { TOOLS_ELSEWHERE } from "./tools-elsewhere.ts";

/** Claude Code's tools. Their names are the canonical ones. */
const CANONICAL: readonly string[] = [
  ...["Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit"],
  ...["EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillShell", "LS", "LSP"],
  ...["ListMcpResourcesTool", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read"],
  ...["ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task", "TaskCreate"],
  ...["TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead"],
  ...["TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
];

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
  for (const { toolSpellings } of Object.values(SPEAKERS)) {
    const [canonical] = toolSpellings?.(name) ?? [];
    if (canonical !== undefined && CANONICAL.includes(canonical)) return canonical;
  }
  for (const names of Object.values(TOOLS_ELSEWHERE)) if (Object.hasOwn(names, name)) return names[name]?.[0];
  return undefined;
}

/** The name by which the agent itself knows the tool, in a file that the agent reads as well. */
function ownNameOf(canonical: string, { toolSpellings }: Codec): string {
  return toolSpellings?.(canonical)[1] ?? canonical;
}
