import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleOf } from "../helpers/tier.ts";
import { bashCall, hookbox, type Project, project, replyOf } from "./cli.ts";

/** A run answers and ends for any folders for the cache, the state and temporary files. */

const FOLDERS: readonly (readonly [string, (files: Project) => string])[] = [
  ["/proc", () => "/proc"],
  ["a missing name below /proc", () => "/proc/hookbox/a/b"],
  ["the list of open files", () => "/proc/self/fd"],
  ["a missing name below /sys", () => "/sys/hookbox"],
  ["a device", () => "/dev/null"],
  ["a full disk", () => "/dev/full"],
  ["a named pipe", ({ folder }) => made(join(folder, "pipe"), (path) => spawnSync("mkfifo", [path]))],
  ["a folder of named pipes", pipesInside],
  ["a file", (files) => files.write("file", "x")],
  ["a dangling link", ({ folder }) => made(join(folder, "link"), (path) => symlinkSync(join(folder, "gone"), path))],
  ["a link to itself", ({ folder }) => made(join(folder, "loop"), (path) => symlinkSync(path, path))],
  ["a folder without permissions", ({ folder }) => made(join(folder, "shut"), (path) => mkdirSync(path, 0o000))],
  ["a folder that others may write to", ({ folder }) => made(join(folder, "open"), openFolder)],
  ["a name of 4,000 characters", ({ folder }) => join(folder, "x".repeat(4_000))],
  ["a path of 40,000 characters", ({ folder }) => join(folder, "x/".repeat(20_000))],
  ["nothing", () => ""],
  ["a relative path", () => "here/../there"],
];

function made(path: string, make: (path: string) => unknown): string {
  make(path);
  return path;
}

function openFolder(path: string): void {
  mkdirSync(path);
  chmodSync(path, 0o777);
}

/** Creates named pipes where the folders for cache and state would be. */
function pipesInside({ folder }: Project): string {
  const base = made(join(folder, "pipes"), (path) => mkdirSync(path));
  for (const name of ["hookbox", ".cache", ".local", "hookbox-keepers-0"]) spawnSync("mkfifo", [join(base, name)]);
  return base;
}

/** Configures hooks that use the cache, the state folder, temporary files and a keeper. */
function configured(files: Project): string {
  return files.configure(
    "PreToolUse",
    { type: "command", command: `echo '{"decision":"block","reason":"never"}'` },
    { type: "command", command: "true", once: true },
    { type: "command", command: "true", async: true },
  );
}

test("a run refuses if the user's configuration may be behind a link to itself", async () => {
  const files = project();
  const folder = made(join(files.folder, "loop"), (path) => symlinkSync(path, path));
  const config = configured(files);
  const env = { XDG_CONFIG_HOME: folder };
  const refused = await hookbox(["run", "--config", config], { stdin: bashCall("ls"), cwd: files.folder, env });
  expect(refused).toMatchObject({ exitCode: 2, signal: null });
  expect(refused.stderr).toContain("ELOOP");
});

const SERVED = sampleOf(FOLDERS, 4, () => "folder");

test.each(FOLDERS)("a run ends and refuses if every folder of its user is %s", async (what, folderOf) => {
  const files = project();
  const folder = folderOf(files);
  const env = { HOME: folder, XDG_CACHE_HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, TMPDIR: folder };
  // The user's configuration may be behind the link, see the test above.
  if (what === "a link to itself") Object.assign(env, { HOME: files.folder, XDG_CONFIG_HOME: files.folder });
  const config = configured(files);
  const one = await hookbox(["run", "--config", config], { stdin: bashCall("rm -rf /"), cwd: files.folder, env });
  expect(one).toMatchObject({ exitCode: 0, signal: null });
  expect(replyOf(one)).toMatchObject({
    permissionDecision: "deny",
    permissionDecisionReason: expect.stringContaining("never"),
  });
  if (!SERVED.some(([served]) => served === what)) return;
  const lines = await hookbox(["run", "--lines", "--config", config], {
    stdin: `${bashCall("rm -rf /")}\n${bashCall("rm -rf /")}\n`,
    cwd: files.folder,
    env,
  });
  expect(lines).toMatchObject({ exitCode: 0, signal: null });
  expect(lines.stdout.trim().split("\n")).toHaveLength(2);
});
