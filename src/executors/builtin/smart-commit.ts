import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { isWithin } from "../../models/recursion.ts";
import type { Variables } from "../../processes/environment.ts";
import type { ProgramEnding } from "../../processes/run-program.ts";
import { type BuiltinCall, type BuiltinHook, silent } from "./builtin.ts";
import { messageFor } from "./commit-message.ts";
import { whyProgramFailed } from "./program-failure.ts";

/** Files in the `.git` folder that show a merge, rebase or similar in progress. Committing would include half of it. */
const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG"];
/** Scripts of `package.json` that run before the commit, in this order, if they exist. */
const CHECKS = ["lint", "test"];
const NO_TESTS = /no test specified/;
const MAX_PACKAGE_BYTES = 1_048_576;
/** The maximum output of a check, which may print several lines for each of many tests. */
const MAX_SAID_BYTES = 67_108_864;

const MANAGERS: readonly (readonly [lockFile: string, manager: string])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** Variables for signing and for the author's identity. */
const FOR_GIT = /^(?:GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|SSH_AUTH_SOCK|GNUPGHOME|GPG_TTY|XDG_CONFIG_HOME)$/;

/**
 * Commits what is staged. If nothing is staged, commits changes to files that git tracks, but no new files, because
 * they may be anything. Runs the project's own checks first and the repository's hooks. Never pushes.
 */
export const smartCommit: BuiltinHook = {
  run: async (call) => {
    // A check or a hook of the commit may start an agent, whose end would commit again.
    if (isWithin()) return silent("nothing was committed: this runs inside another hook");
    const found = await findChanges(call);
    if (found === undefined) return silent();
    if (typeof found === "string") return silent(`nothing was committed: ${found}`);
    const failed = await checkProject(call);
    if (failed !== undefined) return silent(`nothing was committed: ${failed}`);
    const { message, note } = await messageFor(call, (args) => git(call, args), found);
    const how = found.isStaged ? [] : ["--all"];
    const ending = await git(call, ["commit", "--quiet", ...how, "--cleanup=whitespace", "--file=-"], message);
    const why = whyProgramFailed("git commit", ending);
    const notes = note === undefined ? [] : [note];
    return why === undefined ? silent(...notes) : silent(...notes, `nothing was committed: ${why}`);
  },
};

function git({ tools, env }: BuiltinCall, args: readonly string[], input = ""): Promise<ProgramEnding> {
  const variables: Variables = Object.fromEntries(Object.entries(env).filter(([name]) => FOR_GIT.test(name)));
  return tools.run("git", args, { input, env: { ...variables, GIT_TERMINAL_PROMPT: "0" } });
}

interface FoundChanges {
  readonly isStaged: boolean;
  readonly files: readonly string[];
}

/** Returns the changes; `undefined` if there are none, and a text if committing is not allowed now. */
async function findChanges(call: BuiltinCall): Promise<FoundChanges | string | undefined> {
  const where = await git(call, ["rev-parse", "--git-dir"]);
  if (where.by !== "exit" || where.code !== 0) return undefined;
  const gitDir = resolve(call.workingDir, where.stdout.replace(/\r?\n$/, ""));
  const underWay = UNDER_WAY.find((name) => existsSync(join(gitDir, name)));
  if (underWay !== undefined) return `an operation of git is in progress, because ${underWay} exists`;
  for (const isStaged of [true, false]) {
    const args = ["diff", "--name-only", "-z", "--no-relative", "--no-ext-diff", ...(isStaged ? ["--cached"] : [])];
    const listed = await git(call, args);
    const why = whyProgramFailed("git diff", listed);
    if (why !== undefined) return why;
    const files = "stdout" in listed ? listed.stdout.split("\0").filter((name) => name !== "") : [];
    if (files.length > 0) return { isStaged, files };
  }
  return undefined;
}

async function checkProject({ tools, workingDir }: BuiltinCall): Promise<string | undefined> {
  const scripts = await scriptsOf(workingDir);
  const manager = MANAGERS.find(([lockFile]) => existsSync(join(workingDir, lockFile)))?.[1] ?? "npm";
  for (const name of CHECKS) {
    const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    if (typeof script !== "string" || script === "" || NO_TESTS.test(script)) continue;
    const ending = await tools.run(manager, ["run", name], { stdoutBytes: MAX_SAID_BYTES });
    const why = whyProgramFailed(`${manager} run ${name}`, ending);
    if (why !== undefined) return why;
  }
  return undefined;
}

async function scriptsOf(workingDir: string): Promise<JsonObject> {
  const file = join(workingDir, "package.json");
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > MAX_PACKAGE_BYTES) return {};
    const scripts = parseJsonObject(await readFile(file, "utf8"))?.["scripts"];
    return isJsonObject(scripts) ? scripts : {};
  } catch {
    return {};
  }
}
