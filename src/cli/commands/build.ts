import { createHash, randomBytes } from "node:crypto";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type BuiltGuard, buildGuard } from "../../authoring/build.ts";
import { tryBytes } from "../../authoring/guard-trial.ts";
import { makeReady } from "../../authoring/make-ready.ts";
import { describeThrown, HookError, type Problem } from "../../errors.ts";
import { grants } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { problemsOf } from "../guard/problems.ts";
import { typeErrorsOf } from "../guard/tested-guard.ts";
import { count, fuelOf, type JudgedResult, judge, summaryLine, trialLines } from "../guard/trial-report.ts";
import { columns, formatBytes, type Paint, painter } from "../paint.ts";
import { problemLines, shownPath } from "../problem-lines.ts";
import { withProgress } from "../progress.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const build: Verb = {
  summary: "compile a guard and its tests into one .wasm file",
  usage: `Usage: hookbox build [GUARD] [-o FILE] [--no-test] [--no-types] [--json]

  Compiles a guard, with its manifest and its tests (fixtures.json), into one .wasm file. Checks that an engine
  would load the file, and runs the tests. Stores the results in the user's cache folder, so that the first event
  does not wait for them.

  GUARD             guard.ts, guard.js, guard.c, Cargo.toml, or a folder with one of them.
                    Default: the working directory
  -o, --out FILE    the file to write. Default: guard.wasm in the source's folder
  --no-test         do not run the tests
  --no-types        do not check TypeScript's types. Default: a guard with a tsconfig.json is checked with the
                    project's own TypeScript, if that is installed
  --json            print JSON

  TypeScript needs esbuild (npm install --save-dev esbuild), C needs clang with lld, Rust needs cargo with the
  target wasm32-unknown-unknown.

Exit codes: 0 written   1 the guard has errors, or fails its own tests   2 there is no guard, a compiler is missing,
            the file cannot be written, or a mistake on the command line`,
  options: () => OPTIONS,
  run: buildVerb,
};

const OPTIONS = {
  out: { type: "string", short: "o" },
  "no-test": { type: "boolean", default: false },
  "no-types": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

interface Outcome {
  readonly built: BuiltGuard | undefined;
  readonly results: readonly JudgedResult[];
  readonly problems: readonly Problem[];
  /** The written file. `undefined`: no file was written. */
  readonly file: string | undefined;
}

async function buildVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [guard = ".", another] = positionals;
  if (another !== undefined) throw usageError("build takes one guard");
  const work = { out: values.out, runsTests: !values["no-test"], checksTypes: !values["no-types"] };
  const text = `Building ${shownPath(resolve(console.cwd, guard), console.cwd)}`;
  const outcome = await withProgress(console, text, (report) =>
    attempt(resolve(console.cwd, guard), work, report, console),
  );
  if (values.json) console.write(`${asciiJson(asData(outcome))}\n`);
  else report(outcome, values["no-test"], console);
  return outcome.file === undefined ? EXIT.problems : EXIT.done;
}

interface Work {
  readonly out: string | undefined;
  readonly runsTests: boolean;
  readonly checksTypes: boolean;
}

async function attempt(
  guard: string,
  { out, runsTests, checksTypes }: Work,
  onSlow: (what: string) => void,
  console: Console,
): Promise<Outcome> {
  const typed = checksTypes ? typeErrorsOf(guard) : [];
  let built: BuiltGuard;
  try {
    built = await buildGuard(guard, { onSlow });
  } catch (error) {
    return { built: undefined, results: [], problems: problemsOf(error), file: undefined };
  }
  const file = out === undefined ? join(built.source.folder, "guard.wasm") : resolve(console.cwd, out);
  // `--out` is checked before the tests, because the tests may take long.
  await refuseOutput(file);
  const trial = runsTests ? await tryBytes(built.wasm, built.manifest) : { results: [], stuck: false };
  if (trial.stuck) console.endForGood("threads");
  const results = judge(trial.results, undefined);
  const found = { built, problems: [...(await typed), ...built.warnings] };
  const isWrong = found.problems.some(({ severity }) => severity === "error");
  if (isWrong || results.some(({ passed }) => !passed)) return { ...found, results, file: undefined };
  await write(file, built.wasm);
  if (runsTests && (await makeReady(file, built.inspection.digest, built.manifest)).stuck)
    console.endForGood("threads");
  return { ...found, results, file };
}

async function refuseOutput(file: string): Promise<void> {
  const folder = dirname(file);
  const [place, there] = await Promise.all([file, folder].map((path) => stat(path).catch(() => undefined)));
  if (there?.isDirectory() !== true)
    throw new HookError("HOOK_BUILD_OUTPUT", `there is no folder ${folder}`, { hint: "create the folder first" });
  if (place?.isDirectory() === true)
    throw new HookError("HOOK_BUILD_OUTPUT", `${file} is a folder`, { hint: "name the file: -o guard.wasm" });
}

/** Writes the module with a rename, so that a reader sees either the old guard or the new guard. */
async function write(file: string, wasm: Uint8Array): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, wasm, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new HookError("HOOK_BUILD_OUTPUT", `${file} cannot be written: ${describeThrown(error)}`);
  }
}

