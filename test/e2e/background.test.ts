import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bornAt } from "../../src/processes/process-table.ts";
import { isRunning, readPids } from "../executors/command/command-rule.ts";
import { ABSENT } from "../helpers/folders.ts";
import { bashCall, hookbox, MAIN, type Project, project, replyOf, verdictOf } from "./cli.ts";

const SOON = { timeout: 15_000, interval: 20 };

const GUARD = { type: "wasm", module: "builtin:shell-guard" };
const asynchronous = (command: string, timeoutMs = 20_000) => ({ type: "command", command, timeoutMs, async: true });

/** Waits for the process ids that a hook has written. None of these processes outlives the test. */
async function pidsIn(file: string, count: number): Promise<readonly number[]> {
  await expect.poll(() => readPids(file).length, SOON).toBe(count);
  const pids = readPids(file);
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
  });
  return pids;
}

/** Returns a folder for temporary files that no other test uses. */
function ownTemporary(own: Project): string {
  const folder = join(own.folder, "tmp");
  mkdirSync(folder);
  return folder;
}

describe("an async hook", () => {
  test("ends its work after hookbox has answered, and reads the whole of a long event", async () => {
    const own = project();
    const temporary = ownTemporary(own);
    const config = own.configure("PreToolUse", GUARD, asynchronous("cat >event; sleep 0.3; mv event event.json"));
    const stdin = bashCall(`rm -rf / # ${"x".repeat(10_000_000)}`);
    const result = await hookbox(["run", "--config", config], { stdin, env: { TMPDIR: temporary } });
    expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    expect(replyOf(result).permissionDecision).toMatch(/deny|ask/);
    expect(existsSync(join(own.folder, "event.json"))).toBe(false);
    expect(readdirSync(temporary)).toEqual([]);
    await expect.poll(() => existsSync(join(own.folder, "event.json")), SOON).toBe(true);
    expect(JSON.parse(readFileSync(join(own.folder, "event.json"), "utf8"))).toEqual(JSON.parse(stdin));
  });

  test("is ended at its deadline, and no keeper is left", async () => {
    const own = project();
    const config = own.configure(
      "PreToolUse",
      asynchronous("trap '' TERM; printf '%s\\n' $$ $PPID >pids; sleep 600", 700),
    );
    expect(await hookbox(["run", "--config", config], { stdin: bashCall("ls") })).toMatchObject({ exitCode: 0 });
    const pids = await pidsIn(join(own.folder, "pids"), 2);
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });

  test("survives an agent that ends its own process group", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("echo $$ >pids; sleep 0.4; : >done"));
    const run = spawn(process.execPath, [MAIN, "run", "--config", config], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    run.stdin.end(bashCall("ls"));
    await pidsIn(join(own.folder, "pids"), 1);
    // The leader may have ended: the signal goes to every process in its group.
    try {
      process.kill(-(run.pid as number), "SIGKILL");
    } catch (error) {
      expect(error).toMatchObject({ code: "ESRCH" });
    }
    await expect.poll(() => existsSync(join(own.folder, "done")), SOON).toBe(true);
  });

  test("is ended when its keeper is ended", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("printf '%s\\n' $$ $PPID >pids; sleep 600"));
    await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    const pids = await pidsIn(join(own.folder, "pids"), 2);
    process.kill(pids[1] as number, "SIGTERM");
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });

  test("has no effect on the verdict, however it ends", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("echo no >&2; exit 2"));
    const result = await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls") });
    expect(verdictOf(result)).toMatchObject({ decision: "none", rules: [] });
  });

  test("is not started if its event cannot be stored, which is reported; the answer does not change", async () => {
    const config = project().configure("PreToolUse", GUARD, asynchronous("true"));
    const env = { TMPDIR: ABSENT };
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /"), env });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"deny"') });
    expect(result.stderr).toMatch(/the async hooks of PreToolUse were not started: ENOENT/);
  });

  test("is one of at most 64 for an event; hooks over the limit are reported", async () => {
    const own = project();
    const config = own.configure(
      "PreToolUse",
      ...Array.from({ length: 66 }, (_, at) => asynchronous(`echo x >>started # ${at}`)),
    );
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/2 async hooks .* may start 64/) });
    const started = () => readFileSync(join(own.folder, "started"), { encoding: "utf8", flag: "a+" });
    await expect.poll(() => started().length, SOON).toBe(2 * 64);
  });

  test("outlives the command line that is not bundled, too", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("sleep 0.1; : >done"));
    const main = resolve(import.meta.dirname, "../../dist/cli/main.js");
    expect(await hookbox(["run", "--config", config], { stdin: bashCall("ls"), main })).toMatchObject({ exitCode: 0 });
    await expect.poll(() => existsSync(join(own.folder, "done")), SOON).toBe(true);
  });
});

