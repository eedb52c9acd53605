import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkExecutable, cleanSearchPath, findOnSearchPath } from "../../src/processes/search-path.ts";
import { HOOKS, scratchFolder } from "../executors/command/command-rule.ts";
import { ABSENT } from "../helpers/folders.ts";

function folderWith(name: string, mode: number): string {
  const folder = scratchFolder();
  writeFileSync(path.join(folder, name), "#!/bin/sh\n");
  chmodSync(path.join(folder, name), mode);
  return folder;
}

describe("cleanSearchPath", () => {
  test.each([
    ["/usr/bin:/bin", "/usr/bin:/bin"],
    [":/bin", "/bin"],
    ["/bin:", "/bin"],
    ["/usr/bin::/bin", "/usr/bin:/bin"],
    [".:/bin:..", "/bin"],
    ["node_modules/.bin:./bin:~/bin:/bin", "/bin"],
  ])("%s becomes %s", (value, cleaned) => {
    expect(cleanSearchPath(value, "linux")).toBe(cleaned);
  });

  test("on Windows only entries with a drive or a share are absolute", () => {
    const value = "C:\\Windows;;.;tools;\\tools;C:tools;d:/bin;\\\\server\\share";
    expect(cleanSearchPath(value, "win32")).toBe("C:\\Windows;d:/bin;\\\\server\\share");
  });
});

describe("findOnSearchPath", () => {
  test("takes the first folder that has the program", () => {
    const [first, second] = [folderWith("tool", 0o755), folderWith("tool", 0o755)];
    expect(findOnSearchPath("tool", `${first}:${second}`, "linux")).toEqual({ ok: true, file: `${first}/tool` });
  });

  test("skips a file without its exec bit and a folder of that name", () => {
    const plain = folderWith("tool", 0o644);
    const folder = scratchFolder();
    mkdirSync(path.join(folder, "tool"));
    const real = folderWith("tool", 0o755);
    expect(findOnSearchPath("tool", `${plain}:${folder}:${real}`, "linux")).toEqual({ ok: true, file: `${real}/tool` });
  });

  test("names the file without its exec bit if there is no other", () => {
    const plain = folderWith("tool", 0o644);
    const lookup = findOnSearchPath("tool", `${ABSENT}:${plain}`, "linux");
    expect(lookup).toMatchObject({ ok: false, reason: `${plain}/tool is not executable (chmod +x)` });
  });

  test("names the program and the PATH if nothing is found", () => {
    const lookup = findOnSearchPath("no-such-tool", "/usr/bin:/bin", "linux");
    expect(lookup).toEqual({ ok: false, reason: '"no-such-tool" was not found on PATH (/usr/bin:/bin)' });
  });

  test("finds nothing for an empty name", () => {
    expect(findOnSearchPath("", "/usr/bin", "linux").ok).toBe(false);
  });
});

describe("checkExecutable", () => {
  test.each([
    ["denies.sh", { ok: true }],
    ["no-exec-bit.sh", { ok: false, reason: expect.stringContaining("not executable") }],
    ["nowhere.sh", { ok: false, reason: expect.stringContaining("does not exist") }],
    [".", { ok: false, reason: expect.stringContaining("not a file") }],
    ["denies.sh/below", { ok: false }],
    ["a\0b", { ok: false }],
  ])("looks at %j", (name, expected) => {
    expect(checkExecutable(`${HOOKS}/${name}`)).toMatchObject(expected);
  });
});
