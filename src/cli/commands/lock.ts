import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { ConfigFile } from "../../config/load.ts";
import { formatLock, LOCK_FILE, type LockEntries, type LockEntry, readLockFile } from "../../config/lockfile.ts";
import { createEngine } from "../../engine.ts";
import { describeThrown, formatProblem, HookError } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { CONFIG_HELP, CONFIG_OPTIONS, configFiles } from "../config-files.ts";
import { EXIT } from "../exit-codes.ts";
import { type Change, changesBetween, differencesOf } from "../lock/changes.ts";
import { describeChange } from "../lock/report.ts";
import { type ReviewedModule, reviewModules } from "../lock/review.ts";
import { painter } from "../paint.ts";
import { type Console, parseVerbArgs, type Verb } from "../verb.ts";

export const lock: Verb = {
  summary: "pin the modules that a configuration names, after a review of the changes",
  usage: `Usage: hookbox lock [FILE]... [--config FILE]... [--format NAME] [--check] [--prune] [--yes] [--json]

  Inspects every module that the configuration names, runs its fixtures, and shows the differences from
  ${LOCK_FILE} in the configuration's folder. Writes that file after you agree. Afterwards a module runs only if
  it is unchanged. Guards that ship with hookbox (builtin:NAME) are pinned by hookbox itself.

  FILE              the same as --config FILE
${CONFIG_HELP}
  --check           write nothing; fail if there is a difference
  --yes             write without asking
  --prune           remove modules that none of these files names
  --json            print JSON; asks no question

Exit codes: 0 locked, or there is no difference   1 a module differs or cannot be locked, or you did not agree
            2 the configuration cannot be used, the lock file cannot be written, or a mistake on the command line`,
  options: () => OPTIONS,
  run: lockVerb,
};

const OPTIONS = {
  ...CONFIG_OPTIONS,
  check: { type: "boolean", default: false },
  prune: { type: "boolean", default: false },
  yes: { type: "boolean", short: "y", default: false },
  json: { type: "boolean", default: false },
} as const;

/** One lock file, and the entries that `lock` would write. */
interface LockReview {
  readonly file: string;
  readonly modules: readonly ReviewedModule[];
  readonly entries: LockEntries;
  readonly changes: readonly Change[];
  readonly broken: string | undefined;
}

async function lockVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const files = await configFiles([...positionals, ...values.config], values.format, console.cwd, {
    compat: values.compat,
    onlyMeant: true,
  });
  const reviews: LockReview[] = [];
  for (const [folder, modules] of await reviewModules(files, console.cwd)) {
    const review = await reviewLock(folder, modules, values.prune);
    if (review.changes.length > 0 || review.modules.length > 0 || review.broken !== undefined) reviews.push(review);
  }
  const isRefused = reviews.some(({ modules }) => modules.some(hasProblem));
  const pending = reviews.filter(isPending);
  if (!values.json) for (const review of reviews) report(review, console);
  const accepted =
    !isRefused && !values.check && pending.length > 0 && (values.yes || (await agrees(values.json, console)));
  if (accepted) {
    for (const review of pending) await write(review);
    await makeReady(files, console.cwd);
  }
  if (values.json) console.write(`${asciiJson(asData(reviews, accepted))}\n`);
  else conclude({ reviews, pending, isRefused, accepted, check: values.check }, console);
  return !isRefused && (accepted || pending.length === 0) ? EXIT.done : EXIT.problems;
}

/** Fills the cache as `hookbox check` does, so that the first event is fast. */
async function makeReady(configFiles: readonly ConfigFile[], cwd: string): Promise<void> {
  try {
    const engine = await createEngine({ configFiles, cwd, sandbox: { threads: 1 }, askServers: "none" });
    await engine.close();
  } catch {
    // A failure is ignored, because the first event fills the cache.
  }
}

