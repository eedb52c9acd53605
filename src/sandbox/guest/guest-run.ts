import type { Failure } from "../../outcome.ts";
import { readStrictJson } from "../../strict-json.ts";
import type { AskEngine, CallFiles } from "./capabilities/capability.ts";
import { COMMAND, exportedName, INITIALIZE } from "./guest-abi.ts";
import { GuestInstance } from "./guest-instance.ts";
import { DEFAULT_HOST_LIMITS, GuestHost } from "./host.ts";
import type { HostFunctions } from "./host-functions.ts";
import { functionsFor, layImage } from "./memory-image.ts";
import type { GuestAnswer, GuestModule, GuestSetup, GuestTask, GuestUsage } from "./protocol.ts";
import { failureOfCode, failureOfGrowth, failureOfTrap } from "./run-failures.ts";
import { GuestExit } from "./wasi/guest-exit.ts";
import type { WasiMaker } from "./wasi/wasi-capability.ts";

/** Runs guest calls, one at a time, in the thread that loads this file. */

let host = new GuestHost();
const setups = new Map<number, GuestSetup>();
/** The maximum number of setups, because rules come and go. The thread asks for a dropped setup again. */
const MAX_SETUPS = 1_024;
/**
 * Restored instances for further calls, the most recently used last. An instance that failed or cannot be restored is not
 * kept.
 */
const idle = new Map<string, GuestInstance>();
/** The maximum number of idle instances, because each keeps its memory, and modules come and go. */
const MAX_IDLE = 64;
const encoder = new TextEncoder();
/** Start of this thread's clock, in milliseconds since 1970, so that times of all threads are comparable. */
const THREAD_STARTED_AT_MS = performance.timeOrigin;

/** Links a module with the host functions. */
export type Instantiate = (module: WebAssembly.Module, functions: HostFunctions) => Promise<WebAssembly.Instance>;

let isRunning = false;

interface GuestRunOptions {
  /** Whether the instance is kept for further calls. Default: `true`. */
  readonly isKept?: boolean;
  /** Called right before the rule's function runs. */
  readonly onBegin?: (() => void) | undefined;
  /** Sends the guest's requests to the engine. Default: the guest cannot send requests. */
  readonly ask?: AskEngine | undefined;
  /** Reads files that the rule grants. Default: the guest cannot read files. */
  readonly files?: CallFiles | undefined;
  /** Provides WASI. Default: a guest that imports WASI cannot be linked. */
  readonly makeWasi?: WasiMaker | undefined;
}

/** Runs one call. Rejects during another call, because both would share one host and could get each other's answers. */
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
  const context = { setup, task, input, ask, files };
  host.begin(context);
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
        host.begin(context);
      }
    }
    host.attach(guest);
    guest.fill(budget.fuel, budget.depth);
    const startBytes = guest.memory?.buffer.byteLength ?? 0;
    onBegin?.();
    const code = call(guest, setup.function);
    const failure =
      host.failure ?? failureOfCode(code, setup.function, host.error) ?? failureOfGrowth(startBytes, guest, setup);
    if (failure !== undefined) return failed(failure, guest);
    const answer = readAnswer(guest);
    if (answer.kind === "answered" && isKept) used = { key: instanceKey(setup), guest };
    return answer;
  } catch (error) {
    // A refusal of the host outranks the trap that it caused in the guest.
    return failed(host.failure ?? failureOfTrap(error, guest, budget, host.error), guest);
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

/** The instance of the last call, which has not been restored. */
let used: { readonly key: string; readonly guest: GuestInstance } | undefined;

/**
 * Restores the instance of the last call. Called after the answer has been sent, so that the caller does not wait, and at
 * the latest by the next call. An instance that cannot be restored is not used again.
 */
export function restoreUsed(): void {
  const last = used;
  used = undefined;
  if (last?.guest.restore() === true) keep(last.key, last.guest);
}

/** Removes an idle instance from the map and returns it. The caller puts the instance back after restoring it. */
function idleOf(setup: GuestSetup): GuestInstance | undefined {
  restoreUsed();
  const key = instanceKey(setup);
  const guest = idle.get(key);
  idle.delete(key);
  return guest;
}

function keep(key: string, guest: GuestInstance): void {
  idle.set(key, guest);
  const [oldest] = idle.keys();
  if (idle.size > MAX_IDLE && oldest !== undefined) idle.delete(oldest);
}

/** Returns the key of an instance. Rules with the same limits share the instances of a module. */
function instanceKey({ moduleKey, module, depth, initializeFuel }: GuestSetup): string {
  return module.state.initialize === undefined ? moduleKey : `${moduleKey}:${initializeFuel}:${depth}`;
}

const DEFAULT_INITIALIZE_FUEL = 100_000_000;

/**
 * Runs the toolchain's `_initialize` once, before the first call. The result must be the same for every rule and event
 * that the instance will serve. Therefore `_initialize` gets no event, no config, and no grant except WASI itself.
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
  host.attach(guest);
  const budget = { fuel: initializeFuel, depth };
  guest.fill(budget.fuel, budget.depth);
  const startBytes = guest.memory?.buffer.byteLength ?? 0;
  let failure: Failure | undefined;
  try {
    (guest.exports[module.state.initialize ?? INITIALIZE] as () => void)();
    failure = host.failure ?? failureOfCode(0, INITIALIZE, host.error) ?? failureOfGrowth(startBytes, guest, setup);
  } catch (error) {
    failure = host.failure ?? failureOfTrap(error, guest, budget, host.error);
  }
  if (failure === undefined) return undefined;
  const where = failure.kind === "capability" ? "in _initialize, which gets no grants" : "in _initialize";
  return { ...failure, message: `${where}: ${failure.message}` };
}

/** Calls the rule's function and returns its code. A WASI command returns nothing, or ends with `proc_exit`. */
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
    return failed({ kind: "no-output", message: "gave no answer; a guard without an opinion must answer {}" }, guest);
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
