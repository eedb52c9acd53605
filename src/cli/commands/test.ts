import { resolve } from "node:path";
import { HookError } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { findTargets, type Target, type TestedGuard, type TestOptions, testTarget } from "../guard/tested-guard.ts";
import { fuelOf, summaryLine, trialLines } from "../guard/trial-report.ts";
import { painter } from "../paint.ts";
import { problemLines, shownPath } from "../problem-lines.ts";
import { withProgress } from "../progress.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const test: Verb = {
  summary: "run a guard's own tests, from its source or a .wasm file",
  usage: `Usage: hookbox test [GUARD] [--filter TEXT] [--verbose] [--watch] [--max-fuel N] [--no-types] [--json]
       hookbox test [GUARD] --payload FILE|- [--no-types] [--json]
       hookbox test --conformance FILE [--json]

  Runs a guard's tests as an engine would, from fixtures.json or from inside a .wasm file. A test is an event, an
  optional config, and the expected decision.

  GUARD               a guard's source or folder, which is built without writing a file; a .wasm file; or a folder
                      whose subfolders are guards. Default: the working directory
  --filter TEXT       run only tests with TEXT in their names, in upper or lower case
  --verbose           also show the logs of tests that pass
  --payload FILE      run no tests; show the guard's answer to the event in FILE, or with - on standard input. The
                      guard gets no config, files, state or network
  --watch             repeat the tests after every change, until Ctrl-C
  --max-fuel N        a test that uses more than N fuel fails. Fuel is the same on every machine
  --conformance FILE  run the guest ABI's test vectors against a .wasm file in any language, with the config of
                      the file's first test that has one
  --no-types          do not check TypeScript's types. Default: a guard with a tsconfig.json is checked with the
                      project's own TypeScript, if that is installed
  --json              print JSON

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
      throw usageError("--conformance takes one file, and no other option except --json");
    const { testConformance } = await import("../guard/conformance.ts");
    return testConformance(resolve(console.cwd, values.conformance), values.json, console);
  }
  if (values.watch && values.json) throw usageError("--watch cannot be used with --json");
  const guard = resolve(console.cwd, path);
  const checksTypes = !values["no-types"];
  if (values.payload !== undefined) {
    if (values.watch || values.filter !== undefined)
      throw usageError("--payload runs no tests: it cannot be used with --watch or --filter");
    const { answerPayload } = await import("../guard/answer-payload.ts");
    return answerPayload(guard, values.payload, { json: values.json, checksTypes }, console);
  }
  const { filter, verbose } = values;
  const testOptions: TestOptions = { maxFuel: fuelLimit(values["max-fuel"]), tests: chosenBy(filter), checksTypes };
  if (values.watch) {
    const { watchTargets } = await import("../guard/watch.ts");
    const run = async (targets: readonly Target[]): Promise<readonly TestedGuard[]> => {
      const tested = await testAll(targets, testOptions, console);
      reportAll(tested, { filter, verbose }, console);
      return tested;
    };
    await watchTargets(guard, run, console);
    return EXIT.done;
  }
  const all = await testAll(await findTargets(guard), testOptions, console);
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

function chosenBy(filter: string | undefined): TestOptions["tests"] {
  const text = filter?.toLowerCase();
  return (fixtures) =>
    text === undefined ? fixtures : fixtures.filter(({ name }) => name.toLowerCase().includes(text));
}

function isBuilt({ problems, manifest }: TestedGuard): boolean {
  return manifest !== undefined && problems.every(({ severity }) => severity !== "error");
}

async function testAll(
  targets: readonly Target[],
  testOptions: TestOptions,
  console: Console,
): Promise<readonly TestedGuard[]> {
  const tested: TestedGuard[] = [];
  for (const target of targets) {
    const text = `Building and testing ${shownPath(target.path, console.cwd)}`;
    const one = await withProgress(console, text, (report) => testTarget(target, testOptions, report));
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
  'add tests to fixtures.json: [{ "name": "…", "event": { "hook_event_name": "PreToolUse", … }, "decision": "deny" }]';

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
