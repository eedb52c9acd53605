import { chmodSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MAX_NEW_FILE_BYTES } from "../../../../src/executors/builtin/snapshot/capture.ts";
import type { Shadow } from "../../../../src/executors/builtin/snapshot/shadow.ts";
import {
  listCheckpoints,
  openShadow,
  planUndo,
  pruneSnapshots,
  showCheckpoint,
  takeSnapshot,
  undo,
} from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import { fingerprint, makeRepository, type Repository, temporaryFolder } from "../repository.ts";

async function shadowOf({ top, state }: Repository): Promise<Shadow> {
  const shadow = await openShadow(top, new Stop(), state);
  if (shadow === undefined) throw new Error("no repository");
  return shadow;
}

const capture = async (shadow: Shadow, event = "TurnEnd") =>
  (await takeSnapshot(shadow, { event, session: "s" })).checkpoint;

const changesOf = (changes: readonly { path: string; change: string }[]): string[] =>
  changes.map(({ path, change }) => `${change} ${path}`).sort();

describe("a snapshot", () => {
  test("is not taken outside of a repository", async () => {
    expect(await openShadow(temporaryFolder(), new Stop(), temporaryFolder())).toBeUndefined();
  });

  test("contains the whole repository, from any folder in it", async () => {
    const repository = makeRepository({ "a/b/c.txt": "1" });
    const deep = await openShadow(join(repository.top, "a", "b"), new Stop(), repository.state);
    expect(deep).toEqual(await shadowOf(repository));
  });

  test("is listed only if it differs from the last one", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    expect(await capture(shadow, "TurnStart")).toMatchObject({ id: 1, event: "TurnStart", session: "s", files: null });
    expect(await capture(shadow)).toBeUndefined();
    repository.write("a.txt", "2");
    repository.write("b.txt", "2");
    expect(await capture(shadow)).toMatchObject({ id: 2, event: "TurnEnd", files: 2 });
    expect(await capture(shadow)).toBeUndefined();
    expect((await listCheckpoints(shadow)).map(({ id }) => id)).toEqual([1, 2]);
    const { changes } = await showCheckpoint(shadow, 2);
    expect(changesOf(changes)).toEqual(["added b.txt", "modified a.txt"]);
  });

  test("contains a change of equal length made immediately after the previous snapshot", async () => {
    const repository = makeRepository({ "a.txt": "00" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    for (let n = 10; n < 20; n += 1) {
      repository.write("a.txt", String(n));
      expect(await capture(shadow)).toMatchObject({ files: 1 });
    }
  });

  test("does not change any file of the user's git, nor the files' times", async () => {
    const repository = makeRepository({ "a.txt": "1", "b.txt": "1" });
    repository.write("a.txt", "2");
    repository.git("add", "a.txt");
    repository.write("b.txt", "2");
    const before = fingerprint(join(repository.top, ".git"));
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("a.txt", "3");
    await capture(shadow);
    await undo(shadow, undefined);
    expect(repository.read("a.txt")).toBe("2");
    expect(fingerprint(join(repository.top, ".git"))).toEqual(before);
  });

  test("is stored where only the user can read it", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    expect(statSync(shadow.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(shadow.folder, "checkpoints.jsonl")).mode & 0o777).toBe(0o600);
  });

  test("contains no ignored file, whichever file ignores it, except those that git tracks", async () => {
    const repository = makeRepository({ ".gitignore": "*.log\n", "src/.gitignore": "made/\n", "a.txt": "1" });
    repository.write("kept.log", "1");
    repository.git("add", "--force", "kept.log");
    repository.write(".git/info/exclude", "private.txt\n");
    repository.write(".git/my-ignores", "*.bak\n");
    repository.git("config", "core.excludesFile", join(repository.top, ".git/my-ignores"));
    const shadow = await shadowOf(repository);
    await capture(shadow);
    for (const path of ["x.log", "src/made/x", "private.txt", "x.bak", "kept.log", "new.txt"])
      repository.write(path, "2");
    const checkpoint = await capture(shadow);
    const { changes } = await showCheckpoint(shadow, checkpoint?.id ?? 0);
    expect(changesOf(changes)).toEqual(["added new.txt", "modified kept.log"]);
  });

  test("drops a file that is now ignored, and an undo does not change that file", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("secret.txt", "1");
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write(".gitignore", "secret.txt\n");
    repository.write("secret.txt", "2");
    await capture(shadow);
    const { changes, left } = await undo(shadow, 1);
    expect(changesOf(changes)).toEqual(["deleted .gitignore"]);
    expect(left.map(({ path }) => path)).toEqual(["secret.txt"]);
    expect(repository.read("secret.txt")).toBe("2");
  });

  test("omits new files over the limit, and keeps known ones", async () => {
    const repository = makeRepository({ "a.txt": "1", "known.bin": "x".repeat(MAX_NEW_FILE_BYTES + 1) });
    repository.write("new.bin", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.write("fits.bin", "x".repeat(MAX_NEW_FILE_BYTES));
    const shadow = await shadowOf(repository);
    expect(await capture(shadow)).toMatchObject({ tooLarge: 1 });
    unlinkSync(join(repository.top, "known.bin"));
    repository.write("fits.bin", "y".repeat(MAX_NEW_FILE_BYTES + 9));
    repository.write("new.bin", "z".repeat(MAX_NEW_FILE_BYTES + 1));
    await undo(shadow, 1);
    expect(repository.read("known.bin")).toHaveLength(MAX_NEW_FILE_BYTES + 1);
    expect(repository.read("fits.bin")).toBe("x".repeat(MAX_NEW_FILE_BYTES));
    expect(repository.read("new.bin").slice(0, 3)).toBe("zzz");
  });

  test.each([
    ["has longer names for objects", ["--object-format=sha256"], []],
    ["has its index in two parts", [], ["update-index", "--split-index"]],
  ])("contains what git tracks if a repository %s", async (_, format, then) => {
    const repository = makeRepository();
    rmSync(join(repository.top, ".git"), { recursive: true });
    repository.git("init", "--quiet", ...format);
    repository.write(".gitignore", "*.log\n");
    repository.write("kept.log", "1");
    repository.write("known.bin", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.git("add", "--force", "kept.log", "known.bin");
    if (then.length > 0) repository.git(...then);
    const shadow = await shadowOf(repository);
    expect(await capture(shadow)).toMatchObject({ tooLarge: 0 });
    repository.write("kept.log", "2");
    unlinkSync(join(repository.top, "known.bin"));
    await undo(shadow, 1);
    expect(repository.read("kept.log")).toBe("1");
    expect(repository.has("known.bin")).toBe(true);
  });

  test("works before the first commit, and in a linked work tree", async () => {
    const empty = makeRepository();
    empty.write("a.txt", "1");
    expect(await capture(await shadowOf(empty))).toMatchObject({ id: 1 });

    const repository = makeRepository({ "a.txt": "1" });
    const linked = join(repository.state, "..", "linked");
    repository.git("worktree", "add", "--quiet", linked);
    repository.write(".git/info/exclude", "x.txt\n");
    const other = { ...repository, top: linked };
    const shadow = await shadowOf(other);
    expect(shadow.workTree.top).toBe(linked);
    await capture(shadow);
    const { writeFileSync } = await import("node:fs");
    writeFileSync(join(linked, "x.txt"), "ignored by the common folder's list");
    expect(await capture(shadow)).toBeUndefined();
  });

  test("excludes repositories inside of the repository", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("inner/file.txt", "1");
    repository.git("-C", "inner", "init", "--quiet");
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("inner/file.txt", "2");
    expect(await capture(shadow)).toBeUndefined();
    repository.write("a.txt", "2");
    await capture(shadow);
    await undo(shadow, 1);
    expect(repository.read("inner/file.txt")).toBe("2");
  });

  test("of a home folder that is a repository does not contain the snapshots in it", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const inside = { ...repository, state: join(repository.top, "state", "snapshots") };
    const shadow = await shadowOf(inside);
    await capture(shadow);
    expect(await capture(shadow)).toBeUndefined();
  });
});

