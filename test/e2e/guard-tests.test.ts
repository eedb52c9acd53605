import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { guest, withManifest } from "../helpers/guests.ts";
import { fixturesOf } from "../plugins/verdict.ts";
import { hookbox } from "./cli.ts";
import { DENIES, fixtureOf, guardText, projectWith } from "./guard-folder.ts";
import { inProcess } from "./in-process.ts";
import { hasTerminals, hookboxOnTerminal } from "./terminal.ts";

const GUARD = guardText('return deny("no " + event.tool_name);');
/** A small built module, for tests that are not about building. */
const MODULE = withManifest(guest("denies"), {
  name: "test-guard",
  version: "1.0.0",
  abi: 1,
  fixtures: [fixtureOf({ name: "denies", command: "rm", decision: "deny" })],
});
const MAIN = resolve(import.meta.dirname, "../../dist/bundle/hookbox.cjs");

describe("hookbox test", () => {
  test("builds a source in memory, runs its tests, and writes nothing", async () => {
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES] });
    const { exitCode, stdout, stderr } = await hookbox(["test"], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/pass {2}denies {2}[\d,]+ fuel/);
    expect(stdout).toMatch(/1 passed {3}fuel: [\d,]+ in total, at most [\d,]+ in one test/);
    expect(readdirSync(cwd).sort()).toEqual(["fixtures.json", "guard.ts", "node_modules"]);
  });

  test("runs the tests inside a .wasm file, with the same fuel as from the source", async () => {
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES] });
    // The guard's tests are run below.
    await inProcess(["build", "--no-test"], { cwd });
    const tested = async (name: string) => {
      const { stdout } = await inProcess(["test", "--json", name], { cwd });
      return JSON.parse(stdout) as { ok: boolean; guards: [{ tests: unknown; fuel: unknown }] };
    };
    const source = await tested("guard.ts");
    const module = await tested("guard.wasm");
    expect(module.ok).toBe(true);
    expect(module.guards[0].tests).toEqual(source.guards[0].tests);
  });

  test("runs the tests that ship inside a builtin guard's file", async () => {
    const file = resolve(import.meta.dirname, "../../dist/guards/secret-guard.wasm");
    const { exitCode, stdout } = await inProcess(["test", file]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`${fixturesOf("secret-guard").length} passed`);
  });

  test("runs every guard of a folder of folders", async () => {
    const cwd = projectWith({
      "one/guard.ts": GUARD,
      "one/fixtures.json": [DENIES],
      "two/guard.ts": guardText("return undefined;", { name: "two" }),
      "two/fixtures.json": [DENIES],
      "no-guard/readme.txt": "",
    });
    const { exitCode, stdout } = await inProcess(["test"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("1 of 2 guards fail.");
  });

  test("shows the expected and the actual answer, with the part of a reason that differs", async () => {
    const cwd = projectWith({
      "guard.ts": guardText(
        'context.log.info("looking at", event.tool_name); return deny("names \\"stageing\\": deploy");',
      ),
      "fixtures.json": [
        fixtureOf({ name: "reason", command: "x", decision: "deny", reason: 'names "staging"' }),
        fixtureOf({ name: "decision", command: "x", decision: "ask" }),
      ],
    });
    const { exitCode, stdout } = await inProcess(["test"], { cwd });
    expect(exitCode).toBe(1);
    const lines = stdout.split("\n").map((line) => line.trim());
    const at = lines.indexOf('reason    must contain  names "staging"');
    expect(lines.slice(at, at + 4)).toEqual([
      'reason    must contain  names "staging"',
      'but is        names "stageing": deploy',
      "^",
      "log       info: looking at Bash",
    ]);
    expect(lines).toContain("expected  ask");
    expect(lines).toContain("got       deny");
    const [got, mark] = stdout.split("\n").slice(stdout.split("\n").findIndex((line) => line.includes("but is")));
    expect(got?.[mark?.indexOf("^") ?? -1]).toBe("e");
  });

  test("shows an error with the lines of the author's source", async () => {
    const before = "function fail(): never {\n  throw new TypeError(`broken`);\n}";
    const cwd = projectWith({ "guard.ts": guardText("return fail();", { before }), "fixtures.json": [DENIES] });
    const { exitCode, stdout } = await inProcess(["test"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("TypeError: broken");
    expect(stdout).toMatch(/^ +at fail \(guard\.ts:3:\d+\)$/m);
    expect(stdout).toMatch(/^ +at handle \(guard\.ts:10:\d+\)$/m);
  });

  test("fails a test that uses more fuel than it may", async () => {
    const cwd = projectWith();
    writeFileSync(join(cwd, "guard.wasm"), MODULE);
    const [enough, short, ...wrong] = await Promise.all(
      ["1000000000", "10", "x", "-1", "1.5", ""].map((fuel) =>
        inProcess(["test", "guard.wasm", `--max-fuel=${fuel}`], { cwd }),
      ),
    );
    expect(enough?.exitCode).toBe(0);
    expect(short?.exitCode).toBe(1);
    expect(short?.stdout).toContain("more than the 10 of --max-fuel");
    expect(wrong.map(({ exitCode }) => exitCode)).toEqual([2, 2, 2, 2]);
  });

  test("does not pass a guard without tests", async () => {
    const cwd = projectWith({ "guard.ts": GUARD });
    const { exitCode, stdout } = await inProcess(["test"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("it has no tests");
    expect(stdout).toContain("fixtures.json");
  });

  test("says what is wrong with a source or a module that cannot be run", async () => {
    const cwd = projectWith({ "guard.ts": "syntax error", "x.wasm": "no module" });
    const source = await inProcess(["test"], { cwd });
    expect(source).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/guard\.ts:1:8 {2}error {2}expected ";"/),
    });
    const module = await inProcess(["test", "x.wasm"], { cwd });
    expect(module).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("HOOK_MODULE_INVALID") });
  });

  test.each<[string, readonly string[], RegExp]>([
    ["there is no guard", ["test"], /HOOK_BUILD_NOT_FOUND/],
    ["there is no such path", ["test", "nowhere"], /does not exist/],
    ["two are named", ["test", "a", "b"], /test takes one guard/],
    ["people and machines are to read it", ["test", "--watch", "--json"], /--watch cannot be used with --json/],
    ["conformance is mixed with tests", ["test", "x", "--conformance", "y"], /--conformance takes one file/],
  ])("refuses when %s", async (_, args, message) => {
    const { exitCode, stderr } = await inProcess(args, { cwd: projectWith() });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});

/** Returns the command line as a running process. */
function watching(cwd: string, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, "test", "--watch", ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let shown = "";
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      shown += chunk;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    ended,
    interrupt: () => child.kill("SIGINT"),
    /** Returns what is shown until the next wait for changes, once it contains this text. */
    async until(text: string): Promise<string> {
      const ready = (): boolean => shown.includes(text) && shown.includes("Waiting for changes", shown.indexOf(text));
      if (!ready()) {
        await new Promise<void>((resolve) => {
          const listener = (): void => {
            if (!ready()) return;
            listeners.delete(listener);
            resolve();
          };
          listeners.add(listener);
        });
      }
      const seen = shown;
      shown = "";
      return seen;
    },
  };
}

