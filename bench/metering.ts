import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { QuickJS } from "quickjs-wasi";
import { loadAdmission } from "../dist/sandbox/index.js";
import { readModule } from "../dist/wasm-binary/module-binary.js";
import { type Case, type Figure, measure } from "./blocks.ts";
import type { Goal, Scope } from "./scope.ts";
import { assemble } from "./small-guards.ts";

const { rewrite } = await loadAdmission();

/** Measures the cost of the counters in a module. Each program runs unchanged and metered, in this thread. */

const KERNELS = new URL("kernels/", import.meta.url);
const PLENTY = 2n ** 60n;

function metered(module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return rewrite(module, readModule(module), { memoryPages: 1_024, tableEntries: 10_000 }).bytes;
}

type Run = () => unknown;

function fill(exports: WebAssembly.Exports): void {
  for (const name of ["hookbox:fuel", "hookbox:depth"]) (exports[name] as WebAssembly.Global).value = PLENTY;
}

async function kernel(name: string): Promise<readonly [plain: Run, metered: Run]> {
  const module = assemble(new URL(name, KERNELS));
  const plain = (await WebAssembly.instantiate(module)).instance.exports;
  const counted = (await WebAssembly.instantiate(metered(module))).instance.exports;
  fill(counted);
  const runs = [plain, counted].map((exports) => exports["run"] as Run) as [Run, Run];
  if (runs[0]() !== runs[1]()) throw new Error(`${name} does something else when it is metered`);
  return runs;
}

/** Typical work of a guard in JavaScript: parse the event, search its text, build an answer. */
const SCRIPT = `
  const event = { tool_input: { command: "cd packages && npm ci && rm -rf build && git push --force origin main" } };
  const text = JSON.stringify(event);
  function judge() {
    const { command } = JSON.parse(text).tool_input;
    const words = command.split(/\\s+|&&|;/).filter((word) => word !== "");
    const seen = new Map();
    for (const word of words) seen.set(word, (seen.get(word) ?? 0) + word.length);
    const bad = words.some((word, at) => word === "push" && words[at + 1]?.startsWith("--force"));
    return JSON.stringify({ decision: bad ? "deny" : "none", words: [...seen.keys()].sort().length });
  }
`;

const createVm = QuickJS.create.bind(QuickJS);

async function script(module: Uint8Array<ArrayBuffer>, isMetered: boolean): Promise<Run> {
  const { instantiate } = WebAssembly;
  // The counters start at zero, and the library runs code of the module before returning the instance.
  WebAssembly.instantiate = (async (code: WebAssembly.Module, imports: WebAssembly.Imports) => {
    const instance = await instantiate(code, imports);
    if (isMetered) fill(instance.exports);
    return instance;
  }) as typeof instantiate;
  try {
    const vm = await createVm({ wasm: await WebAssembly.compile(module) });
    vm.evalCode(SCRIPT).dispose();
    const judge = vm.global.getProp("judge");
    return () => vm.callFunction(judge, vm.undefined).dispose();
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

async function programs(): Promise<ReadonlyMap<string, readonly [Run, Run]>> {
  const found = new Map<string, readonly [Run, Run]>();
  for (const file of readdirSync(KERNELS).sort()) found.set(file.replace(/\.wat$/, ""), await kernel(file));
  const file = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
  const engine = Uint8Array.from(readFileSync(file));
  found.set("quickjs", [await script(engine, false), await script(metered(engine), true)]);
  return found;
}

async function run(rounds: number): Promise<readonly Figure[]> {
  const cases: Case[] = [];
  for (const [name, [plain, counted]] of await programs()) {
    cases.push({ name, perBlock: 60, run: plain }, { name: `${name} metered`, perBlock: 60, run: counted });
  }
  const figures = await measure(cases, rounds);
  const kernels = figures.filter(({ name }) => !name.startsWith("quickjs"));
  return [...figures, mean("kernels", kernels, false), mean("kernels metered", kernels, true)];
}

/** Returns a geometric mean, so that slow kernels do not count more than fast kernels. */
function mean(name: string, figures: readonly Figure[], isMetered: boolean): Figure {
  const chosen = figures.filter((figure) => figure.name.endsWith(" metered") === isMetered);
  const of = (values: readonly number[]): number =>
    Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
  return {
    name,
    p50Micros: of(chosen.map(({ p50Micros }) => p50Micros)),
    p99Micros: of(chosen.map(({ p99Micros }) => p99Micros)),
    samples: chosen.reduce((sum, { samples }) => sum + samples, 0),
  };
}

const GOALS: readonly Goal[] = [
  { name: "metering, mean of the kernels", of: "kernels metered", against: "kernels", atMost: 1.35 },
  { name: "metering, QuickJS", of: "quickjs metered", against: "quickjs", atMost: 1.5 },
];

export const metering: Scope = {
  name: "metering",
  question: "computing with and without the counters that admission writes into a module",
  floor: "kernels",
  run,
  goals: GOALS,
};
