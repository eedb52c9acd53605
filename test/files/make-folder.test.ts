import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, makeFolderSync } from "../../src/files/make-folder.ts";
import { makeFolder as temporaryFolder } from "../helpers/folders.ts";

const SRC = resolve(import.meta.dirname, "../../src");

describe.each([
  ["makeFolder", makeFolder],
  ["makeFolderSync", async (folder: string, mode?: number) => makeFolderSync(folder, mode)],
])("%s", (_, make) => {
  test("creates the parent folders with the same mode, and accepts an existing one", async () => {
    const folder = join(temporaryFolder(), "a", "b", "c");
    await make(folder, 0o700);
    await make(folder, 0o700);
    expect(statSync(join(folder, "..")).mode & 0o777).toBe(0o700);
  });

  test("creates one folder for many callers at the same time", async () => {
    const folder = join(temporaryFolder(), "a", "b", "c");
    await Promise.all(Array.from({ length: 20 }, () => make(folder)));
    expect(existsSync(folder)).toBe(true);
  });

  test("throws if a file is in its place, and changes nothing", async () => {
    const base = temporaryFolder();
    writeFileSync(join(base, "file"), "x");
    await expect(Promise.resolve().then(() => make(join(base, "file")))).rejects.toThrow(/EEXIST/);
    await expect(Promise.resolve().then(() => make(join(base, "file", "below")))).rejects.toThrow(/ENOTDIR/);
    expect(readdirSync(base)).toEqual(["file"]);
  });

  test("throws below a dangling link and in a loop of links", async () => {
    const base = temporaryFolder();
    symlinkSync(join(base, "nowhere"), join(base, "dangling"));
    symlinkSync(join(base, "loop"), join(base, "loop"));
    for (const name of ["dangling", "dangling/below", "loop", "loop/below"]) {
      await expect(Promise.resolve().then(() => make(join(base, name)))).rejects.toThrow(/ENOENT|ELOOP/);
    }
  });

  test.runIf(process.platform === "linux")("gives up below /proc", async () => {
    for (const folder of ["/proc/hookbox", "/proc/hookbox/a/b", "/proc/self/fd/hookbox/a"]) {
      await expect(Promise.resolve().then(() => make(folder))).rejects.toThrow(/ENOENT|EACCES|EPERM/);
    }
  });

  test.runIf(process.getuid?.() !== 0)("throws in a folder that nothing may be written to", async () => {
    const base = join(temporaryFolder(), "locked");
    mkdirSync(base, { mode: 0o500 });
    await expect(Promise.resolve().then(() => make(join(base, "a", "b")))).rejects.toThrow(/EACCES/);
    chmodSync(base, 0o700);
  });

  test("throws for names that no file system allows", async () => {
    for (const name of ["x".repeat(4_096), "a\0b"]) {
      await expect(Promise.resolve().then(() => make(join(temporaryFolder(), name)))).rejects.toThrow();
    }
  });
});

test("no file of src creates folders with Node's recursive option", () => {
  const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const wrong = files.filter((file) => /\bmkdir(?:Sync)?\([^;]*recursive/.test(readFileSync(join(SRC, file), "utf8")));
  expect(wrong).toEqual([]);
});
