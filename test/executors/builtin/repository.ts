import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A real repository in a new folder, removed after the test. */

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

const INIT = "git init --quiet --initial-branch=main";

export interface Repository {
  readonly top: string;
  /** The folder in which hookbox keeps state. */
  readonly state: string;
  git(...args: string[]): string;
  write(path: string, content: string | Buffer): void;
  read(path: string): string;
  has(path: string): boolean;
}

export function temporaryFolder(name = "hookbox-snapshot-"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), name)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function makeRepository(files: Readonly<Record<string, string>> = {}): Repository {
  const folder = temporaryFolder();
  const top = join(folder, "work");
  const state = join(folder, "state");
  mkdirSync(top);
  const repository: Repository = {
    top,
    state,
    git: (...args) =>
      execFileSync("git", args, { cwd: top, env: { ...process.env, ...IDENTITY }, encoding: "utf8", stdio: "pipe" }),
    write: (path, content) => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), content);
    },
    read: (path) => readFileSync(join(top, path), "utf8"),
    has: (path) => lstatSync(join(top, path), { throwIfNoEntry: false }) !== undefined,
  };
  for (const [path, content] of Object.entries(files)) repository.write(path, content);
  // Starts one process: each start copies this large process, and a shell is small.
  const commands = Object.keys(files).length > 0 ? `${INIT} && git add -A && git commit --quiet -m first` : INIT;
  execFileSync("sh", ["-c", commands], { cwd: top, env: { ...process.env, ...IDENTITY }, stdio: "pipe" });
  return repository;
}

/** Returns every file below a folder with its content, mode and time of modification. */
export function fingerprint(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string): void => {
    for (const name of readdirSync(join(folder, at)).sort()) {
      const path = join(at, name);
      const stats = lstatSync(join(folder, path));
      if (stats.isDirectory()) walk(path);
      const content = stats.isFile()
        ? createHash("sha256")
            .update(readFileSync(join(folder, path)))
            .digest("hex")
        : "";
      found[path] = `${stats.mode} ${stats.mtimeMs} ${content}`;
    }
  };
  walk("");
  return found;
}
