import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "./repository.ts";
import { fileChanged, notesOf, runBuiltin, written } from "./run-builtin.ts";

/** Installs programs that write their arguments to files next to them. */
function install(folder: string, programs: readonly string[], script = 'printf "%s\\n" "$@" > "$0.called"'): void {
  mkdirSync(folder, { recursive: true });
  for (const name of programs) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

function project(
  programs: readonly string[],
  files: readonly string[],
): { cwd: string; called(name: string): string[] } {
  const cwd = temporaryFolder();
  const bin = join(cwd, "node_modules/.bin");
  install(bin, programs);
  for (const file of files) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), "");
  }
  const called = (name: string): string[] => {
    const file = join(bin, `${name}.called`);
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  };
  return { cwd, called };
}

/** A PATH without any formatter. */
const BARE = { PATH: "/usr/bin:/bin" };
const ALL = ["prettier", "eslint", "biome"];

describe("auto-format", () => {
  test.each([
    { programs: ALL, file: "a.ts", by: "prettier" },
    { programs: ["eslint", "biome"], file: "a.ts", by: "eslint" },
    { programs: ["eslint", "biome"], file: "a.css", by: "biome" },
    { programs: ["biome"], file: "a.jsx", by: "biome" },
    { programs: ["eslint"], file: "a.md", by: undefined },
    { programs: ALL, file: "a.py", by: undefined },
    { programs: ALL, file: "no-ending", by: undefined },
  ])("formats $file by $by if there are $programs", async ({ programs, file, by }) => {
    const { cwd, called } = project(programs, [file]);
    expect(notesOf(await runBuiltin("auto-format", fileChanged(cwd, file), { env: BARE }))).toEqual([]);
    expect(ALL.filter((name) => called(name).length > 0)).toEqual(by === undefined ? [] : [by]);
    if (by !== undefined) expect(called(by).at(-1)).toBe(join(cwd, file));
  });

  test("uses the formatter of the file's package, and otherwise one on PATH", async () => {
    const { cwd, called } = project(["prettier"], ["packages/one/src/a.ts"]);
    install(join(cwd, "packages/one/node_modules/.bin"), ["prettier"]);
    await runBuiltin("auto-format", written(cwd, "packages/one/src/a.ts"), { env: BARE });
    expect(called("prettier")).toEqual([]);
    expect(existsSync(join(cwd, "packages/one/node_modules/.bin/prettier.called"))).toBe(true);

    const other = project([], ["a.ts"]);
    const bin = temporaryFolder();
    install(bin, ["biome"]);
    await runBuiltin("auto-format", fileChanged(other.cwd, "a.ts"), { env: { PATH: `${bin}:${BARE.PATH}` } });
    expect(existsSync(join(bin, "biome.called"))).toBe(true);
  });

  test("ignores missing files, links, and files outside of the working directory", async () => {
    const { cwd, called } = project(["prettier"], ["sub/a.ts", "b.ts"]);
    const outside = temporaryFolder();
    writeFileSync(join(outside, "c.ts"), "");
    symlinkSync(join(outside, "c.ts"), join(cwd, "link.ts"));
    symlinkSync(outside, join(cwd, "out"));
    const paths = ["gone.ts", "link.ts", "out/c.ts", "../sub/../b.ts", join("..", "x.ts")];
    for (const path of paths.slice(0, 3)) await runBuiltin("auto-format", fileChanged(cwd, path), { env: BARE });
    await runBuiltin("auto-format", fileChanged(join(cwd, "sub"), "../b.ts"), { env: BARE });
    expect(called("prettier")).toEqual([]);
  });

  test("reports the output of a formatter that failed, and blocks nothing", async () => {
    const { cwd } = project([], ["a.ts"]);
    install(join(cwd, "node_modules/.bin"), ["prettier"], "echo broken syntax >&2; exit 2");
    expect(notesOf(await runBuiltin("auto-format", fileChanged(cwd, "a.ts"), { env: BARE }))).toEqual([
      "a.ts was not formatted: prettier ended with exit code 2: broken syntax",
    ]);
  });
});
