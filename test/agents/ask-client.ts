import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ClientRun } from "../dialects/reply-table.ts";
import { bash, hookAt } from "./claude-code/calls.ts";
import { type Client, installClaudeCode } from "./claude-code/install.ts";
import { claudeSession } from "./claude-code/session.ts";
import { OTHER_CLIENTS } from "./other-clients.ts";
import { installOther, otherSession, type Ready } from "./other-session.ts";

/** One shell call of any client's model, `touch ran`, with one command as the hook before it. */

export type ReadyClient = { readonly claude: Client } | { readonly other: Ready } | { readonly missing: string };

export interface Asked {
  /** Whether the hook was started: without that, a session proves nothing. */
  readonly asked: boolean;
  /** Everything that the model was sent. */
  readonly sent: string;
  has(file: string): boolean;
}

/** Claude Code must be installable. Another client that cannot be installed is `missing`, with the reason. */
export async function clientNamed(name: ClientRun): Promise<ReadyClient> {
  const [family, version] = name.split(" ");
  if (family === "claude") return { claude: await installClaudeCode(version) };
  const client = OTHER_CLIENTS.find((one) => one.name === name);
  if (client === undefined) throw new Error(`no client ${name}`);
  try {
    return { other: await installOther(client) };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

export async function ask(
  client: Exclude<ReadyClient, { readonly missing: string }>,
  hook: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<Asked> {
  if ("other" in client) return otherSession(client.other, hook, files);
  const settings = hookAt("PreToolUse", `: >asked; ${hook}`);
  const session = await claudeSession(client.claude, { turns: [bash("touch ran")], settings, files });
  return { asked: existsSync(join(session.project, "asked")), sent: session.sent, has: session.has };
}
