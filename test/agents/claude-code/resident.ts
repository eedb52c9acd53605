import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { MAIN } from "../../e2e/cli.ts";
import type { Block } from "./messages-api.ts";
import type { Place } from "./session.ts";

/** `hookbox init claude-code --yes` in an empty home, and the server that the first call of a relay starts. */

const run = promisify(execFile);

export interface Resident extends Place {
  readonly socket: string;
  /** Runs the program `hookbox`, and returns its output. */
  readonly say: (...args: readonly string[]) => Promise<string>;
}

/** Does what a user does: one command. The server is stopped after the test. */
export async function init(place: Place, ...options: readonly string[]): Promise<Resident> {
  const { home, hookbox, project } = place;
  // The account's real home, because the server that a relay starts does not get the variables of the tests.
  writeFileSync(hookbox, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(hookbox, 0o755);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const say = async (...args: readonly string[]): Promise<string> =>
    (await run(hookbox, args, { env, cwd: project })).stdout;
  await say("init", "claude-code", "--yes", ...options);
  const settings = readFileSync(join(home, ".claude", "settings.json"), "utf8");
  const socket = /"--socket",\s*"([^"]+)"/.exec(settings)?.[1] ?? "";
  onTestFinished(async () => void (await say("serve", "--stop", "--socket", socket).catch(() => {})));
  return { ...place, socket, say };
}

/** Starts the server as the first call would, and returns its process. */
export async function startServer({ say, socket }: Resident): Promise<number> {
  await say("hooks", "fire", "PreToolUse", "--tool", "Bash", "--input", '{"command":"ls"}');
  const { pid } = JSON.parse(await say("serve", "--status", "--socket", socket)) as { readonly pid: number };
  onTestFinished(() => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // The server has ended.
    }
  });
  return pid;
}

/** Adds rules to the user's own file, which `hookbox init` has written. */
export function addRules({ home }: Place, rules: Readonly<Record<string, readonly object[]>>): void {
  const file = join(home, ".config/hookbox/hookbox.json");
  const { hooks } = JSON.parse(readFileSync(file, "utf8")) as { hooks: Record<string, object[]> };
  for (const [event, groups] of Object.entries(rules)) hooks[event] = [...(hooks[event] ?? []), ...groups];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ hooks }));
}

export const tool = (name: string, input: Record<string, unknown>, id = "toolu_1"): Block => ({
  type: "tool_use",
  id,
  name,
  input,
});
