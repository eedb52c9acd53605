import { readStrictJson } from "../../../events/strict-json.ts";
import type { Failure } from "../../../outcome.ts";
import type { AskEngine, CallFiles } from "./capabilities/capability.ts";
import { GuestInstance } from "./guest-instance.ts";
import { DEFAULT_HOST_LIMITS, GuestHost, type HostFunctions } from "./host.ts";
import { functionsFor, layImage } from "./memory-image.ts";
import type { GuestAnswer, GuestModule, GuestSetup, GuestTask, GuestUsage } from "./protocol.ts";
import { failureOfCode, failureOfGrowth, failureOfTrap } from "./run-failures.ts";
import { COMMAND, exportedName, INITIALIZE } from "./start-exports.ts";
import { GuestExit } from "./wasi/guest-exit.ts";
import type { WasiMaker } from "./wasi/wasi-capability.ts";

/** One guest call at a time, in the thread that loads this file. */

let host = new GuestHost();
const setups = new Map<number, GuestSetup>();
/** Rules come and go in a long session. One that is forgotten is asked for again. */
const MAX_SETUPS = 1_024;
/** Instances that are as good as new. One that failed, or that cannot be put back, is not kept. */
const idle = new Map<string, GuestInstance>();
const encoder = new TextEncoder();
/** On the clock that all threads share. */
const THREAD_STARTED_AT_MS = performance.timeOrigin;

/** Links a module with the host's functions. */
export type Instantiate = (module: WebAssembly.Module, functions: HostFunctions) => Promise<WebAssembly.Instance>;

let isRunning = false;

export interface GuestRunOptions {
  /** Whether the instance is for further calls, too. Default `true`. */
  readonly isKept?: boolean;
  /** Called right before the rule's function runs. */
  readonly onBegin?: (() => void) | undefined;
  /** For what a guest has done by the engine's own side. Default: nothing is. */
  readonly ask?: AskEngine | undefined;
  /** What reads files that a rule grants. Default: there are none. */
  readonly files?: CallFiles | undefined;
  /** What gives guests WASI. Default: nothing does, and one that imports it cannot be linked. */
  readonly makeWasi?: WasiMaker | undefined;
}

/** Rejects while another call is being made: both would have one host, and each the other's answer. */
export async function runGuest(
  task: GuestTask,
  instantiate: Instantiate,
  { isKept = true, onBegin, ask, files, makeWasi }: GuestRunOptions = {},
): Promise<GuestAnswer> {
  const setup = setupOf(task);
  if (setup === undefined) return { kind: "needs-setup" };
  if (makeWasi !== undefined && !host.hasWasi) host = new GuestHost(makeWasi);
  const loading = host.load(setup);
  if (loading !== undefined) await loading;
  if (isRunning) throw new Error("a thread makes one call of a guest at a time");
  const input = typeof task.input === "string" ? encoder.encode(task.input) : task.input;
  const terms = { setup, task, input, ask, files };
  host.begin(terms);
  isRunning = true;
  const budget = { fuel: task.fuel, depth: setup.depth };
  let guest: GuestInstance | undefined;
  try {
    guest = idleOf(setup);
    if (guest === undefined) {
      const { state } = setup.module;
      const isReady = state.initialize === undefined;
      guest = new GuestInstance(await instanceOf(setup.module, instantiate), state, isKept && isReady);
      const failure = isReady ? undefined : initialize(guest, setup);
      if (failure !== undefined) return failed(failure, guest);
      if (!isReady) {
        if (isKept) guest.remember();
        host.begin(terms);
      }
    }
    host.attach(guest.memory);
    guest.fill(budget.fuel, budget.depth);
    const startBytes = guest.memory?.buffer.byteLength ?? 0;
    onBegin?.();
    const code = call(guest, setup.function);
    const failure =
      host.violation ?? failureOfCode(code, setup.function, host.error) ?? failureOfGrowth(startBytes, guest, setup);
    if (failure !== undefined) return failed(failure, guest);
    const answer = readAnswer(guest);
    if (answer.kind === "answered" && guest.restore()) idle.set(instanceKey(setup), guest);
    return answer;
  } catch (error) {
    // What the host refused outranks how the guest went down over it.
    return failed(host.violation ?? failureOfTrap(error, guest, budget, host.error), guest);
  } finally {
    isRunning = false;
  }
}

