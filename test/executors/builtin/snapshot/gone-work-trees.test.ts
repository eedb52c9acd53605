import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withLock } from "../../../../src/executors/builtin/snapshot/lock.ts";
import type { Shadow } from "../../../../src/executors/builtin/snapshot/shadow.ts";
import { openShadow } from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import { makeEvent } from "../../../helpers/rules.ts";
import { fingerprint, makeRepository, type Repository, temporaryFolder } from "../repository.ts";
import { notesOf, runBuiltin } from "../run-builtin.ts";

/** Snapshots of work trees that no longer exist, at the end of a session in another work tree. */

const DAY_MS = 86_400_000;

const at = (name: string, { top }: Repository, dataFolder: string, timeLeftMs = 60_000) =>
  runBuiltin("snapshot", makeEvent(name, { cwd: top, session_id: "s" }), { dataFolder, timeLeftMs });

/** Creates what a session leaves in the `dataFolder` of a repository. */
async function snapshotted(dataFolder: string): Promise<{ readonly repository: Repository; readonly shadow: Shadow }> {
  const repository = makeRepository({ "a.txt": "1" });
  expect(notesOf(await at("Stop", repository, dataFolder))).toEqual([]);
  const shadow = await openShadow(repository.top, new Stop(), join(dataFolder, "snapshots"));
  if (shadow === undefined) throw new Error("no repository");
  return { repository, shadow };
}

/** Sets the times of a folder as if its last session had been that many days ago. */
function age(folder: string, days: number): void {
  const then = new Date(Date.now() - days * DAY_MS);
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    utimesSync(join(folder, path), then, then);
  utimesSync(folder, then, then);
}

const remove = (path: string): void => rmSync(path, { recursive: true, force: true });

async function endSession(dataFolder: string): Promise<readonly string[]> {
  return notesOf(await at("SessionEnd", makeRepository({ "b.txt": "2" }), dataFolder));
}

describe("the end of a session", () => {
  test("removes the snapshots of a missing work tree that has not been used for 30 days", async () => {
    const dataFolder = temporaryFolder();
    const { repository, shadow } = await snapshotted(dataFolder);
    remove(repository.top);
    age(shadow.folder, 31);
    expect(await endSession(dataFolder)).toEqual([]);
    const left = readdirSync(join(dataFolder, "snapshots"));
    expect(left).toHaveLength(1);
    expect(existsSync(shadow.folder)).toBe(false);
  });

  test("keeps the snapshots of an existing work tree, however old they are", async () => {
    const dataFolder = temporaryFolder();
    const { shadow } = await snapshotted(dataFolder);
    age(shadow.folder, 400);
    const before = fingerprint(shadow.folder);
    await endSession(dataFolder);
    expect(fingerprint(shadow.folder)).toEqual(before);
  });

  test("keeps those of a work tree that is missing only temporarily, as on a disk that is not mounted", async () => {
    const dataFolder = temporaryFolder();
    const { repository, shadow } = await snapshotted(dataFolder);
    const away = `${repository.top}-away`;
    renameSync(repository.top, away);
    age(shadow.folder, 29);
    await endSession(dataFolder);
    renameSync(away, repository.top);
    repository.write("a.txt", "2");
    expect(notesOf(await at("Stop", repository, dataFolder))).toEqual([]);
    expect(readFileSync(join(shadow.folder, "checkpoints.jsonl"), "utf8").trimEnd().split("\n")).toHaveLength(2);
  });

  test("counts any use: a capture that finds no change is one", async () => {
    const dataFolder = temporaryFolder();
    const { repository, shadow } = await snapshotted(dataFolder);
    age(shadow.folder, 31);
    expect(notesOf(await at("Stop", repository, dataFolder))).toEqual([]);
    remove(repository.top);
    await endSession(dataFolder);
    expect(existsSync(shadow.folder)).toBe(true);
  });

  test("skips snapshots whose lock is held", async () => {
    const dataFolder = temporaryFolder();
    const { repository, shadow } = await snapshotted(dataFolder);
    remove(repository.top);
    age(shadow.folder, 31);
    await withLock(join(shadow.folder, "lock"), 0, new Stop(), async () => {
      expect(await endSession(dataFolder)).toEqual([]);
      expect(existsSync(join(shadow.folder, "git", "HEAD"))).toBe(true);
    });
    await endSession(dataFolder);
    expect(existsSync(shadow.folder)).toBe(false);
  });

  test("finishes a removal during which another process was killed", async () => {
    const dataFolder = temporaryFolder();
    const { shadow } = await snapshotted(dataFolder);
    const half = `${shadow.folder}.gone`;
    mkdirSync(join(half, "git", "objects", "ab"), { recursive: true });
    writeFileSync(join(half, "git", "objects", "ab", "cd"), "x", { mode: 0o400 });
    await endSession(dataFolder);
    expect(existsSync(half)).toBe(false);
    expect(existsSync(shadow.folder)).toBe(true);
  });

  test("removes nothing that only resembles a shadow, and nothing behind a link", async () => {
    const dataFolder = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(outside, "precious"), "x");
    const { repository, shadow } = await snapshotted(dataFolder);
    const snapshots = join(dataFolder, "snapshots");
    const foreign = join(snapshots, "a".repeat(32));
    mkdirSync(foreign);
    writeFileSync(join(foreign, "whole"), `${repository.top}\n`);
    const unfinished = join(snapshots, "b".repeat(32));
    mkdirSync(unfinished);
    symlinkSync(outside, `${join(snapshots, "c".repeat(32))}.gone`);
    symlinkSync(outside, join(shadow.folder, "git", "objects", "way-out"));
    remove(repository.top);
    for (const folder of [foreign, unfinished, shadow.folder]) age(folder, 31);
    age(outside, 31);

    // A shadow that was moved elsewhere, with a link in its place.
    const moved = await snapshotted(dataFolder);
    renameSync(moved.shadow.folder, join(outside, "moved"));
    symlinkSync(join(outside, "moved"), moved.shadow.folder);
    remove(moved.repository.top);
    age(join(outside, "moved"), 31);

    await endSession(dataFolder);
    expect(existsSync(shadow.folder)).toBe(false);
    expect(readFileSync(join(outside, "precious"), "utf8")).toBe("x");
    expect(existsSync(join(outside, "moved", "git", "HEAD"))).toBe(true);
    expect([foreign, unfinished].filter((folder) => !existsSync(folder))).toEqual([]);
  });

  test("reports what it may not remove, and removes the others", async () => {
    const dataFolder = temporaryFolder();
    const [one, other] = [await snapshotted(dataFolder), await snapshotted(dataFolder)];
    for (const { repository, shadow } of [one, other]) {
      remove(repository.top);
      age(shadow.folder, 31);
    }
    // Nothing can be moved over a folder that is not empty, and a file cannot be emptied as a folder.
    writeFileSync(`${one.shadow.folder}.gone`, "in the way");
    expect((await endSession(dataFolder)).join()).toMatch(/^old snapshots are still there: ENOTDIR/);
    expect(existsSync(one.shadow.folder)).toBe(true);
    expect(existsSync(other.shadow.folder)).toBe(false);
  });
});
