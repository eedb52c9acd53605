import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { bash } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import type { Block } from "./messages-api.ts";
import { claudeSession, type Place } from "./session.ts";

/** The real client after `hookbox init claude-code --yes` in an empty home: the relay and the server answer. */

const run = promisify(execFile);

/** Does what a user does: one command. Returns the path of the server's socket. */
async function init({ home, hookbox, project }: Place): Promise<string> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  await run(hookbox, ["init", "claude-code", "--yes"], { env, cwd: project });
  const settings = readFileSync(join(home, ".claude", "settings.json"), "utf8");
  const socket = /"--socket",\s*"([^"]+)"/.exec(settings)?.[1] ?? "";
  onTestFinished(
    async () => void (await run(hookbox, ["serve", "--stop", "--socket", socket], { env }).catch(() => {})),
  );
  return socket;
}

const tool = (name: string, input: Record<string, unknown>, id = "toolu_1"): Block => ({
  type: "tool_use",
  id,
  name,
  input,
});

describe.each(["2.1.197", "latest"])("Claude Code %s", (version) => {
  let client: Client;
  beforeAll(async () => {
    client = await installClaudeCode(version);
  });

  test("a dangerous command is refused with the guard's reason, and a harmless one runs", async () => {
    const turns = [bash("touch ran; git push --force nowhere main"), bash("echo fine > harmless", "toolu_2")];
    const session = await claudeSession(client, { turns, prepare: async (place) => void (await init(place)) });
    expect(session.toolResults).toMatchObject([
      { id: "toolu_1", isError: true, text: expect.stringMatching(/shell-guard: git push --force/) },
      { id: "toolu_2", isError: false },
    ]);
    expect([session.has("ran"), session.has("harmless")]).toEqual([false, true]);
  });

  test("a file with a secret is not written", async () => {
    const key = `AKIA${"QWERTYUIOPASDFGH"}`;
    const content = `aws_access_key_id = ${key}\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY\n`;
    const turns = [tool("Write", { file_path: "secrets.ini", content })];
    const session = await claudeSession(client, { turns, prepare: async (place) => void (await init(place)) });
    expect(session.has("secrets.ini")).toBe(false);
    expect(session.toolResults).toMatchObject([{ isError: true, text: expect.stringMatching(/secret-guard/) }]);
  });

  test.each(["SIGKILL", "SIGSTOP"] as const)(
    "no dangerous call runs after the server got %s in the session",
    async (signal) => {
      let place: Place | undefined;
      let socket = "";
      const turns = [
        bash("echo first > first"),
        // The call itself is harmless for the guard, and stops or kills the server.
        bash(`kill -${signal.slice(3)} $(cat server.pid)`, "toolu_2"),
        bash("touch ran; git push --force nowhere main", "toolu_3"),
      ];
      const session = await claudeSession(client, {
        turns,
        prepare: async (at) => {
          place = at;
          socket = await init(at);
          // A relay waits for a stopped server until its deadline, so a session with the usual patience takes minutes.
          const settings = join(at.home, ".claude", "settings.json");
          writeFileSync(settings, readFileSync(settings, "utf8").replace(/("--patience",\s*)"60"/g, '$1"5"'));
          const env = { PATH: process.env["PATH"] ?? "", HOME: at.home };
          // Starts the server as the first call would.
          await run("/bin/sh", ["-c", `'${at.hookbox}' hooks fire PreToolUse --tool Bash --input '{"command":"ls"}'`], {
            env,
            cwd: at.project,
          });
          const { stdout } = await run(at.hookbox, ["serve", "--status", "--socket", socket], { env });
          const { pid } = JSON.parse(stdout) as { readonly pid: number };
          await run("/bin/sh", ["-c", `echo ${pid} > server.pid`], { cwd: at.project });
          onTestFinished(() => {
            try {
              process.kill(pid, "SIGKILL");
            } catch {
              // The server has ended.
            }
          });
        },
      });
      expect(place).toBeDefined();
      expect(session.has("first")).toBe(true);
      expect(session.has("ran")).toBe(false);
      const last = session.toolResults.find(({ id }) => id === "toolu_3");
      // With a stopped server the client ends the session itself at PostToolUse, before the last call.
      if (signal === "SIGKILL" || last !== undefined)
        expect(last).toMatchObject({ isError: true, text: expect.stringMatching(/git push --force|could not judge/) });
    },
  );
});