async function reviewLock(folder: string, modules: readonly ReviewedModule[], prune: boolean): Promise<LockReview> {
  const file = join(folder, LOCK_FILE);
  const lockFile = await readLockFile(folder);
  const before = lockFile.kind === "entries" ? lockFile.entries : {};
  // A module that cannot be locked keeps its old entry, so that the changed module is still refused.
  const reviewed = modules.flatMap(({ module, entry }): [string, LockEntry][] => {
    const kept = entry ?? (Object.hasOwn(before, module) ? before[module] : undefined);
    return kept === undefined ? [] : [[module, kept]];
  });
  // Another configuration file in the folder may name the modules of other entries, so these entries stay.
  const others = Object.entries(before).filter(([module]) => !modules.some((one) => one.module === module));
  const entries = Object.fromEntries(prune ? reviewed : [...others, ...reviewed]);
  const broken = lockFile.kind === "broken" ? formatProblem(lockFile.problem) : undefined;
  const compared = changesBetween(before, entries).filter(
    ({ module }) => !modules.some((one) => one.module === module && hasProblem(one)),
  );
  const refused = modules.filter(hasProblem).map(({ module, seen }): Change => {
    const locked = Object.hasOwn(before, module) ? before[module] : undefined;
    const differences = locked === undefined || seen === undefined ? [] : differencesOf(locked, seen);
    return { module, change: "unfit", differences };
  });
  return { file, modules, entries, changes: [...compared, ...refused], broken };
}

function hasProblem({ problems }: ReviewedModule): boolean {
  return problems.length > 0;
}

function isPending({ changes, broken }: LockReview): boolean {
  return broken !== undefined || changes.some(({ change }) => change !== "same");
}

async function agrees(json: boolean, console: Console): Promise<boolean> {
  const answer = json ? undefined : await console.ask("  Lock these? [y/N] ");
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

/** Writes the lock file with a rename, so that a reader sees either the old file or the new file. */
async function write({ file, entries }: LockReview): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, formatLock(entries), { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new HookError("HOOK_LOCK_INVALID", `${file} cannot be written: ${describeThrown(error)}`);
  }
}

function report({ file, modules, changes, broken }: LockReview, console: Console): void {
  const paint = painter(console.colour);
  console.write(`  ${paint("bold", shownPath(file, console))}\n`);
  if (broken !== undefined) console.write(`    ${paint("red", "error")}  ${cleanLine(broken, 400)}\n`);
  for (const change of changes) {
    const reviewed = modules.find(({ module }) => module === change.module);
    for (const line of describeChange(change, reviewed, paint)) console.write(`    ${line}\n`);
  }
  console.write("\n");
}

function shownPath(file: string, { cwd }: Console): string {
  return cleanLine(relative(cwd, file) || file);
}

function conclude(
  {
    reviews,
    pending,
    isRefused,
    accepted,
    check,
  }: {
    readonly reviews: readonly LockReview[];
    readonly pending: readonly LockReview[];
    readonly isRefused: boolean;
    readonly accepted: boolean;
    readonly check: boolean;
  },
  console: Console,
): void {
  const say = (text: string): void => console.write(`  ${text}\n`);
  if (reviews.length === 0)
    say("Nothing to lock: the configuration names no module except those that ship with hookbox.");
  else if (isRefused) say("Nothing was written: a module cannot be locked.");
  else if (accepted) for (const { file } of pending) say(`Wrote ${shownPath(file, console)}.`);
  else if (pending.length === 0) say("All modules are as they were locked.");
  else if (check) say("A module differs from the lock file.");
  else say("Nothing was written. Once you agree, run it again with --yes.");
}

function asData(reviews: readonly LockReview[], written: boolean): object {
  return {
    ok: !reviews.some(({ modules }) => modules.some(hasProblem)) && (written || !reviews.some(isPending)),
    written,
    locks: reviews.map(({ file, modules, changes, broken }) => ({
      file,
      problem: broken ?? null,
      modules: modules.map(({ module, inspection, problems, fixtures }) => ({
        module,
        ...changes.find((change) => change.module === module),
        summary: inspection?.summary ?? null,
        problems: problems.map(({ code, message }) => ({ code, message })),
        fixtures: {
          passed: fixtures.filter(({ passed }) => passed).length,
          failed: fixtures.filter(({ passed }) => !passed),
        },
      })),
      removed: changes.filter(({ change }) => change === "removed").map(({ module }) => module),
    })),
  };
}
