import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { bashCall, hookbox } from "./cli.ts";
import { DENIES, fixtureOf, guardText, projectWith } from "./guard-folder.ts";
import { inProcess } from "./in-process.ts";

const GUARD = guardText('return deny("no " + event.tool_name);');

describe("hookbox build", () => {
  test("writes one file with manifest and tests inside, and prints its contents", async () => {
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES] });
    const { exitCode, stdout, stderr } = await hookbox(["build", "guard.ts", "-o", "out.wasm"], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("test-guard 1.0.0");
    expect(stdout).toMatch(/^ {2}sha256 {2}[0-9a-f]{64}$/m);
    expect(stdout).toMatch(/KiB JavaScript engine$/m);
    expect(stdout).toMatch(/guard\.ts \d+ bytes$/m);
    expect(stdout).toContain("No files, no network, no clock.");
    expect(stdout).toContain("1 passed");
    expect(stdout).toContain("Wrote out.wasm.");
    expect(readdirSync(cwd).sort()).toEqual(["fixtures.json", "guard.ts", "node_modules", "out.wasm"]);

    const inspected = JSON.parse((await inProcess(["inspect", "--json", "out.wasm"], { cwd })).stdout);
    expect(inspected).toMatchObject({
      admissible: true,
      capabilities: ["config", "log"],
      manifest: { name: "test-guard", abi: 1, fixtures: [{ name: "denies", decision: "deny" }] },
    });
  });

  test("gives the same bytes for any folder of the guard and any working directory", async () => {
    const files = { "a/guard.ts": GUARD, "a/fixtures.json": [DENIES] };
    const [one, two] = [projectWith(files), projectWith(files)];
    await Promise.all([hookbox(["build"], { cwd: join(one, "a") }), inProcess(["build", "a/guard.ts"], { cwd: two })]);
    const [first, second] = [one, two].map((folder) => readFileSync(join(folder, "a/guard.wasm")));
    expect(second?.equals(first as Buffer)).toBe(true);
    expect(first?.includes(one)).toBe(false);
  });

  test("builds the guard of the working directory next to its source, and prints the same facts with --json", async () => {
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES] });
    const { exitCode, stdout } = await inProcess(["build", "--json"], { cwd });
    expect(exitCode).toBe(0);
    const { size } = statSync(join(cwd, "guard.wasm"));
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      file: join(cwd, "guard.wasm"),
      name: "test-guard",
      report: { totalBytes: size, script: { engineBytes: expect.any(Number), inputs: expect.any(Array) } },
      problems: [],
      tests: [{ name: "denies", passed: true, fuel: expect.any(Number) }],
    });
  });

  test("writes nothing that fails its own tests, unless it is told not to run them", async () => {
    const wrong = fixtureOf({ name: "asks", command: "rm", decision: "ask" });
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES, wrong] });
    const { exitCode, stdout } = await inProcess(["build"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/FAIL {2}asks/);
    expect(stdout).toContain("Nothing was written: the guard fails its own tests.");
    expect(existsSync(join(cwd, "guard.wasm"))).toBe(false);
    const untested = await inProcess(["build", "--no-test"], { cwd });
    expect(untested.exitCode).toBe(0);
    expect(untested.stdout).toContain("Wrote guard.wasm, untested.");
  });

  test("prepares the cache so that the guard is ready for the first event, and so does lock", async () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "wasm", module: "guard.wasm", timeoutMs: 20_000 }] }] };
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": [DENIES], "hookbox.json": { hooks } });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("XDG_CACHE_HOME", join(cwd, "cache"));
    const cached = () => readdirSync(join(cwd, "cache/hookbox")).filter((name) => /\.(admitted|fixtures)$/.test(name));
    await inProcess(["build"], { cwd });
    const ready = cached();
    expect(ready.map((name) => name.replace(/^.*\./, "")).sort()).toEqual(["admitted", "fixtures"]);
    await inProcess(["run"], { cwd, stdin: bashCall("rm") });
    expect(cached()).toEqual(ready);
    rmSync(join(cwd, "cache"), { recursive: true });
    await inProcess(["lock", "--yes"], { cwd });
    expect(cached()).toEqual(ready);
  });

  test("keeps the file of an earlier build when it fails", async () => {
    const cwd = projectWith({ "guard.ts": "syntax error", "guard.wasm": "earlier" });
    expect((await inProcess(["build"], { cwd })).exitCode).toBe(1);
    expect(readFileSync(join(cwd, "guard.wasm"), "utf8")).toBe("earlier");
  });

  test("shows each error with its line", async () => {
    const cwd = projectWith({ "guard.ts": guardText("return fetch(event.cwd!);", { before: "process.exit();" }) });
    const { exitCode, stdout } = await inProcess(["build"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("guard.ts:2:1  error  process does not exist in a guard  HOOK_BUILD_GLOBAL");
    expect(stdout).toContain("guard.ts:8:12  error  fetch does not exist in a guard  HOOK_BUILD_GLOBAL");
    expect(stdout).toMatch(/^ {9}8 \| {5}return fetch\(event\.cwd!\);\n {11}\| {12}\^$/m);
  });

  test("shows the line in the author's file where top-level code failed", async () => {
    const before = [
      "const words: Record<string, string[]> = {};",
      "function first(name: string): string {",
      "  return words[name]![0]!;",
      "}",
      'const word = first("x");',
    ].join("\n");
    const cwd = projectWith({ "guard.ts": guardText("return deny(word);", { before }) });
    const { exitCode, stdout } = await inProcess(["build"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^ {2}guard\.ts:4:\d+ {2}error {2}the guard's top-level code failed: TypeError: /m);
  });

  test("reports what defineGuard does not accept, without blaming top-level code", async () => {
    const cwd = projectWith({ "guard.ts": guardText("return;", { fields: "\n  event: []," }) });
    const { stdout } = await inProcess(["build"], { cwd });
    expect(stdout).toMatch(
      /^ {2}guard\.ts:3:\d+ {2}error {2}defineGuard: event: there is no such field; did you mean "events"\? {2}HOOK_BUILD_SOURCE$/m,
    );
    expect(stdout).not.toContain("not in a function");
  });

  test.each<[string, string | object, RegExp]>([
    [
      "an unknown key",
      '[\n  { "name": "x", "evnt": {} }\n]',
      /fixtures\.json:2:18 {2}error {2}the test "x" \(number 1\): unknown key "evnt"[\s\S]*did you mean "event"\?/,
    ],
    [
      "a wrong decision",
      '[{"name":"x","event":{"hook_event_name":"Stop"},"decision":"no"}]',
      /the test "x" \(number 1\): decision is "no"; expected one of "allow", /,
    ],
    ["an object for its list", "{}", /fixtures\.json:1:1 {2}error {2}the value is an object; expected a list/],
    ["a name twice", [DENIES, DENIES], /the test "denies" \(number 2\): name: number 1 has the same name/],
    ["a missing bracket", '[{"name":"x"}', /fixtures\.json:1:14 {2}error/],
  ])("shows the place in fixtures.json that has %s", async (_, fixtures, message) => {
    const cwd = projectWith({ "guard.ts": GUARD, "fixtures.json": fixtures });
    const { exitCode, stdout } = await inProcess(["build"], { cwd });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(message);
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    ["there is no guard", ["build"], {}, /HOOK_BUILD_NOT_FOUND: there is no guard in /],
    ["there are two", ["build"], { "guard.ts": GUARD, "guard.c": "" }, /has guard\.ts and guard\.c/],
    ["the path does not exist", ["build", "nowhere"], {}, /nowhere does not exist/],
    ["the file is something else", ["build", "x.py"], { "x.py": "" }, /is not a guard's source/],
    ["there is no folder for the output", ["build", "-o", "no/x.wasm"], { "guard.ts": GUARD }, /HOOK_BUILD_OUTPUT/],
    ["the output is a folder", ["build", "-o", "node_modules"], { "guard.ts": GUARD }, /is a folder/],
    ["two guards are named", ["build", "a", "b"], {}, /build takes one guard/],
  ])("refuses when %s", async (_, args, files, message) => {
    const { exitCode, stdout, stderr } = await inProcess(args, { cwd: projectWith(files) });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("bundles a real package, and prints its size", async () => {
    const before = 'import { satisfies } from "semver-like";';
    const cwd = projectWith({
      "guard.ts": guardText('return satisfies("1.2.3") ? deny("no") : undefined;', { before }),
      "fixtures.json": [DENIES],
      "node_modules/semver-like/index.js":
        "exports.satisfies = (v) => (typeof process === 'object' && process.env.X) || v > '1';\nexports.now = () => performance.now();",
    });
    const { exitCode, stdout } = await inProcess(["build"], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/semver-like \d+ bytes/);
    expect(stdout).toContain("warning  performance does not exist in a guard");
  });

  test("says how to install what is missing", async () => {
    const cwd = projectWith({ "guard.ts": GUARD });
    writeFileSync(join(cwd, "package.json"), "{}");
    const { stdout } = await inProcess(["build", "--help"]);
    expect(stdout).toContain("npm install --save-dev esbuild");
  });
});
