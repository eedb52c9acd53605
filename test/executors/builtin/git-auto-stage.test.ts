import { symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isLeftOut } from "../../../src/executors/builtin/git-auto-stage.ts";
import { makeRepository, temporaryFolder } from "./repository.ts";
import { fileChanged, notesOf, runBuiltin, written } from "./run-builtin.ts";

describe("git-auto-stage", () => {
  test("stages changed files and nothing else", async () => {
    const { top, write, git } = makeRepository({ "a.ts": "1", "b.ts": "1" });
    for (const path of ["a.ts", "b.ts", "new.ts"]) write(path, "2");
    await runBuiltin("git-auto-stage", fileChanged(top, "a.ts"));
    await runBuiltin("git-auto-stage", written(top, "new.ts"));
    await runBuiltin("git-auto-stage", written(top, "b.ts", "Read"));
    expect(git("diff", "--cached", "--name-only").split("\n")).toEqual(["a.ts", "new.ts", ""]);
  });

  test("removes a deleted file from the index", async () => {
    const { top, git } = makeRepository({ "a.ts": "1" });
    unlinkSync(join(top, "a.ts"));
    await runBuiltin("git-auto-stage", fileChanged(top, "a.ts"));
    expect(git("diff", "--cached", "--name-status")).toBe("D\ta.ts\n");
  });

  test.each(["*.ts", "-A", ":(glob)**", "a b.ts", 'q"uote.ts'])("accepts %s as a name", async (name) => {
    const { top, write, git } = makeRepository({ "a.ts": "1" });
    write("a.ts", "2");
    write(name, "2");
    expect(notesOf(await runBuiltin("git-auto-stage", fileChanged(top, name)))).toEqual([]);
    expect(git("diff", "--cached", "--name-only", "-z")).toBe(`${name}\0`);
  });

  test.each([
    ...[".env", ".env.local", "src/.env.production", "x.log", "x.TMP", "a/x.swp", "x.bak"],
    ...["node_modules/a/b.js", "packages/a/dist/x.js", "build/x", "coverage/x", ".git/config"],
  ])("leaves %s out", (name) => {
    expect(isLeftOut(name)).toBe(true);
  });

  test.each(["src/a.ts", "environment.ts", "src/builder.ts", "logs.ts", "distance/x.ts"])("stages %s", (name) => {
    expect(isLeftOut(name)).toBe(false);
  });

  test("stages nothing outside of the working directory, and nothing through a link", async () => {
    const { top, write, git } = makeRepository({ "sub/a.ts": "1", "b.ts": "1" });
    const outside = temporaryFolder();
    symlinkSync(outside, join(top, "sub/out"));
    write("b.ts", "2");
    symlinkSync("a.ts", join(top, "sub/link.ts"));
    for (const path of ["../b.ts", "out/x.ts", "link.ts"])
      await runBuiltin("git-auto-stage", fileChanged(join(top, "sub"), path));
    expect(git("diff", "--cached", "--name-only")).toBe("");
  });

  test("reports a failure, and blocks nothing", async () => {
    const cwd = temporaryFolder();
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(cwd, "a.ts"), "1");
    expect(notesOf(await runBuiltin("git-auto-stage", fileChanged(cwd, "a.ts")))).toEqual([
      expect.stringMatching(/^a\.ts was not staged: git ended with exit code 128: .*not a git repository/),
    ]);
  });
});
