import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hookbox } from "./cli.ts";
import { projectWith } from "./guard-folder.ts";
import { inProcess } from "./in-process.ts";

const TSC = resolve(import.meta.dirname, "../../node_modules/.bin/tsc");
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

describe("hookbox new", () => {
  test("creates a TypeScript guard that builds, passes its tests and type-checks", async () => {
    const cwd = projectWith();
    const { exitCode, stdout } = await hookbox(["new", "no-staging"], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Created no-staging:");
    expect(stdout).toContain("npx hookbox test no-staging --watch");
    expect(readdirSync(join(cwd, "no-staging")).sort()).toEqual([
      "README.md",
      "fixtures.json",
      "guard.ts",
      "tsconfig.json",
    ]);
    expect(readFileSync(join(cwd, "no-staging/guard.ts"), "utf8")).toContain('name: "no-staging"');

    const tested = await inProcess(["test", "no-staging"], { cwd });
    expect(tested.exitCode).toBe(0);
    expect(tested.stdout).toContain("5 passed");
    expect((await inProcess(["build", "no-staging"], { cwd })).exitCode).toBe(0);
    expect(existsSync(join(cwd, "no-staging/guard.wasm"))).toBe(true);

    const typed = spawnSync(TSC, ["-p", "no-staging"], { cwd, encoding: "utf8" });
    expect(typed.stdout).toBe("");
    const guard = readFileSync(join(cwd, "no-staging/guard.ts"), "utf8");
    writeFileSync(join(cwd, "no-staging/guard.ts"), guard.replace("config.words", "config.wrods"));
    expect(spawnSync(TSC, ["-p", "no-staging"], { cwd, encoding: "utf8" }).stdout).toContain("wrods");
  });

  test.skipIf(!has("clang-19") && !has("clang"))("creates a C guard that builds and passes its tests", async () => {
    const cwd = projectWith();
    expect((await inProcess(["new", "guards/no-staging", "--lang", "c"], { cwd })).exitCode).toBe(0);
    expect(readdirSync(join(cwd, "guards/no-staging")).sort()).toEqual([
      "README.md",
      "fixtures.json",
      "guard.c",
      "hookbox.h",
      "manifest.json",
    ]);
    const { exitCode, stdout } = await inProcess(["build", "guards/no-staging"], { cwd });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("no-staging 0.1.0") });
  });

  test("creates a Rust guard with the library next to it", async () => {
    const cwd = projectWith();
    expect((await inProcess(["new", "no-staging", "--lang", "rust"], { cwd })).exitCode).toBe(0);
    const cargo = readFileSync(join(cwd, "no-staging/Cargo.toml"), "utf8");
    expect(cargo).toContain('name = "no-staging"');
    expect(cargo).toContain('hookbox-guest = { path = "hookbox-guest" }');
    expect(readdirSync(join(cwd, "no-staging/hookbox-guest")).sort()).toEqual(["Cargo.toml", "src"]);
  });

  test("accepts an empty folder, and overwrites nothing", async () => {
    const cwd = projectWith();
    mkdirSync(join(cwd, "empty"));
    expect((await inProcess(["new", "empty"], { cwd })).exitCode).toBe(0);
    const again = await inProcess(["new", "empty"], { cwd });
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain("HOOK_NEW_FOLDER");
    expect(again.stderr).toContain("already exists and is not empty");
  });

  test.each<[string, RegExp]>([
    ["Upper", /"Upper" is not a valid name for a guard/],
    ["-x", /Unknown option|is not a valid name/],
    ["a--b", /is not a valid name/],
    ["1st", /is not a valid name/],
    ["x_y", /is not a valid name/],
    ["a".repeat(61), /is not a valid name/],
  ])("refuses the name %s", async (name, message) => {
    const { exitCode, stderr } = await inProcess(["new", name], { cwd: projectWith() });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });

  test.each<[string, readonly string[], RegExp]>([
    ["no name", ["new"], /new takes one name/],
    ["two names", ["new", "a", "b"], /new takes one name/],
    ["a language that there is not", ["new", "a", "--lang", "go"], /--lang must be one of ts, rust, c, not "go"/],
  ])("refuses %s", async (_, args, message) => {
    const { exitCode, stderr } = await inProcess(args, { cwd: projectWith() });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
  });
});
