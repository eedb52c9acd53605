import { resolve } from "node:path";
import { HookError } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { EXIT } from "../exit-codes.ts";
import { findTargets, type Target, type TestedGuard, type TestTerms, testTarget } from "../guard/tested-guard.ts";
import { fuelOf, summaryLine, trialLines } from "../guard/trial-report.ts";
import { asciiJson } from "../machine-json.ts";
import { painter } from "../paint.ts";
import { problemLines, shownPath } from "../problem-lines.ts";
import { withProgress } from "../progress.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const test: Verb = {
  summary: "run a guard's own tests: its source, or what was built",
  usage: `Usage: hookbox test [GUARD] [--filter TEXT] [--verbose] [--watch] [--max-fuel N] [--no-types] [--json]
       hookbox test [GUARD] --payload FILE|- [--no-types] [--json]
       hookbox test --conformance FILE [--json]

  Runs the tests of a guard, those of fixtures.json or those inside a .wasm file, as an engine would: each an event,
  perhaps a config, and the decision that must come of it.

  GUARD               a guard's source or folder, which is built first, without writing anything; a .wasm file; or a
                      folder of folders with guards. Default: the working directory
  --filter TEXT       only tests with TEXT in their names, whatever its case
  --verbose           what tests that pass have logged, too
  --payload FILE      instead of the tests: what the guard answers to the event in FILE, or with - on standard input.
                      The guard has no config, and an empty world
  --watch             again with every change, until Ctrl-C
  --max-fuel N        a test that uses more than N fuel fails. Fuel is the same on every machine
  --conformance FILE  hold a .wasm file in any language against the guest ABI's own test vectors,
                      with the config of the first of its own tests that has one
  --no-types          no look at TypeScript's types. Otherwise a guard with a tsconfig.json is checked with the
                      project's own TypeScript, where that is installed, while the guard is built
  --json              the same for machines

Exit codes: 0 all passed   1 a test failed, there are none, or a guard cannot be built   2 there is no guard, a
            compiler is missing, or a mistake on the command line`,
  options: () => OPTIONS,
  run: testVerb,
};

const OPTIONS = {
  watch: { type: "boolean", default: false },
  "max-fuel": { type: "string" },
  filter: { type: "string" },
  verbose: { type: "boolean", default: false },
  payload: { type: "string" },
  "no-types": { type: "boolean", default: false },
  conformance: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

async function testVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [path = ".", another] = positionals;
  if (another !== undefined) throw usageError("test takes one guard or folder");
  if (values.conformance !== undefined) {
    if (positionals.length > 0 || values.watch || values["max-fuel"] !== undefined || values.filter !== undefined)
      throw usageError("--conformance takes one file, and nothing else but --json");
    const { testConformance } = await import("../guard/conformance.ts");
    return testConformance(resolve(console.cwd, values.conformance), values.json, console);
  }
  if (values.watch && values.json) throw usageError("--watch is for people, --json for machines");
  const guard = resolve(console.cwd, path);
  const checksTypes = !values["no-types"];
  if (values.payload !== undefined) {
    if (values.watch || values.filter !== undefined)
      throw usageError("--payload replaces the tests: it goes with --json");
    const { answerPayload } = await import("../guard/answer-payload.ts");
    return answerPayload(guard, values.payload, { json: values.json, checksTypes }, console);
  }
  const { filter, verbose } = values;
  const terms: TestTerms = { maxFuel: fuelLimit(values["max-fuel"]), tests: chosenBy(filter), checksTypes };
  if (values.watch) {
    const { watchTargets } = await import("../guard/watch.ts");
    const run = async (targets: readonly Target[]): Promise<readonly TestedGuard[]> => {
      const tested = await testAll(targets, terms, console);
      reportAll(tested, { filter, verbose }, console);
      return tested;
    };
    await watchTargets(guard, run, console);
    return EXIT.done;
  }
  const all = await testAll(await findTargets(guard), terms, console);
  const tested = filter === undefined ? all : all.filter((one) => one.results.length > 0 || !isBuilt(one));
  if (tested.length === 0)
    throw new HookError("HOOK_CLI_USAGE", `no test has "${filter}" in its name`, {
      hint: "hookbox test without --filter shows the names",
    });
  if (values.json) console.write(`${asciiJson({ ok: tested.every(isFine), guards: tested.map(asData) })}\n`);
  else reportAll(tested, { filter, verbose }, console);
  return tested.every(isFine) ? EXIT.done : EXIT.problems;
}

function fuelLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const fuel = Number(text.replaceAll("_", ""));
  if (!Number.isInteger(fuel) || fuel < 1) throw usageError(`--max-fuel must be a whole number, not "${text}"`);
  return fuel;
}

function chosenBy(filter: string | undefined): TestTerms["tests"] {
  const text = filter?.toLowerCase();
  return (fixtures) =>
    text === undefined ? fixtures : fixtures.filter(({ name }) => name.toLowerCase().includes(text));
}

function isBuilt({ problems, manifest }: TestedGuard): boolean {
  return manifest !== undefined && problems.every(({ severity }) => severity !== "error");
}

async function testAll(
  targets: readonly Target[],
  terms: TestTerms,
  console: Console,
): Promise<readonly TestedGuard[]> {
  const tested: TestedGuard[] = [];
  for (const target of targets) {
    const text = `Building and testing ${shownPath(target.path, console.cwd)}`;
    const one = await withProgress(console, text, (tell) => testTarget(target, terms, tell));
    if (one.stuck) console.endForGood("threads");
    tested.push(one);
  }
  return tested;
}

function isFine({ problems, results }: TestedGuard): boolean {
  return (
    problems.every(({ severity }) => severity !== "error") &&
    results.length > 0 &&
    results.every(({ passed }) => passed)
  );
}

function reportAll(
  tested: readonly TestedGuard[],
  { filter, verbose }: { readonly filter: string | undefined; readonly verbose: boolean },
  console: Console,
): void {
  const paint = painter(console.colour);
  const say = (line: string): void => console.write(line === "" ? "\n" : `  ${line}\n`);
  for (const { target, manifest, results, problems } of tested) {
    const place = paint("dim", shownPath(target.path, console.cwd));
    say(
      manifest === undefined
        ? place
        : `${paint("bold", `${cleanLine(manifest.name, 100)} ${cleanLine(manifest.version, 100)}`)}  ${place}`,
    );
    for (const line of trialLines(results, paint, { verbose })) say(`  ${line}`);
    for (const problem of problems) for (const line of problemLines(problem, console.cwd, paint)) say(`  ${line}`);
    if (manifest !== undefined && results.length === 0 && filter === undefined) {
      say(`  ${paint("red", "error")}  it has no tests`);
      say(`      ${paint("cyan", NO_TESTS)}`);
    }
    if (results.length > 0) say(summaryLine(results, paint));
    say("");
  }
  if (tested.length > 1) {
    const failed = tested.filter((one) => !isFine(one)).length;
    say(failed === 0 ? `All ${tested.length} guards pass.` : `${failed} of ${tested.length} guards fail.`);
  }
}

const NO_TESTS =
  'put them into fixtures.json: [{ "name": "…", "event": { "hook_event_name": "PreToolUse", … }, "decision": "deny" }]';

function asData({ target, manifest, results, problems }: TestedGuard): object {
  const { total, most } = fuelOf(results);
  return {
    path: target.path,
    name: manifest?.name ?? null,
    version: manifest?.version ?? null,
    problems,
    fuel: { total, most },
    tests: results.map(({ name, passed, expected, actual, fuel, log, message }) => ({
      name,
      passed,
      expected,
      actual,
      fuel,
      log,
      message: message ?? null,
    })),
  };
}
