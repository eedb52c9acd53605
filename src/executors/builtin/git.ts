import { existsSync } from "node:fs";
import path from "node:path";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinAnswer, type BuiltinCall, silent } from "./builtin.ts";
import { realPathOf } from "./real-path.ts";

/**
 * Runs git in a repository that may come from an attacker. The repository's own configuration can name programs to run
 * and another work tree. None of these settings may have an effect here.
 */

const MAX_NOTE = 200;

const NOTHING = process.platform === "win32" ? "NUL" : "/dev/null";

const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": NOTHING,
  "core.quotePath": "false",
  "core.untrackedCache": "false",
  "color.ui": "false",
  "diff.external": "",
  "log.showSignature": "false",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

/** Settings with which a repository may name any file of the machine, even an endless one. */
const FILES = ["core.attributesfile", "core.excludesfile", "diff.orderfile", "mailmap.file"];

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // A partial clone would fetch missing objects with a program that its configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  LC_ALL: "C",
};

/** Returns the nearest folder upwards that contains `.git`. Git itself checks later whether it is a repository. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/**
 * Adds git's output under a heading, cut at `maxBytes`. Adds nothing if git is missing, if there is no repository, or
 * if git fails.
 */
export async function addGitText(
  call: BuiltinCall,
  heading: string,
  args: readonly string[],
  maxBytes: number,
): Promise<BuiltinAnswer> {
  // The real path is used, because git sees it too and a link has other parent folders.
  const root = repositoryRoot(realPathOf(call.workingDir));
  if (root === undefined) return silent();
  const base = [
    "--no-pager",
    // Without this option, the repository's configuration could make git compare any folder of the user.
    `--work-tree=${root}`,
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  // Without the ceiling, git would search for a repository further up if `.git` is not a repository.
  const variables = { ...VARIABLES, GIT_CEILING_DIRECTORIES: path.dirname(root) };
  const own = await ownKeys(call, base, variables);
  if ("note" in own) return silent(own.note);
  const env = { ...variables, ...withoutOwn(own.keys) };
  const ending = await call.tools.run("git", [...base, ...args], { env, stdoutBytes: maxBytes });
  const isCut = ending.by === "overflow";
  if (!isCut && (ending.by !== "exit" || ending.code !== 0)) return silent(describe(ending));
  const text = ending.stdout.trimEnd();
  if (text === "") return silent();
  return addText(`${heading}\n${text}${isCut ? `\n[cut at ${maxBytes} bytes]` : ""}`);
}

type OwnKeys = { readonly keys: readonly string[] } | { readonly note: string };

/** Returns the names of the settings in the repository's own configuration. */
async function ownKeys(
  call: BuiltinCall,
  base: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<OwnKeys> {
  const args = [...base, "config", "--list", "--includes", "--show-scope", "--name-only", "-z"];
  const ending = await call.tools.run("git", args, { env });
  if (ending.by !== "exit" || ending.code !== 0) return { note: describe(ending) };
  const parts = ending.stdout.split("\0");
  return { keys: parts.filter((_, i) => i % 2 === 1 && ["local", "worktree"].includes(parts[i - 1] ?? "")) };
}

/**
 * Returns variables that override the repository's own filters and file settings, because git runs the filter that a
 * file's attributes name. The user's own settings stay. `-c` is not used, because it would end at a `=` in a filter's
 * name.
 */
function withoutOwn(keys: readonly string[]): Readonly<Record<string, string>> {
  const filters = new Set(keys.flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []));
  const settings = [...filters].flatMap((name) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  settings.push(...FILES.filter((key) => keys.includes(key)).map((key) => [key, NOTHING]));
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key = "", value = ""], i) => [
      [`GIT_CONFIG_KEY_${i}`, key],
      [`GIT_CONFIG_VALUE_${i}`, value],
    ]),
  ]);
}

type Ending = Awaited<ReturnType<BuiltinCall["tools"]["run"]>>;

function describe(ending: Ending): string {
  switch (ending.by) {
    case "missing":
      return `git: ${cleanLine(ending.reason, MAX_NOTE)}`;
    case "stopped":
      return "git was stopped";
    case "overflow":
      return `git wrote more than ${ending.limit} bytes`;
    case "signal":
      return `git ended with ${ending.signal}`;
    case "exit":
      return `git ended with exit code ${ending.code}: ${cleanLine(ending.stderr, MAX_NOTE)}`;
  }
}
