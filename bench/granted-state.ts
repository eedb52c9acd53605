import { ruleForModule } from "../dist/executors/wasm/module-rule.js";
import { WasmExecutor } from "../dist/executors/wasm/wasm-executor.js";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { assemble, fileOf } from "./small-guards.ts";

/** Measures a guard's variable: one of many reads in a call, and a decision that needs one read. */

const READS = 2_000;
const VALUE = "a value of forty letters and some digits";
const EVENT = {
  name: "PreToolUse",
  dialect: "claude-code",
  payload: { session_id: "bench", tool_name: "Bash", tool_input: { command: "rm -rf /" } },
};
const STATE = { state: { maxKeys: 64, maxBytes: 65_536 } };

const LOOPS = ["neither", "variables", "config"] as const;

async function run(rounds: number): Promise<readonly Figure[]> {
  const denies = fileOf("denies.wasm", assemble(new URL("guests/denies.wat", import.meta.url)));
  const reads = fileOf("reads.wasm", assemble(new URL("guests/reads.wat", import.meta.url)));
  // Every session has a stored value.
  const stateStore = { load: () => new Map([["variable", new TextEncoder().encode(VALUE)]]), save: () => {} };
  const [fixed, counting] = [new WasmExecutor({ threads: 1, stateStore }), new WasmExecutor({ threads: 1 })];
  const ask = (name: string, executor: WasmExecutor, module: string, entry: string, parts: object, many = 1): Case => {
    const rule = ruleForModule(module);
    const handler = { ...rule.handler, function: entry, config: { variable: VALUE }, ...parts } as typeof rule.handler;
    const asked = { ...rule, handler };
    return {
      name,
      perBlock: many === 1 ? 400 : 20,
      operationsPerRun: many,
      run: async () => {
        const result = await executor.run(asked, EVENT, { signal: new AbortController().signal, timeLeftMs: 1_000 });
        if (!result.ok) throw new Error(JSON.stringify(result));
      },
    };
  };
  try {
    const figures = await measure(
      [
        ...LOOPS.map((entry) => ask(entry, fixed, reads, entry, { grants: STATE }, READS)),
        ask("no grant", counting, denies, "handle", {}),
        ask("state, not used", counting, denies, "handle", { grants: STATE }),
        ask("state, counts", counting, reads, "counts", { grants: STATE }),
      ],
      rounds,
    );
    return [
      { name: "two microseconds", p50Micros: 2, p99Micros: 2, samples: 1 },
      beyond("variable read", figures, "variables"),
      beyond("config read", figures, "config"),
      ...figures,
    ];
  } finally {
    await Promise.all([fixed.close(), counting.close()]);
  }
}

/** Returns the time of a loop's iteration, minus that of a loop that only builds the key. */
function beyond(name: string, figures: readonly Figure[], of: string): Figure {
  const [loop, empty] = [of, "neither"].map((one) => figures.find((figure) => figure.name === one));
  if (loop === undefined || empty === undefined) throw new Error("a loop was not measured");
  return {
    name,
    p50Micros: loop.p50Micros - empty.p50Micros,
    p99Micros: loop.p99Micros - empty.p50Micros,
    samples: loop.samples,
  };
}

const GOALS: readonly Goal[] = [
  { name: "a granted variable read", of: "variable read", against: "two microseconds", atMost: 1 },
  { name: "a config read", of: "config read", against: "two microseconds", atMost: 1 },
  { name: "a decision of a rule that grants state", of: "state, not used", against: "no grant", atMost: 1.3 },
];

export const grantedState: Scope = {
  name: "granted-state",
  question: "one read of a variable or config value among 2,000 in a call, and one decision with and without state",
  floor: "two microseconds",
  run,
  goals: GOALS,
};
