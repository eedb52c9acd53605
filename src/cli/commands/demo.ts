import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createEngine, type Engine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import { failureLine } from "../../outcome.ts";
import { packageFolder } from "../../package-info.ts";
import type { RuleReport, Verdict } from "../../verdict.ts";
import { EXIT } from "../exit-codes.ts";
import { columns, formatMicros, type Paint, painter, type Style } from "../paint.ts";
import { type Console, parseVerbArgs, type Verb } from "../verb.ts";

export const demo: Verb = {
  summary: "a good guard and a shell script decide three calls; then hostile guards try to get one through",
  usage: `Usage: hookbox demo [--json]

Needs no agent, no key and no network. Never runs the commands in its events.
Exit codes: 0 every hostile guard was contained   1 one was not`,
  options: () => OPTIONS,
  run: demoVerb,
};

const GOOD = {
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          { type: "wasm", name: "shell-guard", module: "builtin:shell-guard" },
          {
            type: "command",
            name: "no-deploys.sh",
            command: "if grep -q deploy; then echo 'deploys are made by people' >&2; exit 2; fi",
          },
        ],
      },
    ],
  },
};

const CALLS = ["rm -rf /", "npm test", "make deploy"];
const HARMLESS = "npm test";

/** How often each call is judged. The report shows the median cost of these runs. */
const RUNS = 15;

/** A short timeout, so that the guard that never ends does not slow the demo down. */
const HOSTILE_TIMEOUT_MS = 300;

interface Trial {
  readonly guard: string;
  readonly verdict: Verdict;
  readonly contained: boolean;
}

const OPTIONS = { json: { type: "boolean", default: false } } as const;

async function demoVerb(args: readonly string[], console: Console): Promise<number> {
  const { values } = parseVerbArgs(args, OPTIONS);
  const decisions = await decideCalls(console);
  const trials = await tryHostileGuards(console);
  const escaped = trials.filter((trial) => !trial.contained);
  if (values.json) console.write(`${JSON.stringify({ decisions, trials }, null, 2)}\n`);
  else report(decisions, trials, console);
  return escaped.length === 0 ? EXIT.done : EXIT.problems;
}

interface Decided {
  readonly command: string;
  readonly verdict: Verdict;
  /** The median time of each rule. */
  readonly medianMicros: readonly number[];
}

async function decideCalls(console: Console): Promise<readonly Decided[]> {
  await using engine = await createEngine({ config: GOOD, cwd: console.cwd, sandbox: { threads: 1 } });
  // A first run is not shown, because the first calls start the thread and compile the guard.
  for (const command of CALLS) for (let run = 0; run < RUNS; run++) await ask(engine, command);
  const decisions = [];
  for (const command of CALLS) {
    const verdicts: Verdict[] = [];
    for (let run = 0; run < RUNS; run++) verdicts.push(await ask(engine, command));
    const verdict = verdicts.at(-1) as Verdict;
    const medianMicros = verdict.rules.map((_, index) =>
      median(verdicts.map(({ rules }) => rules[index]?.receipt.micros ?? 0)),
    );
    decisions.push({ command, verdict, medianMicros });
  }
  return decisions;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

async function tryHostileGuards(console: Console): Promise<readonly Trial[]> {
  const folder = join(packageFolder(), "dist/guards/hostile");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".wasm")).sort();
  if (files.length === 0) throw new HookError("HOOK_INTERNAL", `no guard in ${folder}: the package is not complete`);
  await using engine = await createEngine({ cwd: console.cwd, sandbox: { threads: 1 } });
  const trials = [];
  for (const file of files) {
    const guard = file.replace(/\.wasm$/, "");
    // The rule limits no answers, so only the sandbox decides whether an answer of the hostile guard counts.
    const dispose = await engine.register([
      { event: "PreToolUse", type: "wasm", name: guard, module: join(folder, file), timeoutMs: HOSTILE_TIMEOUT_MS },
    ]);
    const verdict = await ask(engine, HARMLESS);
    dispose();
    trials.push({ guard, verdict, contained: verdict.decision !== "allow" && verdict.rules[0]?.status !== "decided" });
  }
  return trials;
}

function ask(engine: Engine, command: string): Promise<Verdict> {
  return engine.dispatch("PreToolUse", {
    session_id: "demo",
    cwd: process.cwd(),
    tool_name: "Bash",
    tool_input: { command },
  });
}

function report(decisions: readonly Decided[], trials: readonly Trial[], console: Console): void {
  const paint = painter(console.colour);
  const write = (line: string): void => console.write(`${line}\n`);
  write("");
  write(paint("bold", "One sandboxed guard and one shell script, asked about three tool calls (cost: median of 15)"));
  for (const { command, verdict, medianMicros } of decisions) {
    write("");
    write(`  ${paint("cyan", `Bash: ${command}`)}  ${outcome(verdict, paint)}`);
    const rows = verdict.rules.map((rule, index) => [
      rule.rule,
      rule.type,
      formatMicros(medianMicros[index] ?? 0),
      saying(rule),
    ]);
    for (const line of columns(rows)) write(`    ${line}`);
  }
  write("");
  write(paint("bold", `${trials.length} hostile guards, each alone at the gate, asked about "${HARMLESS}"`));
  write("");
  const rows = trials.map(({ guard, verdict, contained }) => [
    guard,
    contained ? "contained" : "ESCAPED",
    verdict.decision === "none" ? "no opinion" : verdict.decision,
    formatMicros(verdict.rules[0]?.receipt.micros ?? 0),
    cause(verdict.rules[0]),
  ]);
  const styles: readonly Style[] = ["bold", "green", "yellow", "dim", "dim"];
  const shown = columns(rows, (text, row, column) =>
    paint(column === 1 && trials[row]?.contained === false ? "red" : (styles[column] ?? "dim"), text),
  );
  for (const line of shown) write(`  ${line}`);
  write("");
  const contained = trials.filter((trial) => trial.contained).length;
  write(`  ${contained} of ${trials.length} contained. A guard that fails at a gate denies; it is never skipped.`);
  write("");
}

function outcome(verdict: Verdict, paint: Paint): string {
  if (verdict.decision === "deny") return paint("red", "denied");
  return verdict.decision === "none" ? paint("green", "goes ahead: no rule objects") : verdict.decision;
}

function saying(rule: RuleReport): string {
  if (rule.status === "abstained") return "no opinion";
  return `${rule.decision ?? "no decision"}: ${rule.reason?.replace(`${rule.rule}: `, "") ?? ""}`;
}

function cause(rule: RuleReport | undefined): string {
  if (rule === undefined) return "";
  if (rule.failure !== null) return shortened(failureLine(rule.failure));
  return rule.dropped.join("; ");
}

function shortened(message: string): string {
  const text = message.replace(/\/\S*\//g, "");
  return text.length <= 76 ? text : `${text.slice(0, 75)}…`;
}
