import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../helpers/folders.ts";
import { hookbox, ownFolders } from "./cli.ts";
import { inProcess } from "./in-process.ts";
import { hasTerminals, hookboxOnTerminal } from "./terminal.ts";

/** `hookbox except`, and what check, explain and run say about exceptions. */

const GUARD = { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 };
const RULES = { version: 1, hooks: { PreToolUse: [{ matcher: "Bash", hooks: [GUARD] }] } };
const COMMAND = "mkfs.ext4 /dev/sdb";
const ARGS = ["except", "--guard", "shell-guard", "--command", COMMAND, "--reason", "the new disk"];

/** A user with a configuration of their own, in a project without one. */
function user(own: object = RULES) {
  const home = makeFolder({ "config/hookbox/hookbox.json": JSON.stringify(own, null, 2), project: null, state: null });
  const cwd = join(home, "project");
  const env = { ...ownFolders(), XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const file = join(home, "config/hookbox/hookbox.json");
  const call = (command = COMMAND, more: object = {}): string =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s",
      cwd,
      tool_name: "Bash",
      tool_input: { command },
      ...more,
    });
  const run = (args: readonly string[], more: { readonly stdin?: string; readonly answer?: string } = {}) =>
    inProcess(args, { cwd, env, ...more });
  return { cwd, env, file, call, run, written: () => JSON.parse(readFileSync(file, "utf8")) };
}

const denied = (stdout: string): boolean => stdout.includes('"permissionDecision":"deny"');

describe("hookbox except", () => {
  test("adds the exception that explain has printed, and keeps the rest of the file", async () => {
    const one = user();
    const shown = await one.run(["explain"], { stdin: one.call() });
    const line = `hookbox except --guard shell-guard --tool Bash --command '${COMMAND}' --directory ${one.cwd} --reason '`;
    expect(shown.stdout).toContain(`to let exactly this call pass: ${line}`);
    expect(denied((await one.run(["run"], { stdin: one.call() })).stdout)).toBe(true);
    const { exitCode, stdout } = await one.run([...ARGS, "--tool", "Bash", "--expires", "7d"], { answer: "y" });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Added") });
    const { exceptions, ...others } = one.written();
    expect(others).toEqual(RULES);
    const reason = "the new disk";
    const expires = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(exceptions).toEqual([
      { guard: "shell-guard", tool: "Bash", command: COMMAND, directory: one.cwd, reason, expires },
    ]);
    expect((await one.run(["run"], { stdin: one.call() })).stdout).toBe("");
    expect(denied((await one.run(["run"], { stdin: one.call("mkfs.ext4 /dev/sdc") })).stdout)).toBe(true);
    const explained = await one.run(["explain"], { stdin: one.call() });
    expect(explained.stdout).toMatch(/excepted until \d{4}-\d\d-\d\d: the new disk \(.*hookbox\.json:\d+:\d+\)/);
    expect((await one.run([...ARGS], { answer: "y" })).exitCode).toBe(0);
    expect(one.written().exceptions).toHaveLength(2);
  });

  test("changes nothing if the user does not agree, without a terminal, and for an agent", async () => {
    const one = user();
    expect((await one.run(ARGS, { answer: "" })).exitCode).toBe(1);
    const piped = await hookbox(ARGS, { cwd: one.cwd, env: one.env, stdin: "y\n" });
    expect(piped).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("needs a terminal") });
    const env = { ...one.env, CLAUDECODE: "1" };
    const asAgent = await inProcess(ARGS, { cwd: one.cwd, env, answer: "y" });
    expect(asAgent).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("CLAUDECODE") });
    expect(one.written()).toEqual(RULES);
  });

  test.skipIf(!hasTerminals)("asks on a terminal, and says that a project's file waits for hookbox trust", async () => {
    const cwd = makeFolder({ "hookbox.json": JSON.stringify(RULES) });
    const args = [...ARGS, "--config", "hookbox.json"];
    const { exitCode, shown } = await hookboxOnTerminal(args, { cwd, keys: "y\r" });
    expect(exitCode, shown).toBe(0);
    expect(shown).toContain("It counts after: hookbox trust hookbox.json");
    expect(JSON.parse(readFileSync(join(cwd, "hookbox.json"), "utf8")).exceptions).toHaveLength(1);
  });

  test("creates the user's file if there is none", async () => {
    const one = user();
    const env = { ...one.env, XDG_CONFIG_HOME: join(one.cwd, "..", "fresh") };
    expect((await inProcess(ARGS, { cwd: one.cwd, env, answer: "yes" })).exitCode).toBe(0);
    const text = readFileSync(join(one.cwd, "../fresh/hookbox/hookbox.json"), "utf8");
    expect(JSON.parse(text)).toMatchObject({ version: 1, exceptions: [{ command: COMMAND }] });
  });

  test.each<[what: string, args: readonly string[], message: RegExp]>([
    ["no rule", ["--command", "x", "--reason", "r"], /--guard NAME or --rule NAME/],
    ["two rules", [...ARGS.slice(1), "--rule", "x"], /--guard NAME or --rule NAME/],
    ["no reason", ARGS.slice(1, 5), /--reason is missing/],
    ["no call", ["--rule", "x", "--reason", "r"], /name the calls/],
    ["an input that is no JSON", ["--rule", "x", "--reason", "r", "--tool", "T", "--input", "{"], /not a JSON object/],
    ["an input without a tool", ["--rule", "x", "--reason", "r", "--input", "{}"], /needs --tool/],
    ["no day", [...ARGS.slice(1), "--expires", "soon"], /--expires is "soon"/],
    ["a day that does not exist", [...ARGS.slice(1), "--expires", "2026-02-30"], /--expires/],
    ["a day that is over", [...ARGS.slice(1), "--expires", "2020-01-01"], /--expires/],
    ["a day after many years", [...ARGS.slice(1), "--expires", "2999-01-01"], /--expires/],
    ["an argument", [...ARGS.slice(1), "more"], /takes no argument/],
  ])("refuses %s", async (_what, args, message) => {
    const one = user();
    const { exitCode, stderr } = await one.run(["except", ...args], { answer: "y" });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(one.written()).toEqual(RULES);
  });
});

