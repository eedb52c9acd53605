import { cpus } from "node:os";
import { parseArgs } from "node:util";
import type { Facts, Figure } from "./blocks.ts";
import { coldStart } from "./cold-start.ts";
import { dispatchLatency } from "./dispatch-latency.ts";
import { executors } from "./executors.ts";
import { grantedFiles } from "./granted-files.ts";
import { grantedHttp } from "./granted-http.ts";
import { grantedState } from "./granted-state.ts";
import { guardCost } from "./guard-cost.ts";
import { guestLanguages } from "./guest-languages.ts";
import { metering } from "./metering.ts";
import { processBoundary } from "./process-boundary.ts";
import { resident } from "./resident.ts";
import { sandboxLatency } from "./sandbox-latency.ts";
import type { Goal, Scope } from "./scope.ts";
import { throughput } from "./throughput.ts";

/** `npm run bench -- [--scope NAME] [--rounds N] [--json]`: exits with 1 if a goal is missed. */

const SCOPES: readonly Scope[] = [
  dispatchLatency,
  sandboxLatency,
  guardCost,
  processBoundary,
  metering,
  throughput,
  coldStart,
  resident,
  guestLanguages,
  executors,
  grantedState,
  grantedHttp,
  grantedFiles,
];

const { values } = parseArgs({
  options: {
    scope: { type: "string" },
    rounds: { type: "string", default: "15" },
    json: { type: "boolean", default: false },
  },
});
const chosen = SCOPES.filter((scope) => values.scope === undefined || scope.name === values.scope);
if (chosen.length === 0) throw new Error(`no such scope; the scopes are: ${SCOPES.map(({ name }) => name).join(", ")}`);

const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
const results = [];
for (const scope of chosen) {
  const figures = await scope.run(Number(values.rounds));
  results.push({
    scope,
    figures,
    goals: scope.goals.map((goal) => ({ goal, ratio: ratio(figures, goal.of, goal.against, goal.quantile) })),
  });
}

if (values.json) {
  console.log(
    JSON.stringify(
      { machine, results: results.map(({ scope, ...rest }) => ({ scope: scope.name, ...rest })) },
      null,
      2,
    ),
  );
} else {
  console.log(`${machine.node}, ${machine.cores} cores, ${machine.cpu}`);
  for (const { scope, figures, goals } of results) print(scope, figures, goals);
}
process.exitCode = results.every(({ goals }) => goals.every(({ goal, ratio }) => ratio <= goal.atMost)) ? 0 : 1;

function ratio(figures: readonly Figure[], of: string, against: string, quantile: Goal["quantile"] = "p50"): number {
  const figure = (name: string): number => {
    const found = figures.find((one) => one.name === name);
    return (quantile === "p50" ? found?.p50Micros : found?.p99Micros) ?? Number.NaN;
  };
  return figure(of) / figure(against);
}

function print(scope: Scope, figures: readonly Figure[], goals: readonly { goal: Goal; ratio: number }[]): void {
  console.log(`\n${scope.name}: ${scope.question}`);
  console.log(
    `  ${"".padEnd(20)}${"p50".padStart(12)}${"p99".padStart(12)}${`x ${scope.floor}`.padStart(12)}${"samples".padStart(10)}`,
  );
  for (const { name, p50Micros, p99Micros, samples } of figures) {
    const times = ratio(figures, name, scope.floor);
    console.log(
      `  ${name.padEnd(20)}${micros(p50Micros)}${micros(p99Micros)}${times.toFixed(2).padStart(12)}${String(samples).padStart(10)}`,
    );
  }
  for (const { name, facts } of figures)
    if (facts !== undefined) console.log(`  ${name.padEnd(20)}${factsText(facts)}`);
  for (const { goal, ratio: reached } of goals) {
    const met = reached <= goal.atMost ? "met   " : "MISSED";
    const quantile = goal.quantile === "p99" ? "p99 " : "";
    console.log(
      `  ${met}  ${goal.name}: ${quantile}${times(reached)} of ${goal.against}, goal at most ${times(goal.atMost)}`,
    );
  }
}

function factsText(facts: Facts): string {
  const shown = Object.entries(facts).map(([name, value]) => `${name} ${value.toLocaleString("en")}`);
  return `    ${shown.join(", ")}`;
}

function times(value: number): string {
  return value < 1 ? `1/${(1 / value).toFixed(1)}` : `${value.toFixed(2)} times`;
}

function micros(value: number): string {
  return `${value.toFixed(1)} us`.padStart(12);
}
