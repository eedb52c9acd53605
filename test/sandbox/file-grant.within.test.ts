import { existsSync, readFileSync, realpathSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import type { PathGrant } from "../../src/grants.ts";
import { commitFiles } from "../../src/sandbox/grants/file-writes.ts";
import { GrantedFiles } from "../../src/sandbox/guest/capabilities/granted-files.ts";
import { INSIDE, MARKER } from "../files/attacked-folder.ts";
import { makeFolder } from "../helpers/folders.ts";

const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(process.platform === "linux" ? ([["by descriptor", byDescriptor]] as const) : []),
];

/** Returns a repository whose own configuration grants `data`, with files of the user next to it. */
function repository(): string {
  return realpathSync(
    makeFolder({ "repo/data/file": INSIDE, "repo/other/file": INSIDE, "repo-not/file": MARKER, "home/file": MARKER }),
  );
}

/** Replaces the target of its link after the configuration has been read. */
function exchange(root: string, target: string): void {
  renameSync(join(root, "repo/data"), join(root, "repo/data-was"));
  symlinkSync(target, join(root, "repo/data"));
}

describe.each(OPENERS)("a path of a repository's own configuration (%s)", (_, opener) => {
  const grantsIn = (root: string, path: string): readonly PathGrant[] => [
    { name: "data", path: join(root, "repo", path), access: "write", within: join(root, "repo") },
  ];
  function read(grants: readonly PathGrant[], name: string): string {
    const files = new GrantedFiles({ opener });
    const refuse = ({ message }: { readonly message: string }): never => {
      throw new Error(message);
    };
    files.begin({ grants, given: undefined, refuse });
    return Buffer.from(files.read(name) ?? []).toString();
  }

  test("is read and written while it leads into its folder, even through a link", async () => {
    const root = repository();
    const [grant] = grantsIn(root, "data");
    expect(read(grantsIn(root, "data"), "data/file")).toBe(INSIDE);
    exchange(root, "other");
    expect(read(grantsIn(root, "data"), "data/file")).toBe(INSIDE);
    const files = [{ path: join(grant?.path ?? "", "new"), bytes: Buffer.from("n") }];
    expect(await commitFiles(grantsIn(root, "data"), files, { opener })).toBe(undefined);
    expect(readFileSync(join(root, "repo/other/new"), "utf8")).toBe("n");
  });

  test.each([
    ["../home", "data", "data/file"],
    ["../repo-not", "data", "data/file"],
    ["../home", "data/file", "data"],
  ])("leads nowhere else once it is a link to %s: %s", async (target, path, name) => {
    const root = repository();
    const grants = grantsIn(root, path);
    exchange(root, target);
    expect(() => read(grants, name)).toThrow(/leads out of the folder of the file that grants it/);
    for (const file of path === "data" ? ["file", "new"] : [""]) {
      const files = [{ path: join(root, "repo", path, file), bytes: Buffer.from("overwritten") }];
      expect(await commitFiles(grants, files, { opener })).toMatchObject({
        kind: "capability",
        message: /leads out of/,
      });
    }
    for (const folder of ["home", "repo-not"]) {
      expect(readFileSync(join(root, folder, "file"), "utf8")).toBe(MARKER);
      expect(existsSync(join(root, folder, "new"))).toBe(false);
    }
  });

  test("that does not exist yet is not created elsewhere", async () => {
    const root = repository();
    exchange(root, "../home");
    const grants = grantsIn(root, "data/new");
    const files = [{ path: join(root, "repo/data/new"), bytes: Buffer.from("n") }];
    expect(await commitFiles(grants, files, { opener })).toMatchObject({ kind: "capability" });
    expect(existsSync(join(root, "home/new"))).toBe(false);
  });
});