async function instanceOf(module: GuestModule, instantiate: Instantiate): Promise<WebAssembly.Instance> {
  if (!("compiled" in module)) throw new TypeError("the module was sent to a thread that does not compile");
  const { compiled, image, state } = module;
  if (image === undefined) return instantiate(compiled, host.functions);
  const instance = await instantiate(compiled, functionsFor(image, host.functions));
  layImage(instance.exports[state.memory ?? ""] as WebAssembly.Memory, image);
  return instance;
}

/** Taken away: whoever has it puts it back once it is as good as new. */
function idleOf(setup: GuestSetup): GuestInstance | undefined {
  const key = instanceKey(setup);
  const guest = idle.get(key);
  idle.delete(key);
  return guest;
}

/** Rules share instances, but not those for which one of them would have had less to begin with. */
function instanceKey({ moduleKey, module, depth, initializeFuel }: GuestSetup): string {
  return module.state.initialize === undefined ? moduleKey : `${moduleKey}:${initializeFuel}:${depth}`;
}

const DEFAULT_INITIALIZE_FUEL = 100_000_000;

/**
 * What a toolchain wants to be run first, before anybody's call: it must come out the same for every rule and event that
 * the instance will serve, and so it sees none of them, and nothing that a rule grants but WASI itself.
 */
function initialize(guest: GuestInstance, setup: GuestSetup): Failure | undefined {
  const { moduleKey, module, depth, initializeFuel = DEFAULT_INITIALIZE_FUEL } = setup;
  const empty = { ...setup, function: INITIALIZE, config: {}, limits: DEFAULT_HOST_LIMITS, grants: { wasi: true } };
  const nothing = new Uint8Array(0);
  const task = { setupKey: 0, setup: undefined, input: nothing, fuel: 0, given: {} };
  host.begin({
    setup: empty,
    task,
    input: nothing,
    seed: encoder.encode(moduleKey),
    ask: undefined,
    files: undefined,
  });
  host.attach(guest.memory);
  const budget = { fuel: initializeFuel, depth };
  guest.fill(budget.fuel, budget.depth);
  const startBytes = guest.memory?.buffer.byteLength ?? 0;
  let failure: Failure | undefined;
  try {
    (guest.exports[module.state.initialize ?? INITIALIZE] as () => void)();
    failure = host.violation ?? failureOfCode(0, INITIALIZE, host.error) ?? failureOfGrowth(startBytes, guest, setup);
  } catch (error) {
    failure = host.violation ?? failureOfTrap(error, guest, budget, host.error);
  }
  if (failure === undefined) return undefined;
  const where = failure.kind === "capability" ? "in _initialize, to which nothing is granted" : "in _initialize";
  return { ...failure, message: `${where}: ${failure.message}` };
}

/** What the rule's function returned. A command returns nothing, or ends itself. */
function call(guest: GuestInstance, name: string): number {
  const called = guest.exports[exportedName(name)] as () => number;
  if (name !== COMMAND) return called();
  try {
    called();
    return 0;
  } catch (error) {
    if (error instanceof GuestExit) return error.code;
    throw error;
  }
}

function setupOf({ setupKey, setup }: GuestTask): GuestSetup | undefined {
  if (setup === undefined) return setups.get(setupKey);
  const [oldest] = setups.keys();
  if (setups.size >= MAX_SETUPS && oldest !== undefined) setups.delete(oldest);
  setups.set(setupKey, setup);
  return setup;
}

function readAnswer(guest: GuestInstance): GuestAnswer {
  const output = host.output;
  if (output === undefined || output.byteLength === 0) {
    return failed({ kind: "no-output", message: "answered with nothing; {} says that a guard has no opinion" }, guest);
  }
  const json = readStrictJson(output);
  if (!json.ok) return failed({ kind: "invalid-output", message: json.message }, guest);
  const { effects } = host;
  return { kind: "answered", text: json.text, usage: usage(guest), ...(effects === undefined ? {} : { effects }) };
}

function failed(failure: Failure, guest: GuestInstance | undefined): GuestAnswer {
  return { kind: "failed", failure, usage: usage(guest) };
}

function usage(guest: GuestInstance | undefined): GuestUsage {
  return {
    outputBytes: host.output?.byteLength ?? 0,
    memoryBytes: guest?.memory?.buffer.byteLength ?? 0,
    fuel: guest?.fuelUsed ?? 0,
    doneAtMs: THREAD_STARTED_AT_MS + performance.now(),
    ...(host.log.length === 0 ? {} : { log: host.log }),
  };
}
