import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const MAIN = resolve(import.meta.dirname, "../../dist/bundle/cli/hookbox.cjs");

test("a hook that runs once does so in a session's processes at the same moment and after, and in each session", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-e2e-once-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const hook = { type: "command", command: `echo ran >>'${log}'`, once: true };
  writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));

  const run = async (session: string): Promise<number | null> => {
    const child = spawn(process.execPath, [MAIN, "run", "--config", "hookbox.json"], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, XDG_STATE_HOME: join(folder, "state") },
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin?.end(JSON.stringify({ hook_event_name: "PreToolUse", session_id: session, tool_name: "Bash" }));
    const [exitCode] = (await once(child, "exit")) as [number | null];
    return exitCode;
  };
  expect(await Promise.all([run("a"), run("a"), run("a")])).toEqual([0, 0, 0]);
  await run("a");
  expect(readFileSync(log, "utf8")).toBe("ran\n");
  await run("b");
  expect(readFileSync(log, "utf8")).toBe("ran\nran\n");
});
