import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { readCheckpoints } from "../../../../src/executors/builtin/snapshot/checkpoints.ts";
import type { Shadow } from "../../../../src/executors/builtin/snapshot/shadow.ts";
import {
  openShadow,
  planUndo,
  pruneSnapshots,
  takeSnapshot,
  undo,
} from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import { fingerprint, makeRepository, type Repository, temporaryFolder } from "../repository.ts";

async function shadowOf({ top, state }: Repository, stop = new Stop()): Promise<Shadow> {
  const shadow = await openShadow(top, stop, state);
  if (shadow === undefined) throw new Error("no repository");
  return shadow;
}

const capture = async (shadow: Shadow) => (await takeSnapshot(shadow, { event: "TurnEnd", session: "s" })).checkpoint;

describe("a hostile repository", () => {
  test("cannot have its programs run, nor its conversions", async () => {
    const repository = makeRepository({ "a.txt": "1\r\n$Id$\r\n" });
    const trace = join(temporaryFolder(), "trace");
    const program = join(temporaryFolder(), "program");
    writeFileSync(program, `#!/bin/sh\necho ran >> ${trace}\ncat\n`);
    chmodSync(program, 0o755);
    repository.write(
      ".gitattributes",
      "[attr]binary filter=evil\n* text eol=lf ident filter=evil diff=evil merge=evil\n*.txt working-tree-encoding=UTF-16 binary\n",
    );
    repository.write(
      ".git/config",
      [
        "[core]\n repositoryformatversion = 0\n autocrlf = input\n",
        ` fsmonitor = ${program}\n hooksPath = ${program}\n pager = ${program}\n sshCommand = ${program}\n`,
        ` editor = ${program}\n attributesFile = ${join(repository.top, ".gitattributes")}\n worktree = /\n`,
        `[filter "evil"]\n clean = ${program}\n smudge = ${program}\n process = ${program}\n required = true\n`,
        `[diff "evil"]\n textconv = ${program}\n command = ${program}\n[alias]\n diff-files = !${program}\n`,
        `[gc]\n auto = 1\n[extensions]\n worktreeConfig = true\n`,
      ].join(""),
    );
    for (const hook of ["pre-commit", "post-checkout", "post-index-change", "fsmonitor-watchman"]) {
      writeFileSync(join(repository.top, ".git/hooks", hook), readFileSync(program), { mode: 0o755 });
    }
    const shadow = await shadowOf(repository);
    expect(shadow.workTree.top).toBe(repository.top);
    await capture(shadow);
    repository.write("a.txt", "2");
    await capture(shadow);
    await planUndo(shadow, 1);
    await undo(shadow, 1);
    await pruneSnapshots(shadow);
    expect(repository.read("a.txt")).toBe("1\r\n$Id$\r\n");
    expect(existsSync(trace)).toBe(false);
  });

  test("cannot redirect git's own variables", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const other = makeRepository({ "b.txt": "1" });
    const before = fingerprint(join(other.top, ".git"));
    const misleading = {
      GIT_DIR: join(other.top, ".git"),
      GIT_INDEX_FILE: join(other.top, ".git/index"),
      GIT_TRACE: join(other.top, "trace"),
    };
    Object.assign(process.env, misleading);
    try {
      const shadow = await shadowOf(repository);
      expect(await capture(shadow)).toMatchObject({ id: 1 });
    } finally {
      for (const name of Object.keys(misleading)) delete process.env[name];
    }
    expect(fingerprint(join(other.top, ".git"))).toEqual(before);
    expect(other.has("trace")).toBe(false);
  });

  test("cannot make an undo write through a link in place of a folder", async () => {
    const repository = makeRepository({ "d/f.txt": "1" });
    const outside = temporaryFolder();
    writeFileSync(join(outside, "f.txt"), "not ours");
    const shadow = await shadowOf(repository);
    await capture(shadow);
    rmSync(join(repository.top, "d"), { recursive: true });
    symlinkSync(outside, join(repository.top, "d"));
    const { left } = await undo(shadow, 1);
    expect(left).toEqual([]);
    expect(repository.read("d/f.txt")).toBe("1");
    expect(readFileSync(join(outside, "f.txt"), "utf8")).toBe("not ours");
  });

  test("cannot do so with a link that is in no snapshot", async () => {
    const repository = makeRepository({ "d/f.txt": "1", "a.txt": "1" });
    const outside = temporaryFolder();
    const shadow = await shadowOf(repository);
    await capture(shadow);
    rmSync(join(repository.top, "d"), { recursive: true });
    repository.git("rm", "-r", "--cached", "--quiet", "d");
    repository.write(".git/info/exclude", "/d\n");
    repository.write("a.txt", "2");
    symlinkSync(outside, join(repository.top, "d"));
    const { left } = await undo(shadow, 1);
    expect(left).toEqual([
      { path: "d/f.txt", reason: "a part of its path is a link or a file that is in no snapshot" },
    ]);
    expect(readlinkSync(join(repository.top, "d"))).toBe(outside);
    expect(readdirSync(outside)).toEqual([]);
    expect(repository.read("a.txt")).toBe("1");
  });

  test("has files with any name that the system allows stored and restored", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const names = [
      "new\nline",
      "-dash",
      "--help",
      " blank ",
      'quo"te',
      "tab\t",
      "back\\slash",
      ":(glob)*",
      "*",
      "ünï",
      "é\u0301",
    ];
    const bytes = Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x74]);
    const odd = Buffer.concat([Buffer.from(`${repository.top}/`), bytes]);
    for (const name of names) repository.write(`dir/${name}`, name);
    writeFileSync(odd, "odd");
    const shadow = await shadowOf(repository);
    await capture(shadow);
    for (const name of names) unlinkSync(join(repository.top, "dir", name));
    unlinkSync(odd);
    const { changes } = await undo(shadow, 1);
    expect(changes).toHaveLength(names.length + 1);
    for (const name of names) expect(repository.read(`dir/${name}`)).toBe(name);
    expect(readFileSync(odd, "utf8")).toBe("odd");
  });

  test("cannot block a snapshot with pipes, unreadable files and dangling links", async () => {
    const repository = makeRepository({ "a.txt": "1", "private.txt": "1" });
    execFileSync("mkfifo", [join(repository.top, "pipe")]);
    chmodSync(join(repository.top, "private.txt"), 0o000);
    symlinkSync("nowhere", join(repository.top, "dangling"));
    symlinkSync(".", join(repository.top, "loop"));
    rmSync(join(repository.top, ".git/info"), { recursive: true });
    mkdirSync(join(repository.top, ".git/info"));
    execFileSync("mkfifo", [join(repository.top, ".git/info/exclude")]);
    const shadow = await shadowOf(repository);
    expect(await capture(shadow)).toMatchObject({ id: 1 });
    unlinkSync(join(repository.top, "dangling"));
    await undo(shadow, 1);
    expect(readlinkSync(join(repository.top, "dangling"))).toBe("nowhere");
  });

  test("with a broken index or without its objects is captured nevertheless", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    repository.write(".git/index", "not an index");
    rmSync(join(repository.top, ".git/objects"), { recursive: true });
    expect(await capture(await shadowOf(repository))).toMatchObject({ id: 1 });
  });
});