describe("a hook that detaches itself", () => {
  const detaching = (rest: string, answer = '{"async": true}') => ({
    type: "command",
    command: `printf '%s\\n' $$ >pids; echo '${answer}'; ${rest}`,
  });

  test("goes on after hookbox has answered, and may still print", async () => {
    const own = project();
    const config = own.configure("PreToolUse", detaching("sleep 0.5; head -c 300000 /dev/zero; echo x >&2; : >done"));
    const result = await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls") });
    expect(verdictOf(result).rules).toMatchObject([{ status: "abstained", failure: null }]);
    expect(existsSync(join(own.folder, "done"))).toBe(false);
    const pids = await pidsIn(join(own.folder, "pids"), 1);
    await expect.poll(() => existsSync(join(own.folder, "done")), SOON).toBe(true);
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });

  test("is ended when the time that it asked for is over", async () => {
    const own = project();
    const config = own.configure("PreToolUse", detaching("sleep 600", '{"async": true, "asyncTimeout": 0.3}'));
    await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    const pids = await pidsIn(join(own.folder, "pids"), 1);
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });
});

describe("keepers of hooks", () => {
  const full = (own: Project): { env: { XDG_STATE_HOME: string }; slots: string } => {
    const state = join(own.folder, "state");
    const slots = join(state, "hookbox", "keepers");
    mkdirSync(slots, { recursive: true, mode: 0o700 });
    // Records of keepers that name this process, because only a live process counts.
    const born = bornAt(process.pid) ?? "";
    for (let at = 0; at < 64; at += 1) writeFileSync(join(slots, slotName(process.pid, born, at)), "");
    return { env: { XDG_STATE_HOME: state }, slots };
  };
  const slotName = (pid: number, born: string, at: number): string =>
    `${pid}.${born}.${at.toString(16).padStart(16, "0")}`;

  test("are at most 64 for a user; a further hook is not run, which is reported, and the answer does not change", async () => {
    const own = project();
    const config = own.configure("PreToolUse", GUARD, asynchronous(": >started"));
    const { env, slots } = full(own);
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /"), env });
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"deny"') });
    expect(result.stderr).toMatch(/async hooks of PreToolUse were not started: 64 processes .* and the limit is 64/);
    expect(readdirSync(slots)).toHaveLength(64);
    rmSync(join(slots, readdirSync(slots)[0] as string));
    expect(await hookbox(["run", "--config", config], { stdin: bashCall("ls"), env })).toMatchObject({ stderr: "" });
    await expect.poll(() => existsSync(join(own.folder, "started")), SOON).toBe(true);
    await expect.poll(() => readdirSync(slots).length, SOON).toBe(63);
  });

  test("no longer count when they are dead, even if another process has their process id", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("true"));
    const { env, slots } = full(own);
    for (const [at, name] of readdirSync(slots).entries()) {
      const dead = at % 2 === 0 ? slotName(process.pid, "1", at) : slotName(4_194_305, "1", at);
      renameSync(join(slots, name), join(slots, dead));
    }
    expect(await hookbox(["run", "--config", config], { stdin: bashCall("ls"), env })).toMatchObject({ stderr: "" });
    await expect.poll(() => readdirSync(slots), SOON).toEqual([]);
  });

  test("over the limit: a hook that detaches itself is ended", async () => {
    const own = project();
    const config = own.configure("PreToolUse", {
      type: "command",
      command: "printf '%s\\n' $$ >pids; echo '{\"async\": true}'; sleep 600",
    });
    const { env } = full(own);
    const result = await hookbox(["run", "--json", "--config", config], { stdin: bashCall("ls"), env });
    const failure = { kind: "unavailable", limit: 64, value: 65 };
    expect(verdictOf(result).rules).toMatchObject([{ status: "failed", failure }]);
    const pids = await pidsIn(join(own.folder, "pids"), 1);
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });

  test("are counted in the folder for temporary files if the home cannot be written to", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous("sleep 0.3; : >done"));
    const temporary = ownTemporary(own);
    const env = { XDG_STATE_HOME: "/proc/nowhere", TMPDIR: temporary };
    expect(await hookbox(["run", "--config", config], { stdin: bashCall("ls"), env })).toMatchObject({ stderr: "" });
    const [folder = ""] = readdirSync(temporary);
    expect(folder).toMatch(/^hookbox-keepers-/);
    expect(readdirSync(join(temporary, folder))).toHaveLength(1);
    await expect.poll(() => existsSync(join(own.folder, "done")), SOON).toBe(true);
    await expect.poll(() => readdirSync(join(temporary, folder)), SOON).toEqual([]);
  });

  test("are not started if other users could write to the folder that counts them", async () => {
    const own = project();
    const config = own.configure("PreToolUse", asynchronous(": >started"));
    const temporary = ownTemporary(own);
    const folder = join(temporary, `hookbox-keepers-${process.getuid?.()}`);
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    const env = { XDG_STATE_HOME: "/proc/nowhere", TMPDIR: temporary };
    const result = await hookbox(["run", "--config", config], { stdin: bashCall("ls"), env });
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/were not started: .*be counted/) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the keeper of a hook", () => {
  test.runIf(process.platform === "linux")("ends what the hook has started in another session", async () => {
    const own = project();
    const command = `setsid sh -c 'echo $$ >>pids; exec sleep 600' & until [ -s pids ]; do sleep 0.01; done
      echo '{"async": true, "asyncTimeout": 0.5}'; sleep 600`;
    const config = own.configure("PreToolUse", { type: "command", command });
    await hookbox(["run", "--config", config], { stdin: bashCall("ls") });
    const pids = await pidsIn(join(own.folder, "pids"), 1);
    await expect.poll(() => pids.filter(isRunning), SOON).toEqual([]);
  });

  const bystander = () => {
    const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  };
  const job = (pid: number, more: object = {}) =>
    JSON.stringify({ kind: "detached", pid, born: "1", limitMs: 100, keepsBackground: false, ...more });

  test("does not signal another process that now has the hook's process id", async () => {
    const child = bystander();
    expect(await hookbox(["keep"], { stdin: job(child.pid as number) })).toMatchObject({ exitCode: 0 });
    expect(isRunning(child.pid as number)).toBe(true);
  });

  // No process has these numbers, so a wrong signal reaches none.
  test.each([{ pid: 4_194_304.5 }, { pid: "4194305" }, { pid: null }, { limitMs: null }])(
    "rejects the job %j",
    async (more) => {
      const result = await hookbox(["keep"], { stdin: job(4_194_305, more) });
      expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("HOOK_CLI_USAGE") });
    },
  );
});

test("the keeper's command is not shown in help", async () => {
  expect((await hookbox(["--help"])).stdout).not.toMatch(/^ {2}keep/m);
  expect(await hookbox(["keep"], { stdin: "{}" })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("HOOK_CLI_USAGE"),
  });
});
