import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folderWith } from "../config/config-files.ts";
import { approvedAccount, hookbox, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const MAIN = resolve(import.meta.dirname, "../../dist/bundle/hookbox.cjs");

test("a hook that runs once does so in all processes of a session, at the same time and later, and in each session", async () => {
  const [folder, home] = ["hookbox-e2e-once-", "hookbox-e2e-home-"].map((name) => {
    const made = mkdtempSync(join(tmpdir(), name));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  }) as [string, string];
  const log = join(folder, "log");
  const hook = { type: "command", command: `echo ran >>'${log}'`, once: true };
  writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));

  const args = ["run", "--config", "hookbox.json"];
  const account = await approvedAccount(args, { cwd: folder });
  const run = async (session: string): Promise<number | null> => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: home, XDG_STATE_HOME: join(home, "state"), ...account },
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

test("an async hook that runs once does so in all processes of a session", async () => {
  const own = project();
  const config = own.configure(
    "PreToolUse",
    { type: "command", command: "echo once >>log", async: true, once: true },
    // A second run would write later than the first.
    { type: "command", command: "sleep 0.3; echo each >>log", async: true },
  );
  const lines = (word: string): number =>
    readFileSync(join(own.folder, "log"), { encoding: "utf8", flag: "a+" }).split(word).length - 1;
  const stdin = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "a", tool_name: "Bash", tool_input: {} });
  for (const run of [1, 2]) {
    const env = { XDG_STATE_HOME: join(own.folder, "state") };
    expect(await hookbox(["run", "--config", config], { stdin, env })).toMatchObject({ exitCode: 0 });
    await expect.poll(() => lines("each"), { timeout: 15_000, interval: 20 }).toBe(run);
    await expect.poll(() => lines("once"), { timeout: 15_000, interval: 20 }).toBe(1);
  }
});

test("a hook without a name is the same hook if another hook is added before it", async () => {
  const own = project();
  const hook = { type: "command", command: "echo once >>log", once: "forever" };
  const stdin = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "a", tool_name: "Bash", tool_input: {} });
  const env = { XDG_STATE_HOME: join(own.folder, "state") };
  for (const hooks of [[hook], [{ type: "command", command: "true" }, hook]]) {
    const config = own.configure("PreToolUse", ...hooks);
    expect(await inProcess(["run", "--config", config], { stdin, env, cwd: own.folder })).toMatchObject({
      exitCode: 0,
    });
  }
  expect(readFileSync(join(own.folder, "log"), "utf8")).toBe("once\n");
});

test.each([
  ["PreToolUse", "default", ["block", "block", "block"], 3],
  ["PreToolUse", "faithful", ["block", "none", "none"], 1],
  ["Stop", "default", ["block", "none", "none"], 1],
  ["Stop", "faithful", ["block", "none", "none"], 1],
] as const)("a hook with once that refuses at %s: %s", async (event, compat, expected, runs) => {
  const hook = { type: "command", command: "echo x >>runs; exit 2", once: true };
  const cwd = folderWith({ "hooks.json": JSON.stringify({ hooks_config: { [event]: [{ hooks: [hook] }] } }) });
  const payload = { hook_event_name: event, session_id: "s-1", cwd, tool_name: "Bash", tool_input: { command: "ls" } };
  const args = ["run", "--config", "patterns:hooks.json", "--dialect", "patterns"];
  const seen: string[] = [];
  for (const _ of expected) {
    const { stdout } = await inProcess(compat === "faithful" ? [...args, "--compat", "faithful"] : args, {
      stdin: JSON.stringify(payload),
      cwd,
    });
    seen.push(stdout === "" ? "none" : (JSON.parse(stdout) as { decision: string }).decision);
  }
  expect(seen).toEqual(expected);
  expect(readFileSync(join(cwd, "runs"), "utf8").trim().split("\n")).toHaveLength(runs);
});
