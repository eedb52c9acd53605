import { existsSync } from "node:fs";
import path from "node:path";
import { cleanLine } from "../../text.ts";
import { addText, type BuiltinAnswer, type BuiltinCall, silent } from "./builtin.ts";

/**
 * Asking git about a repository that anybody may have made. What stands in a repository's own configuration names
 * programs at a dozen places, and the folder that is looked at besides; none of that may count here.
 */

const MAX_NOTE = 200;

const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": process.platform === "win32" ? "NUL" : "/dev/null",
  "core.quotePath": "false",
  "core.untrackedCache": "false",
  "color.ui": "false",
  "diff.external": "",
  "log.showSignature": "false",
  "safe.bareRepository": "explicit",
  "submodule.recurse": "false",
};

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
  const root = repositoryRoot(call.workingDir);
  if (root === undefined) return silent();
  const base = [
    "--no-pager",
    // Else the repository's configuration could have any folder of the user's compared with what it holds.
    `--work-tree=${root}`,
    ...Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
  const filters = await namesOfFilters(call, base);
  if (typeof filters === "object" && "note" in filters) return silent(filters.note);
  const env = { ...VARIABLES, ...withoutFilters(filters) };
  const ending = await call.tools.run("git", [...base, ...args], { env, stdoutBytes: maxBytes });
  const isCut = ending.by === "overflow";
  if (!isCut && (ending.by !== "exit" || ending.code !== 0)) return silent(describe(ending));
  const text = ending.stdout.trimEnd();
  if (text === "") return silent();
  return addText(`${heading}\n${text}${isCut ? `\n[cut at ${maxBytes} bytes]` : ""}`);
}

/**
 * Filters that the repository itself defines. To see whether a file has changed, git runs a file through the filter
 * that its attributes name; those of the user's own configuration are the user's.
 */
async function namesOfFilters(
  call: BuiltinCall,
  base: readonly string[],
): Promise<readonly string[] | { readonly note: string }> {
  const args = [...base, "config", "--list", "--includes", "--show-scope", "--name-only", "-z"];
  const ending = await call.tools.run("git", args, { env: VARIABLES });
  if (ending.by !== "exit" || ending.code !== 0) return { note: describe(ending) };
  const parts = ending.stdout.split("\0");
  const keys = parts.filter((_, i) => i % 2 === 1 && ["local", "worktree"].includes(parts[i - 1] ?? ""));
  return [...new Set(keys.flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []))];
}

/** By the environment, since a name may hold what `-c` takes for the end of it. */
function withoutFilters(names: readonly string[]): Readonly<Record<string, string>> {
  const settings = names.flatMap((name) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
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