describe("an undo", () => {
  test("restores what was changed and deleted, and removes what was added", async () => {
    const repository = makeRepository({ "changed.txt": "1", "deleted/deep.txt": "1", "same.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("changed.txt", "2");
    unlinkSync(join(repository.top, "deleted/deep.txt"));
    repository.write("added/deep.txt", "2");
    const { changes, from } = await undo(shadow, undefined);
    expect(changesOf(changes)).toEqual(["added deleted/deep.txt", "deleted added/deep.txt", "modified changed.txt"]);
    expect(repository.read("changed.txt")).toBe("1");
    expect(repository.read("deleted/deep.txt")).toBe("1");
    expect(repository.has("added")).toBe(false);

    await undo(shadow, from.id);
    expect(repository.read("changed.txt")).toBe("2");
    expect(repository.has("deleted/deep.txt")).toBe(false);
    expect(repository.read("added/deep.txt")).toBe("2");
  });

  test("goes a step further back each time", async () => {
    const repository = makeRepository({ "a.txt": "0" });
    const shadow = await shadowOf(repository);
    for (const content of ["1", "2", "3"]) {
      repository.write("a.txt", content);
      await capture(shadow);
    }
    repository.write("a.txt", "4");
    const seen: string[] = [];
    for (let step = 0; step < 3; step += 1) {
      const planned = await planUndo(shadow, undefined);
      expect((await undo(shadow, undefined)).to).toEqual(planned.to);
      seen.push(repository.read("a.txt"));
    }
    expect(seen).toEqual(["3", "2", "1"]);
    await expect(undo(shadow, undefined)).rejects.toThrow("no earlier snapshot");

    repository.write("a.txt", "5");
    await capture(shadow);
    await undo(shadow, undefined);
    expect(repository.read("a.txt")).toBe("1");
    await expect(undo(shadow, undefined)).rejects.toThrow("no earlier snapshot");
  });

  test("can be planned without changing anything", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("a.txt", "2");
    const before = fingerprint(repository.top);
    expect(changesOf((await planUndo(shadow, 1)).changes)).toEqual(["modified a.txt"]);
    expect(fingerprint(repository.top)).toEqual(before);
  });

  test("keeps links, modes and line ends", async () => {
    const repository = makeRepository({ "run.sh": "1", "crlf.txt": "a\r\nb\r\n", "private.txt": "1" });
    symlinkSync("run.sh", join(repository.top, "link"));
    chmodSync(join(repository.top, "run.sh"), 0o755);
    chmodSync(join(repository.top, "private.txt"), 0o600);
    const shadow = await shadowOf(repository);
    await capture(shadow);
    unlinkSync(join(repository.top, "link"));
    repository.write("link", "now a file");
    chmodSync(join(repository.top, "run.sh"), 0o644);
    repository.write("crlf.txt", "a\nb\n");
    repository.write("private.txt", "2");
    await undo(shadow, 1);
    expect(readlinkSync(join(repository.top, "link"))).toBe("run.sh");
    expect(statSync(join(repository.top, "run.sh")).mode & 0o777).toBe(0o755);
    expect(repository.read("crlf.txt")).toBe("a\r\nb\r\n");
    expect(repository.read("private.txt")).toBe("1");
    expect(statSync(join(repository.top, "private.txt")).mode & 0o777).toBe(0o600);
  });

  test("does not overwrite what is in no snapshot", async () => {
    const repository = makeRepository({ "a.txt": "1", "big.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.git("rm", "--cached", "--quiet", "big.txt");
    unlinkSync(join(repository.top, "big.txt"));
    await capture(shadow);
    repository.write("big.txt", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.write("a.txt", "2");
    const { left } = await undo(shadow, 1);
    expect(left).toEqual([{ path: "big.txt", reason: "a file that is in no snapshot is at this path" }]);
    expect(repository.read("big.txt")).toHaveLength(MAX_NEW_FILE_BYTES + 1);
    expect(repository.read("a.txt")).toBe("1");
  });

  test("restores a file that is now a folder, unless the folder contains more than the snapshots", async () => {
    const repository = makeRepository({ a: "1", b: "1", ".gitignore": "*.log\n" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    for (const path of ["a", "b"]) {
      unlinkSync(join(repository.top, path));
      mkdirSync(join(repository.top, path));
      repository.write(`${path}/new.txt`, "2");
    }
    repository.write("b/x.log", "2");
    const { left } = await undo(shadow, 1);
    expect(repository.read("a")).toBe("1");
    expect(repository.read("b/x.log")).toBe("2");
    expect(left.map(({ path }) => path)).toEqual(["b"]);
  });

  test("does not replace a folder around which a repository has been created", async () => {
    const repository = makeRepository({ "a.txt": "1", "inner/file": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    unlinkSync(join(repository.top, "inner/file"));
    repository.write("inner/file/mine.txt", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.git("-C", "inner", "init", "--quiet");
    repository.write("a.txt", "2");
    const { left } = await undo(shadow, 1);
    expect(left.map(({ path }) => path)).toEqual(["inner/file"]);
    expect(repository.has("inner/file/mine.txt")).toBe(true);
    expect(repository.read("a.txt")).toBe("1");
  });
});

describe("an undo does not change what existed then and is in no snapshot", () => {
  test("files that were ignored then, after the rule was removed or git was told to track them", async () => {
    const repository = makeRepository({ ".gitignore": "*.key\nnode_modules/\n", "a.txt": "1" });
    const shadow = await shadowOf(repository);
    repository.write("my.key", "secret");
    repository.write("forced.key", "secret");
    repository.write("node_modules/x/y.js", "1");
    await capture(shadow);
    unlinkSync(join(repository.top, ".gitignore"));
    repository.git("add", "--force", "forced.key");
    repository.write("new.txt", "2");
    await capture(shadow);
    const { changes, left, from } = await undo(shadow, 1);
    expect(changesOf(changes)).toEqual(["added .gitignore", "deleted new.txt"]);
    expect(left.map(({ path }) => path).sort()).toEqual(["forced.key", "my.key", "node_modules/x/y.js"]);
    expect(new Set(left.map(({ reason }) => reason))).toEqual(new Set(["it was ignored then"]));
    expect(repository.read("my.key")).toBe("secret");

    // Undoing the undo removes the rule again, and nothing else.
    await undo(shadow, from.id);
    expect(repository.has(".gitignore")).toBe(false);
    for (const path of ["my.key", "forced.key", "node_modules/x/y.js", "new.txt"])
      expect(repository.has(path)).toBe(true);
  });

  test("files that were too large then, and those of a folder that is no longer a repository", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write("big.bin", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.write("shrinks.bin", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    repository.write("inner/file.txt", "1");
    repository.git("-C", "inner", "init", "--quiet");
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.git("add", "big.bin");
    repository.write("shrinks.bin", "small");
    rmSync(join(repository.top, "inner/.git"), { recursive: true });
    repository.write("new.txt", "2");
    await capture(shadow);
    const { changes, left } = await undo(shadow, 1);
    expect(changesOf(changes)).toEqual(["deleted new.txt"]);
    expect(left.map(({ path }) => path)).toEqual(["big.bin", "inner/file.txt", "shrinks.bin"]);
    await pruneSnapshots(shadow);
    await undo(shadow, 1);
    for (const path of ["big.bin", "inner/file.txt", "shrinks.bin"]) expect(repository.has(path)).toBe(true);
  });

  test("and goes on to an earlier state if nothing else differs", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("a.txt", "2");
    await capture(shadow);
    repository.write("big.txt", "1");
    await capture(shadow);
    unlinkSync(join(repository.top, "big.txt"));
    await capture(shadow);
    repository.write("big.txt", "x".repeat(MAX_NEW_FILE_BYTES + 1));
    expect(changesOf((await undo(shadow, undefined)).changes)).toEqual(["modified a.txt"]);
    expect(repository.read("a.txt")).toBe("1");
  });
});

test("the permissions of a restored file are the same as before", async () => {
  const repository = makeRepository({ "private.txt": "1", "public.txt": "1", "run.sh": "1" });
  chmodSync(join(repository.top, "private.txt"), 0o600);
  chmodSync(join(repository.top, "run.sh"), 0o700);
  const shadow = await shadowOf(repository);
  await capture(shadow);
  for (const path of ["private.txt", "public.txt", "run.sh"]) unlinkSync(join(repository.top, path));
  await capture(shadow);
  await pruneSnapshots(shadow);
  await undo(shadow, 1);
  const modes = ["private.txt", "public.txt", "run.sh"].map(
    (path) => statSync(join(repository.top, path)).mode & 0o777,
  );
  expect(modes).toEqual([0o600, 0o666 & ~process.umask(), 0o700]);
});

describe("only a file that became private is restored as private", () => {
  test("if that was between two snapshots", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    // Git compares times in whole seconds.
    await setTimeout(1_100);
    chmodSync(join(repository.top, "a.txt"), 0o600);
    await capture(shadow);
    unlinkSync(join(repository.top, "a.txt"));
    await undo(shadow, undefined);
    expect(statSync(join(repository.top, "a.txt")).mode & 0o777).toBe(0o600);
  });

  test("if that was immediately before an undo removed it, and the undo is undone", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    repository.write("new.txt", "2");
    await capture(shadow);
    chmodSync(join(repository.top, "new.txt"), 0o600);
    const { from } = await undo(shadow, 1);
    expect(repository.has("new.txt")).toBe(false);
    await undo(shadow, from.id);
    expect(statSync(join(repository.top, "new.txt")).mode & 0o777).toBe(0o600);
  });
});

test("an undo that cannot be done says where the state before it is", async () => {
  const repository = makeRepository({ "a.txt": "1", "d/b.txt": "1" });
  const shadow = await shadowOf(repository);
  await capture(shadow);
  repository.write("a.txt", "2");
  // A git that fails when it writes files.
  const bin = temporaryFolder();
  writeFileSync(
    join(bin, "git"),
    `#!/bin/sh\ncase " $* " in *" -m -u "*) kill -9 $$;; esac\nexec ${shadow.gitFile} "$@"\n`,
  );
  chmodSync(join(bin, "git"), 0o755);
  await expect(undo({ ...shadow, gitFile: join(bin, "git") }, 1)).rejects.toThrow(
    "git read-tree was ended by SIGKILL; the state before it is snapshot 2",
  );
});