describe("hookbox test --watch", () => {
  test("runs again after every change, even one that breaks the guard, and ends when it is interrupted", async () => {
    const cwd = projectWith({
      "guard.ts": guardText("return deny(word);", { before: 'import { word } from "./lib/word";' }),
      "lib/word.ts": 'export const word = "no";',
      "fixtures.json": [DENIES],
    });
    const watch = watching(cwd);
    expect(await watch.until("1 passed")).not.toContain("FAIL");
    const guard = readFileSync(join(cwd, "guard.ts"), "utf8");
    writeFileSync(join(cwd, "guard.ts"), guard.replace("deny(word)", "ask(word)"));
    expect(await watch.until("1 failed")).toContain("expected  deny");
    writeFileSync(join(cwd, "guard.ts"), `${guard} syntax error`);
    await watch.until("HOOK_BUILD_SOURCE");
    writeFileSync(join(cwd, "guard.ts"), guard);
    await watch.until("1 passed");
    writeFileSync(join(cwd, "lib/word.ts"), 'export const word = "never";');
    await watch.until("1 failed");
    writeFileSync(join(cwd, "fixtures.json"), JSON.stringify([{ ...DENIES, reason: "never" }]));
    expect(await watch.until("1 passed")).not.toContain("\u001b");
    watch.interrupt();
    expect(await watch.ended).toBe(0);
  });

  test("refuses to wait for a guard that does not exist", async () => {
    expect((await inProcess(["test", "--watch"], { cwd: projectWith() })).exitCode).toBe(2);
  });

  test.skipIf(!hasTerminals)("reports without colours if it does not watch", async () => {
    const cwd = projectWith();
    writeFileSync(join(cwd, "guard.wasm"), MODULE);
    const { shown } = await hookboxOnTerminal(["test", "guard.wasm"], { keys: "", cwd });
    expect(shown).toContain("\u001b[32mpass");
  });
});