describe("the line that explain prints", () => {
  const lineOf = async (payload: string): Promise<string | null> => {
    const one = user();
    const { stdout } = await one.run(["explain", "--json"], { stdin: payload });
    return (JSON.parse(stdout) as { readonly rules: readonly [{ readonly except: string | null }] }).rules[0].except;
  };

  test("names a command with other characters than ASCII by its input", async () => {
    const line = await lineOf(user().call("rm -rf ~/\u00fcber\nls"));
    expect(line).toContain(String.raw`--input '{"command":"rm -rf ~/\u00fcber\nls"}'`);
  });

  test("is absent for a call without a directory, and for other events", async () => {
    const one = user();
    expect(await lineOf(one.call(COMMAND, { cwd: undefined }))).toBeNull();
    const { stdout } = await one.run(["explain", "--json", "--event", "Stop"], { stdin: '{"session_id":"s"}' });
    expect(JSON.parse(stdout).rules).toEqual([]);
  });

  test("is never in a reply to the agent", async () => {
    const one = user();
    const { stdout, stderr } = await one.run(["run"], { stdin: one.call() });
    expect(denied(stdout)).toBe(true);
    expect(stdout + stderr).not.toContain("except");
  });
});

describe("hookbox except without options", () => {
  test("lists the last refused calls with the line that lets each pass", async () => {
    const one = user();
    expect((await one.run(["except"])).stdout).toBe("  No refused call is recorded.\n");
    await one.run(["run"], { stdin: one.call() });
    await one.run(["run"], { stdin: one.call("ls") });
    await one.run(["run"], { stdin: one.call("mkfs.ext4 /dev/sdc") });
    await one.run(["run"], { stdin: one.call() });
    const { stdout, exitCode } = await one.run(["except"]);
    expect(exitCode).toBe(0);
    const lines = stdout.split("\n").filter((line) => line.includes("hookbox except"));
    const directory = `--directory ${one.cwd} --reason '`;
    expect(lines).toEqual([
      expect.stringContaining(`--command 'mkfs.ext4 /dev/sdc' ${directory}`),
      expect.stringContaining(`hookbox except --guard shell-guard --tool Bash --command '${COMMAND}' ${directory}`),
    ]);
    expect(stdout).toMatch(/^ {2}\d{4}-\d\d-\d\dT\S+Z {2}shell-guard: |^ {2}\d{4}-/m);
    const file = join(one.cwd, "../state/hookbox/refused.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("keeps at most twenty calls, and no call with a secret", async () => {
    const one = user();
    const token = ["glpat", "Zk3Qx9Lm2Rt7Vb5Nc8Wy"].join("-");
    await one.run(["run"], { stdin: one.call(`mkfs.ext4 /dev/sda # ${token}`) });
    const lines = Array.from({ length: 25 }, (_, at) => `${one.call(`mkfs.ext4 /dev/sd${at}`)}\n`).join("");
    await one.run(["run", "--lines"], { stdin: lines });
    const text = readFileSync(join(one.cwd, "../state/hookbox/refused.json"), "utf8");
    expect(text).not.toContain("glpat");
    expect(JSON.parse(text).calls).toHaveLength(20);
    expect((await one.run(["except"])).stdout).toContain("/dev/sd24");
  });
});

describe("hookbox check", () => {
  const entry = (more: object = {}): object => ({
    guard: "shell-guard",
    command: COMMAND,
    directory: "~/x",
    reason: "r",
    expires: "2999-01-01",
    ...more,
  });
  const warnings = async (one: ReturnType<typeof user>): Promise<readonly string[]> => {
    const { stdout, exitCode } = await one.run(["check", "--json"]);
    expect(exitCode).toBe(0);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { code: string; message: string }[] };
    return problems.filter(({ code }) => code === "HOOK_EXCEPTION_UNNEEDED").map(({ message }) => message);
  };

  test("warns of exceptions that are expired, that were never used, and that loosen no rule", async () => {
    const one = user({
      ...RULES,
      exceptions: [entry({ expires: "2020-01-01" }), entry(), entry({ guard: "path-guard" })],
    });
    expect(await warnings(one)).toEqual([
      'the exception from "shell-guard" has expired on 2020-01-01',
      'the exception from "shell-guard" was never used on this machine',
      'the exception from "path-guard" is for no rule that this file may loosen',
    ]);
  });

  test("does not warn of an exception that was used", async () => {
    const one = user();
    mkdirSync(join(one.cwd, "here"));
    const directory = join(one.cwd, "here");
    writeFileSync(one.file, JSON.stringify({ ...RULES, exceptions: [entry({ directory })] }));
    expect(await warnings(one)).toHaveLength(1);
    const { stdout } = await one.run(["run"], { stdin: one.call(COMMAND, { cwd: directory }) });
    expect(stdout).toBe("");
    expect(await warnings(one)).toEqual([]);
  });
});

