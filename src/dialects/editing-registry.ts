import type { HookEditing, NoEditing } from "./editing.ts";

/** The editor of each dialect's files. Editors are loaded on use, because answering an agent needs none. */
const EDITING: Readonly<Record<string, () => Promise<HookEditing | NoEditing>>> = {
  hookbox: async () => (await import("./hookbox/editing.ts")).hookboxEditing,
  "claude-code": async () => (await import("./claude-code/editing.ts")).claudeCodeEditing,
  "docker-agent": async () => (await import("./docker-agent/editing.ts")).dockerAgentEditing,
  agentao: async () => (await import("./agentao/editing.ts")).agentaoEditing,
  autohand: async () => (await import("./autohand/editing.ts")).autohandEditing,
  openclaw: async () => (await import("./openclaw/editing.ts")).openclawEditing,
  patterns: async () => (await import("./patterns/editing.ts")).patternsEditing,
};

export async function editingOf(dialect: string): Promise<HookEditing | NoEditing | undefined> {
  return Object.hasOwn(EDITING, dialect) ? EDITING[dialect]?.() : undefined;
}
