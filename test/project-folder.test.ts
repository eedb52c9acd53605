import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { leadsIntoProject, projectFolder } from "../src/project-folder.ts";
import { liveIn } from "./helpers/account.ts";

/**
 * Creates folders and files by path: a path that ends in a slash is a folder, and a string value is the target of a
 * link.
 */
function tree(entries: Readonly<Record<string, string | null>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-project-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, target] of Object.entries(entries)) {
    const place = join(root, path);
    mkdirSync(path.endsWith("/") ? place : dirname(place), { recursive: true });
    if (target !== null) symlinkSync(target, place);
    else if (!path.endsWith("/")) writeFileSync(place, "");
  }
  return root;
}

describe("the project of a working directory", () => {
  test.each<[string, Readonly<Record<string, string | null>>, string, string]>([
    ["is itself without any mark", { "a/b/": null }, "a/b", "a/b"],
    ["is the repository around it", { "a/.git/": null, "a/b/c/": null }, "a/b/c", "a"],
    [
      "is the repository of a worktree or submodule, whose .git is a file",
      { "a/.git": null, "a/b/": null },
      "a/b",
      "a",
    ],
    ["is the outermost repository", { "a/.git/": null, "a/b/.git/": null, "a/b/c/": null }, "a/b/c", "a"],
    ["is the folder of a hookbox.json above it", { "a/hookbox.json": null, "a/b/": null }, "a/b", "a"],
    ["is the folder of a package above it, without a repository", { "a/package.json": null, "a/b/": null }, "a/b", "a"],
    ["is not the nearest package in a repository", { "a/.git/": null, "a/b/package.json": null }, "a/b", "a"],
    [
      "is not a package or repository in a package",
      { "a/Cargo.toml": null, "a/b/go.mod": null, "a/b/c/.git/": null },
      "a/b/c",
      "a",
    ],
    ["is where its link leads", { "a/.git/": null, "a/b/": null, link: "a/b" }, "link", "a"],
  ])("%s", (_, entries, cwd, expected) => {
    const root = tree(entries);
    expect(projectFolder(join(root, cwd))).toBe(join(root, expected));
  });

  test("is not the home folder around it, whatever files the home has", () => {
    const marks = { "home/.git/": null, "home/hookbox.json": null, "home/package.json": null, ".git/": null };
    const root = tree({ ...marks, "home/work/": null });
    liveIn(join(root, "home"));
    expect(projectFolder(join(root, "home/work"))).toBe(join(root, "home/work"));
    expect(projectFolder(join(root, "home"))).toBe(join(root, "home"));
  });
});

describe("a path inside the project", () => {
  const root = () =>
    tree({
      "project/.git/": null,
      "project/sub/": null,
      "project/file.json": null,
      "outside/file.json": null,
      "project-too/file.json": null,
      "outside/in.json": "../project/file.json",
      "project/out.json": "../outside/file.json",
      "project/out": "../outside",
      "outside/through": "../project/out",
      "outside/twice.json": "in.json",
      "outside/loop": "loop",
    });
  test.each([
    ["project/file.json", true],
    ["project", true],
    ["project/none/yet.json", true],
    ["project/sub/../file.json", true],
    ["outside/in.json", true],
    ["outside/twice.json", true],
    ["project/out.json", true],
    ["project/out/file.json", true],
    ["outside/through/file.json", true],
    ["outside/file.json", false],
    ["outside/none.json", false],
    ["outside/loop", false],
    ["project-too/file.json", false],
    ["project/../outside/file.json", false],
  ])("%s: %s", (path, expected) => {
    const folder = root();
    expect(leadsIntoProject(join(folder, path), join(folder, "project/sub"))).toBe(expected);
    expect(leadsIntoProject(`../../${path}`, join(folder, "project/sub"))).toBe(expected);
  });

  test("is every path if the project is the root of the file system", () => {
    expect(leadsIntoProject(join(root(), "outside/file.json"), "/")).toBe(true);
  });
});