describe("a project's file", () => {
  test("loosens its own rules only after an approval, which shows the exceptions", async () => {
    const cwd = makeFolder({});
    const one = { guard: "shell-guard", command: COMMAND, directory: ".", reason: "r", expires: "2999-01-01" };
    writeFileSync(join(cwd, "hookbox.json"), JSON.stringify({ ...RULES, exceptions: [one] }));
    const input = { tool_name: "Bash", tool_input: { command: COMMAND } };
    const stdin = JSON.stringify({ hook_event_name: "PreToolUse", session_id: "s", cwd, ...input });
    expect(denied((await inProcess(["run"], { cwd, stdin, approves: false })).stdout)).toBe(true);
    const shown = (await inProcess(["trust"], { cwd, answer: "n" })).stdout;
    expect(shown).toContain("sets exceptions = ");
    expect(shown).toContain(COMMAND);
    expect((await inProcess(["run"], { cwd, stdin })).stdout).toBe("");
  });
});

test("self-guard denies an agent's call of hookbox except", async () => {
  const one = user({ hooks: { PreToolUse: [{ hooks: [{ ...GUARD, module: "builtin:self-guard" }] }] } });
  const command = `hookbox except --guard shell-guard --command '${COMMAND}' --reason r`;
  const { stdout } = await one.run(["run"], { stdin: one.call(command) });
  expect(denied(stdout)).toBe(true);
});
