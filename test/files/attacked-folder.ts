import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeFolder } from "../helpers/folders.ts";

/** A folder with files that may be read, and around it files that may not. */

/** Contained in every file outside; never in a path or pattern. */
export const MARKER = "outside-marker-4c1f";
/** Part of the name of a file outside that no path names: only a listing could reveal it. */
export const HIDDEN_NAME = "hidden-name-88d2";
export const INSIDE = "inside-text-02ab";

export interface AttackedFolder {
  readonly root: string;
  readonly parent: string;
}

export async function attackedFolder(): Promise<AttackedFolder> {
  const parent = makeFolder({
    "secret.txt": MARKER,
    "app/inside.txt": INSIDE,
    "app/folder/below.txt": INSIDE,
    "app-secrets/secret.txt": MARKER,
    [`app-secrets/${HIDDEN_NAME}`]: MARKER,
    "elsewhere/secret.txt": MARKER,
    [`elsewhere/${HIDDEN_NAME}`]: MARKER,
    "elsewhere/below.txt": MARKER,
    "APP/secret.txt": MARKER,
    "ap/secret.txt": MARKER,
    "app\u0301/secret.txt": MARKER,
    "~/secret.txt": MARKER,
  });
  const root = join(parent, "app");
  const link = (name: string, target: string): void => symlinkSync(target, join(root, name));
  link("to-file", "../secret.txt");
  link("to-file-absolute", join(parent, "secret.txt"));
  link("to-folder", "../elsewhere");
  link("to-sibling", "../app-secrets");
  link("to-parent", "..");
  link("to-root", "/");
  link("chain-1", "chain-2");
  link("chain-2", "folder/chain-3");
  link("folder/chain-3", "../../secret.txt");
  link("loop-1", "loop-2");
  link("loop-2", "loop-1");
  link("itself", "itself");
  link("dangling", "../nothing-here");
  link("zero", "/dev/zero");
  link("stdin", "/dev/stdin");
  link("environment", "/proc/self/environ");
  link("process-root", "/proc/self/root");
  link("process-folder", "/proc/self/cwd");
  link("out-and-in", "../app/folder/below.txt");
  link("folder/up", "../..");
  execFileSync("mkfifo", [join(root, "pipe"), join(parent, "outer-pipe")]);
  link("to-outer-pipe", "../outer-pipe");
  writeFileSync(join(root, "with\nnewline.txt"), INSIDE);
  mkdirSync(join(root, "folder", "empty"));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { root, parent };
}

/** Paths that lead outside, or to something other than a file. None of them may be read, found or listed. */
export function hostilePaths({ root, parent }: AttackedFolder): readonly string[] {
  return [
    "../secret.txt",
    "..",
    "../",
    "folder/../../secret.txt",
    "folder/../../app-secrets/secret.txt",
    "./.././secret.txt",
    "nothing/../../secret.txt",
    "inside.txt/../../secret.txt",
    "../app-secrets/secret.txt",
    "../app-secrets",
    "../APP/secret.txt",
    "../ap/secret.txt",
    "../app\u0301/secret.txt",
    "../app/../secret.txt",
    "//../secret.txt",
    "....//secret.txt",
    "..\\secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "\uff0e\uff0e/secret.txt",
    "..\u2215secret.txt",
    "..\u200b/secret.txt",
    " ../secret.txt",
    ".. /secret.txt",
    "../secret.txt\0",
    "inside.txt\0/../../secret.txt",
    "\0",
    "~",
    "~/secret.txt",
    "~root/.bashrc",
    "$HOME/.bashrc",
    "${HOME}/.bashrc",
    "file:///etc/passwd",
    `file://${parent}/secret.txt`,
    "/",
    "/etc/passwd",
    "/etc",
    parent,
    join(parent, "secret.txt"),
    `${root}-secrets/secret.txt`,
    `${root}/../secret.txt`,
    `${root}/../app-secrets/secret.txt`,
    `${root.toUpperCase()}/secret.txt`,
    `${parent}/APP/secret.txt`,
    `${parent}//app-secrets//secret.txt`,
    "to-file",
    "to-file-absolute",
    "to-folder",
    "to-folder/secret.txt",
    "to-folder/below.txt",
    "to-sibling/secret.txt",
    "to-parent",
    "to-parent/secret.txt",
    "to-parent/app-secrets",
    "to-root",
    "to-root/etc/passwd",
    "chain-1",
    "chain-2",
    "folder/chain-3",
    "folder/up/secret.txt",
    "folder/up/app-secrets/secret.txt",
    "loop-1",
    "loop-1/secret.txt",
    "itself",
    "dangling",
    "zero",
    "stdin",
    "environment",
    "process-root",
    `process-root${parent}/secret.txt`,
    "process-folder/package.json",
    "to-root/proc/self/environ",
    "/proc/self/environ",
    "/proc/self/mem",
    "/proc/self/fd/0",
    "/proc/self/cwd/package.json",
    `/proc/self/root${parent}/secret.txt`,
    `/proc/self/root${root}/inside.txt`,
    "/proc/1/environ",
    "/proc/thread-self/environ",
    "/sys/kernel/notes",
    "/dev/zero",
    "/dev/stdin",
    "/dev/fd/0",
    "/dev/tty",
    "pipe",
    "to-outer-pipe",
    "../outer-pipe",
    "socket",
    "x".repeat(300),
    "x/".repeat(2_000),
    "x".repeat(5_000),
    "../".repeat(1_000),
    `${"folder/../".repeat(300)}../secret.txt`,
    "inside.txt/x",
    "with",
  ];
}

/** Patterns that could match something outside only by leaving the folder. */
export function hostilePatterns({ root, parent }: AttackedFolder): readonly string[] {
  return [
    "../*",
    "../**/*",
    "**/../../*",
    "{..,.}/*",
    "[.][.]/*",
    ".?/secret.txt",
    "??/secret.txt",
    "\\.\\./secret.txt",
    "{.,..}/{secret.txt,app-secrets/*}",
    "/**",
    "/etc/*",
    `${parent}/*`,
    `${parent}/**/secret.txt`,
    `${root}-secrets/*`,
    `${root}/../*`,
    "~/*",
    "to-folder/*",
    "to-parent/**",
    "to-root/etc/*",
    "to-root/proc/self/*",
    "t*/secret.txt",
    "**/secret.txt",
    "**/to-folder/**",
    "*/up/*",
    "folder/up/**",
    "loop-1/**",
    "itself/*",
    "process-root/**",
    "/proc/**",
    "/proc/self/*",
    "/dev/*",
    "**/hidden-nam[e]*",
    "*\0*",
  ];
}
