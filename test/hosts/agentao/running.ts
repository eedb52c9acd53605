import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AgentaoHost, type AgentaoHostOptions, createAgentaoHost } from "../../../src/hosts/agentao/index.ts";
import type { JsonObject } from "../../../src/json.ts";
import { folderWith } from "../../config/config-files.ts";

interface Running {
  readonly host: AgentaoHost;
  readonly folder: string;
  readonly session: { readonly sessionId: string; readonly cwd: string };
}

/** Returns a host with these hooks, in the agent's format, until the test ends. */
export async function hostWith(
  hooks: JsonObject | string,
  { faithful = false, ...options }: AgentaoHostOptions & { readonly faithful?: boolean } = {},
): Promise<Running> {
  const text = typeof hooks === "string" ? hooks : JSON.stringify(hooks);
  const folder = folderWith({ "hooks.json": text });
  const configFiles = [{ file: "hooks.json", dialect: "agentao" }];
  if (faithful) {
    writeFileSync(join(folder, "compat.json"), '{ "compat": "faithful" }');
    configFiles.push({ file: "compat.json", dialect: "hookbox" });
  }
  const host = await createAgentaoHost({ configFiles, cwd: folder, cacheDir: false, ...options });
  onTestFinished(() => host.close());
  return { host, folder, session: { sessionId: "s-1", cwd: folder } };
}

/** Returns a command hook that prints this. */
export function prints(output: JsonObject | string, more: JsonObject = {}): JsonObject {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return { type: "command", command: `printf '%s' '${text.replaceAll("'", "'\\''")}'`, ...more };
}

export const runs = (command: string, more: JsonObject = {}): JsonObject => ({ type: "command", command, ...more });
