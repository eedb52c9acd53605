import type { ConfigWriter } from "./writing.ts";

/** The writer of each dialect's files. Writers are loaded on use, because they import readers and their schemas. */
const WRITERS: Readonly<Record<string, () => Promise<ConfigWriter>>> = {
  hookbox: async () => (await import("./hookbox/write-config.ts")).hookboxWriter,
  "claude-code": async () => (await import("./claude-code/write-config.ts")).claudeCodeWriter,
  "docker-agent": async () => (await import("./docker-agent/write-config.ts")).dockerAgentWriter,
  agentao: async () => (await import("./agentao/write-config.ts")).agentaoWriter,
  autohand: async () => (await import("./autohand/write-config.ts")).autohandWriter,
  patterns: async () => (await import("./patterns/write-config.ts")).patternsWriter,
};

export async function writerOf(dialect: string): Promise<ConfigWriter | undefined> {
  return Object.hasOwn(WRITERS, dialect) ? await WRITERS[dialect]?.() : undefined;
}