function report({ built, results, problems, file }: Outcome, untested: boolean, console: Console): void {
  const paint = painter(console.colour);
  const say = (line: string): void => console.write(line === "" ? "\n" : `  ${line}\n`);
  if (built !== undefined) {
    const { manifest, inspection } = built;
    say(paint("bold", `${cleanLine(manifest.name, 100)} ${cleanLine(manifest.version, 100)}`));
    // Prints no facts about a module that was not written, so that the problems stay visible.
    if (file !== undefined) {
      if (manifest.description !== undefined) say(cleanLine(manifest.description, 400));
      for (const line of ["", inspection.summary, "", ...facts(built, results, paint)]) say(line);
    }
  }
  if (problems.length > 0 && built !== undefined) say("");
  for (const problem of problems) for (const line of problemLines(problem, console.cwd, paint)) say(line);
  if (results.some(({ passed }) => !passed)) {
    say("");
    const failed = results.filter(({ passed }) => !passed);
    for (const line of trialLines(failed, paint)) say(line);
    say("");
    say(summaryLine(results, paint));
  }
  say("");
  if (file === undefined) {
    const failed = results.some(({ passed }) => !passed);
    const why =
      built === undefined
        ? "the guard cannot be built"
        : failed
          ? "the guard fails its own tests"
          : "the guard has errors";
    say(`Nothing was written: ${why}.`);
    return;
  }
  say(`Wrote ${paint("bold", shownPath(file, console.cwd))}${untested ? ", untested" : ""}.`);
  if (built?.manifest.fixtures?.length === 0)
    say(paint("yellow", "It has no tests: add some to fixtures.json, so that others can see what it does."));
}

function facts({ report, manifest, wasm }: BuiltGuard, results: readonly JudgedResult[], paint: Paint): string[] {
  const { script } = report;
  const tests = manifest.fixtures?.length ?? 0;
  const limits = Object.entries(manifest.limits ?? {}).map(([name, value]) => `${name} ${value}`);
  const costliest = results.reduce<JudgedResult | undefined>(
    (most, one) => (most === undefined || one.fuel > most.fuel ? one : most),
    undefined,
  );
  const rows: [string, string][] = [
    ["sha256", createHash("sha256").update(wasm).digest("hex")],
    ["size", formatBytes(report.totalBytes)],
    ...(script === undefined ? [] : sizes(report)),
    ["memory", report.memoryBytes === 0 ? "none" : `starts with ${formatBytes(report.memoryBytes)}`],
    ["events", manifest.events?.map((event) => cleanLine(event, 80)).join(", ") || "any"],
    ["wants", wantsWords(manifest.wants)],
    ...(limits.length === 0 ? [] : [["limits", `suggests ${limits.join(", ")}`] as [string, string]]),
    ["tests", tests === 0 ? "none" : results.length === 0 ? `${tests}, not run` : outcomeOf(results)],
    ...(costliest === undefined
      ? []
      : ([
          ["fuel", `at most ${count(fuelOf(results).most)} a call, in the test "${cleanLine(costliest.name, 80)}"`],
        ] as [string, string][])),
  ];
  return columns(rows, (text, _, column) => (column === 0 ? paint("dim", text) : text));
}

function wantsWords(wants: BuiltGuard["manifest"]["wants"] = []): string {
  return wants.length === 0 ? "nothing" : `${wants.join(", ")}: ${grants.toWrite(wants)} in its rule`;
}

function outcomeOf(results: readonly JudgedResult[]): string {
  const failed = results.filter(({ passed }) => !passed).length;
  return failed === 0 ? `${results.length} passed` : `${failed} of ${results.length} failed`;
}

const MAX_LISTED_INPUTS = 10;

/** Returns the parts of the size. The snapshot exceeds the sources, because it contains objects of top-level code. */
function sizes({ script, manifestBytes }: BuiltGuard["report"]): [string, string][] {
  if (script === undefined) return [];
  const shown = script.inputs.slice(0, MAX_LISTED_INPUTS);
  const rest = script.inputs.slice(MAX_LISTED_INPUTS);
  const sum = rest.reduce((total, { bytes }) => total + bytes, 0);
  const sources = [
    ...shown.map(({ name, bytes }) => `${cleanLine(name, 80)} ${formatBytes(bytes)}`),
    ...(rest.length === 0 ? [] : [`${rest.length} more ${formatBytes(sum)}`]),
  ];
  return [
    ["", `${formatBytes(script.engineBytes)} JavaScript engine`],
    ["", `${formatBytes(script.snapshotBytes)} guard, from ${formatBytes(script.bundleBytes)} of script`],
    ...sources.map((line): [string, string] => ["", `    ${line}`]),
    ["", `${formatBytes(manifestBytes)} manifest and tests`],
  ];
}

function asData({ built, results, problems, file }: Outcome): object {
  return {
    ok: file !== undefined,
    file: file ?? null,
    name: built?.manifest.name ?? null,
    version: built?.manifest.version ?? null,
    sha256: built?.inspection.digest ?? null,
    summary: built?.inspection.summary ?? null,
    capabilities: built?.inspection.capabilities ?? [],
    report: built?.report ?? null,
    problems,
    tests: results.map(({ name, passed, fuel, message }) => ({ name, passed, fuel, message: message ?? null })),
  };
}