describe("a process that died", () => {
  test("during a capture leaves nothing that breaks the next capture", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    for (let n = 0; n < 300; n += 1) repository.write(`many/${n}.bin`, Buffer.alloc(200_000, n));
    const shadow = await shadowOf(repository);
    const script = resolve(import.meta.dirname, "capture-once.ts");
    const child = spawn(process.execPath, ["--import", "tsx", script, repository.top, repository.state], {
      stdio: "ignore",
    });
    const objects = join(shadow.folder, "git/objects");
    // Killed while git writes objects.
    while (child.exitCode === null && (!existsSync(objects) || readdirSync(objects).length < 20)) await delay(2);
    child.kill("SIGKILL");
    await new Promise((ended) =>
      child.exitCode === null && child.signalCode === null ? child.once("exit", ended) : ended(0),
    );
    expect(child.signalCode).toBe("SIGKILL");
    expect(await readCheckpoints(shadow.folder)).toEqual([]);
    expect(existsSync(join(shadow.folder, "lock"))).toBe(true);

    expect(await capture(shadow)).toMatchObject({ id: 1 });
    expect(readdirSync(shadow.folder).sort()).toEqual(["checkpoints.jsonl", "git", "whole"]);
    // The git that the process started may outlive it for a moment.
    await expect
      .poll(async () => {
        await capture(shadow);
        return readdirSync(join(shadow.folder, "git")).filter((name) => name.startsWith("index"));
      })
      .toEqual(["index"]);
    rmSync(join(repository.top, "many"), { recursive: true });
    await undo(shadow, 1);
    expect(readdirSync(join(repository.top, "many"))).toHaveLength(300);
  });

  test("while it created the repository has it created again", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    mkdirSync(join(shadow.folder, "git/objects"), { recursive: true });
    writeFileSync(join(shadow.folder, "git/HEAD"), "ref: ");
    expect(await capture(shadow)).toMatchObject({ id: 1 });
  });

  test("has its lock taken over, and the lock of a live process is waited for", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    mkdirSync(shadow.folder, { recursive: true });
    const child = spawn("true", { stdio: "ignore" });
    await new Promise((ended) => child.once("exit", ended));
    writeFileSync(join(shadow.folder, "lock"), JSON.stringify({ pid: child.pid, host: hostname(), token: "x" }));
    expect(await capture(shadow)).toMatchObject({ id: 1 });

    repository.write("a.txt", "2");
    writeFileSync(join(shadow.folder, "lock"), JSON.stringify({ pid: process.pid, host: hostname(), token: "x" }));
    const stop = new Stop();
    const waiting = capture({ ...shadow, stop });
    setTimeout(() => stop.abort({ kind: "timeout", message: "late" }), 60);
    await expect(waiting).rejects.toThrow("stopped while waiting for another snapshot of this repository");
    expect(existsSync(join(shadow.folder, "lock"))).toBe(true);
  });

  test("while it wrote a line of the list costs only that line", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    const list = join(shadow.folder, "checkpoints.jsonl");
    writeFileSync(list, `${readFileSync(list, "utf8")}{"id":2,"time":"2026`);
    repository.write("a.txt", "2");
    expect(await capture(shadow)).toMatchObject({ id: 2 });
    expect((await readCheckpoints(shadow.folder)).map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe("stored snapshots", () => {
  test("pass no option to git through a name in their list", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    const checkpoint = await capture(shadow);
    writeFileSync(
      join(shadow.folder, "checkpoints.jsonl"),
      `${JSON.stringify({ ...checkpoint, tree: "--output=/tmp/x" })}\n`,
    );
    expect(await readCheckpoints(shadow.folder)).toEqual([]);
  });

  test("are repaired after a torn index or lost objects", async () => {
    const repository = makeRepository({ "a.txt": "1", "b.txt": "1" });
    const shadow = await shadowOf(repository);
    await capture(shadow);
    writeFileSync(join(shadow.folder, "git/index"), "DIRC torn");
    repository.write("a.txt", "2");
    expect(await capture(shadow)).toMatchObject({ id: 2, files: 1 });
    renameSync(join(shadow.folder, "git/objects"), join(shadow.folder, "git/lost"));
    mkdirSync(join(shadow.folder, "git/objects"));
    repository.write("a.txt", "3");
    expect(await capture(shadow)).toMatchObject({ id: 3 });
    repository.write("a.txt", "4");
    await undo(shadow, 3);
    expect(repository.read("a.txt")).toBe("3");
    await expect(undo(shadow, 1)).rejects.toThrow("git diff-tree");
  });

  test("of many captures at the same time are in one list", async () => {
    const repository = makeRepository({ "a.txt": "1" });
    const shadow = await shadowOf(repository);
    await Promise.all(
      Array.from({ length: 6 }, async (_, n) => {
        repository.write(`${n}.txt`, "x");
        await capture(shadow);
      }),
    );
    const ids = (await readCheckpoints(shadow.folder)).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(existsSync(join(shadow.folder, "lock"))).toBe(false);
  });

  test("that are old are removed at the end of a session, with the objects that only they needed", async () => {
    const repository = makeRepository({ "a.txt": "0" });
    const shadow = await shadowOf(repository);
    for (let n = 1; n <= 3; n += 1) {
      repository.write("a.txt", `content ${n}`);
      await capture(shadow);
    }
    const list = join(shadow.folder, "checkpoints.jsonl");
    const [first, ...others] = await readCheckpoints(shadow.folder);
    const old = { ...first, time: "2001-01-01T00:00:00.000Z" };
    writeFileSync(list, [old, ...others].map((one) => `${JSON.stringify(one)}\n`).join(""));
    const count = (): number => readdirSync(join(shadow.folder, "git/objects"), { recursive: true }).length;
    const before = count();
    await pruneSnapshots(shadow);
    expect((await readCheckpoints(shadow.folder)).map(({ id }) => id)).toEqual([2, 3]);
    expect(count()).toBeLessThan(before);
    await undo(shadow, 2);
    expect(repository.read("a.txt")).toBe("content 2");
  });
});
