import type { Codec } from "../codec.ts";
import { nearest } from "../suggest.ts";
import { OTHER_AGENTS_TOOLS } from "./other-agents-tools.ts";
import { SPEAKERS } from "./registry.ts";

/** Claude Code's tools, whose names are the canonical names. */
const CANONICAL: readonly string[] = [
  ...["Agent", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete", "CronList", "Edit"],
  ...["EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "KillShell", "LS", "LSP"],
  ...["ListMcpResourcesTool", "Monitor", "MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read"],
  ...["ReadMcpResourceTool", "SendMessage", "Skill", "SlashCommand", "StructuredOutput", "Task", "TaskCreate"],
  ...["TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoRead"],
  ...["TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Write"],
];

/** The tool that the author of an unknown name probably meant. */
export interface MeantTool {
  readonly name: string;
  /** Whether the name is another agent's name for this tool, and not a misspelling. */
  readonly isElsewhere: boolean;
}

/** Whether files of a dialect can name this tool, by the agent's name or the canonical name. */
export function isKnownTool(name: string, codec: Codec): boolean {
  return CANONICAL.includes(name) || (codec.toolSpellings?.(name).length ?? 0) > 0;
}

/** Returns all tool names that files of a dialect can use. */
export function knownTools({ toolSpellings }: Codec): readonly string[] {
  return [...new Set(CANONICAL.flatMap((tool) => [tool, ...(toolSpellings?.(tool) ?? [])]))];
}

/**
 * Returns the known tool that an unknown name probably means: another agent's name, another case, or a difference of
 * one or two letters. Returns `undefined` for a known name. Also returns `undefined` for a name that is close to none,
 * because it may be the user's own tool.
 */
export function toolMeantBy(name: string, codec: Codec): MeantTool | undefined {
  // Servers choose the names of MCP servers and their tools.
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
  for (const names of Object.values(OTHER_AGENTS_TOOLS)) if (Object.hasOwn(names, name)) return names[name]?.[0];
  return undefined;
}

/** Returns the agent's own name for the tool, because the agent reads the file too. */
function ownNameOf(canonical: string, { toolSpellings }: Codec): string {
  return toolSpellings?.(canonical)[1] ?? canonical;
}
