import { existsSync } from "node:fs";
import path from "node:path";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinAnswer, type BuiltinCall, silent } from "./builtin.ts";
import { realPathOf } from "./real-path.ts";

/**
 * Asking git about a repository that anybody may have made. What stands in a repository's own configuration names
 * programs at a dozen places, and the folder that is looked at besides; none of that may count here.
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

/** What a repository may point at any file of the machine by, an endless one as well. */
const FILES = ["core.attributesfile", "core.excludesfile", "diff.orderfile", "mailmap.file"];

const VARIABLES: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // A partial clone would fetch what is missing, by way of a program that its configuration names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  LC_ALL: "C",
};

/** The nearest folder upwards that has something called `.git` in it; git's own checks come later. */
export function repositoryRoot(folder: string): string | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/**
 * The text that git prints, under a heading and cut at a number of bytes. Without git, without a repository, or where
 * git has something against it, there is nothing to say.
 */
export async function addGitText(
  call: BuiltinCall,
  heading: string,
  args: readonly string[],
  maxBytes: number,
): Promise<BuiltinAnswer> {
  // As git will find itself in: by way of a link, the folders above would be others than it sees.
  const root = repositoryRoot(realPathOf(call.workingDir));
  if (root === undefined) return silent();
  const base = [
    "--no-pager",
    // Else the repository's configuration could have any folder of the user's compared with what it holds.
    `--work-tree=${root}`,
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  // Of a `.git` that is none, git would go on to a repository further up, and compare that with this folder.
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

/** Names of what the repository's own configuration sets. */
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
 * Settings in the place of those that the repository makes itself; the user's own are the user's. To see whether a file
 * has changed, git runs it through the filter that its attributes name. By the environment, since a name may hold what
 * `-c` takes for the end of it.
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
