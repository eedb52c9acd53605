import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { bashCall } from "./cli.ts";
import { fixtureOf, guardText, projectWith } from "./guard-folder.ts";
import { inProcess } from "./in-process.ts";

/** Options of `hookbox test` and `hookbox build` for authors of guards. */

const ROOT = resolve(import.meta.dirname, "../..");
const LOGS = guardText('context.log.info("looked at", event.tool_name); return deny("no " + event.tool_name);');
const THROWS = guardText('throw new TypeError("no such thing");');
const TESTS = [
  fixtureOf({ name: "Denies rm", command: "rm", decision: "deny" }),
  fixtureOf({ name: "denies ls", command: "ls", decision: "deny" }),
];

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    lib: ["es2023"],
    types: [],
    module: "preserve",
    moduleResolution: "bundler",
    noEmit: true,
  },
  include: ["."],
};

/** A guard's project with TypeScript installed. */
function typedProject(guard: string): string {
  const files = { "g/guard.ts": guard, "g/fixtures.json": [TESTS[0] as object], "g/tsconfig.json": TSCONFIG };
  const cwd = projectWith(files);
  symlinkSync(join(ROOT, "node_modules/typescript"), join(cwd, "node_modules/typescript"));
  return cwd;
}

describe("hookbox test", () => {
  test("--filter runs the tests with the text in their names, ignoring case", async () => {
    const cwd = projectWith({ "guard.ts": LOGS, "fixtures.json": TESTS });
    const { exitCode, stdout } = await inProcess(["test", "--filter", "RM"], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("pass  Denies rm");
    expect(stdout).not.toContain("denies ls");
    const none = await inProcess(["test", "--filter", "cp"], { cwd });
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('no test has "cp" in its name')]);
  });

  test("--filter skips guards without a matching test", async () => {
    const files = { "a/guard.ts": LOGS, "a/fixtures.json": TESTS, "b/guard.ts": LOGS, "b/fixtures.json": [TESTS[1]] };
    const { exitCode, stdout } = await inProcess(["test", "--filter", "rm", "--json"], { cwd: projectWith(files) });
    const { guards } = JSON.parse(stdout) as { guards: { path: string; tests: unknown[] }[] };
    expect(exitCode).toBe(0);
    expect(guards.map(({ tests }) => tests.length)).toEqual([1]);
  });

  test("shows the log of tests that pass only with --verbose", async () => {
    const cwd = projectWith({ "guard.ts": LOGS, "fixtures.json": TESTS });
    expect((await inProcess(["test"], { cwd })).stdout).not.toContain("looked at");
    expect((await inProcess(["test", "--verbose"], { cwd })).stdout).toMatch(/log {7}.*looked at Bash/);
  });

  test("reports an exception of the guard as an error, not as an exit code", async () => {
    const cwd = projectWith({ "guard.ts": THROWS, "fixtures.json": [TESTS[0]] });
    const { stdout, stderr } = await inProcess(["test"], { cwd });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/got {7}an error\n +the guard reported an error: TypeError: no such thing/);
    expect(stdout).not.toContain("exit");

    await inProcess(["build", "--no-test"], { cwd });
    const config = { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: "guard.wasm" }] }] } };
    writeFileSync(join(cwd, "hookbox.json"), JSON.stringify(config));
    const checked = await inProcess(["check"], { cwd });
    expect(checked.stdout).toContain("but the guard failed: the guard reported an error: TypeError: no such thing");
  });

  test.each([
    ["a file", "event.json", ""],
    ["standard input", "-", bashCall("rm -rf /")],
  ])("--payload answers the event in %s with the guard built from its source", async (_, payload, stdin) => {
    const cwd = projectWith({ "guard.ts": LOGS, "fixtures.json": TESTS, "event.json": bashCall("rm -rf /") });
    const { exitCode, stdout } = await inProcess(["test", "--payload", payload], { cwd, stdin });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^ {2}decision {2}deny\n {2}reason {4}no Bash\n {2}log {7}.*looked at Bash\n {2}fuel {6}[\d,]+\n$/,
    );
    const asked = await inProcess(["test", "--payload", payload, "--json"], { cwd, stdin });
    expect(JSON.parse(asked.stdout)).toMatchObject({ ok: true, decision: "deny", reason: "no Bash", failure: null });
    expect(existsSync(join(cwd, "guard.wasm"))).toBe(false);
  });

  test.each<[string, string, string, RegExp, number]>([
    ["a guard that throws", THROWS, bashCall("ls"), /an error\n.*TypeError/, 1],
    ["a guard that cannot be built", "export const", bashCall("ls"), /guard\.ts:1:\d+ {2}error/, 1],
    ["an event without a name", LOGS, "{}", /needs a hook_event_name/, 2],
    ["an event that no agent has", LOGS, '{"hook_event_name":"PreTolUse"}', /there is no event "PreTolUse"/, 1],
    ["no JSON", LOGS, "{", /event\.json is not one JSON object/, 2],
  ])("--payload names what is wrong with %s", async (_, guard, event, message, code) => {
    const cwd = projectWith({ "guard.ts": guard, "event.json": event });
    const { exitCode, stdout, stderr } = await inProcess(["test", "--payload", "event.json"], { cwd });
    expect(stdout + stderr).toMatch(message);
    expect(exitCode).toBe(code);
  });
});

describe("types", () => {
  const WRONG = guardText('const number: number = "text"; return number ? deny("no") : undefined;');

  test.each(["build", "test"])("that are wrong are errors of hookbox %s if TypeScript is installed", async (verb) => {
    const cwd = typedProject(WRONG);
    const { exitCode, stdout } = await inProcess([verb, "g"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(
      /g\/guard\.ts:8:11 {2}error {2}Type 'string' is not assignable to type 'number'\. \(TS2322\)/,
    );
    expect(existsSync(join(cwd, "g/guard.wasm"))).toBe(false);
    expect((await inProcess([verb, "g", "--no-types"], { cwd })).exitCode).toBe(0);
  });

  test("are not checked without the project's TypeScript, or without a tsconfig.json next to the guard", async () => {
    const untyped = projectWith({ "guard.ts": WRONG, "fixtures.json": [TESTS[0]], "tsconfig.json": TSCONFIG });
    expect((await inProcess(["test"], { cwd: untyped })).exitCode).toBe(0);
    const cwd = typedProject(WRONG);
    writeFileSync(join(cwd, "guard.ts"), WRONG);
    writeFileSync(join(cwd, "fixtures.json"), JSON.stringify([TESTS[0]]));
    expect((await inProcess(["test", "guard.ts"], { cwd })).exitCode).toBe(0);
  });

  test("that are right change nothing", async () => {
    const { exitCode, stdout } = await inProcess(["build", "g"], { cwd: typedProject(LOGS) });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Wrote g/guard.wasm.")]);
  });
});

test("a build that fails shows the error, and no facts about a module that was not written", async () => {
  const failing = fixtureOf({ name: "asks", command: "rm", decision: "ask" });
  const { exitCode, stdout } = await inProcess(["build"], {
    cwd: projectWith({ "guard.ts": LOGS, "fixtures.json": [failing] }),
  });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/FAIL {2}asks/);
  expect(stdout).toContain("Nothing was written: the guard fails its own tests.");
  expect(stdout).not.toMatch(/sha256|KiB|JavaScript engine/);
  expect(stdout.split("\n").length).toBeLessThan(14);
});
