import { describeThrown } from "../../../errors.ts";
import { readStrictJson } from "../../../events/strict-json.ts";
import type { Failure } from "../../../outcome.ts";
import type { AskEngine } from "./capabilities/capability.ts";
import { GuestInstance } from "./guest-instance.ts";
import { GuestHost, type HostFunctions } from "./host.ts";
import type { GuestAnswer, GuestModule, GuestSetup, GuestTask, GuestUsage } from "./protocol.ts";
import { trapWords } from "./trap-words.ts";

/** One guest call at a time, in the thread that loads this file. */

const host = new GuestHost();
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
  /** For what a guest has done by the engine's own side. Default: nothing is. */
  readonly ask?: AskEngine | undefined;
}

/** Rejects while another call is being made: both would have one host, and each the other's answer. */
export async function runGuest(
  task: GuestTask,
  instantiate: Instantiate,
  { isKept = true, ask }: GuestRunOptions = {},
): Promise<GuestAnswer> {
  if (isRunning) throw new Error("a thread makes one call of a guest at a time");
  const setup = setupOf(task);
  if (setup === undefined) return { kind: "needs-setup" };
  const { moduleKey, module } = setup;

  const input = typeof task.input === "string" ? encoder.encode(task.input) : task.input;
  host.begin({ setup, task, input, ask });
  isRunning = true;
  let guest: GuestInstance | undefined;
  try {
    guest =
      idle.get(moduleKey) ??
      new GuestInstance(await instantiate(compiledOf(module), host.functions), module.state, isKept);
    idle.delete(moduleKey);
    guest.fill(task.fuel, setup.depth);
    const startBytes = guest.memory?.buffer.byteLength ?? 0;
    const handle = guest.exports[setup.function] as () => number;
    const code = handle();
    const failure = host.violation ?? flawOfRun(code, startBytes, guest, setup);
    if (failure !== undefined) return failed(failure, guest);
    const answer = readAnswer(guest);
    if (answer.kind === "answered" && guest.restore()) idle.set(moduleKey, guest);
    return answer;
  } catch (error) {
    // What the host refused outranks how the guest went down over it.
    return failed(host.violation ?? classifyTrap(error, guest, task.fuel, setup.depth), guest);
  } finally {
    isRunning = false;
  }
}

function compiledOf(module: GuestModule): WebAssembly.Module {
  if ("compiled" in module) return module.compiled;
  throw new TypeError("the module was sent to a thread that does not compile");
}

function setupOf({ setupKey, setup }: GuestTask): GuestSetup | undefined {
  if (setup === undefined) return setups.get(setupKey);
  const [oldest] = setups.keys();
  if (setups.size >= MAX_SETUPS && oldest !== undefined) setups.delete(oldest);
  setups.set(setupKey, setup);
  return setup;
}

function flawOfRun(
  code: number,
  startBytes: number,
  { memory }: GuestInstance,
  setup: GuestSetup,
): Failure | undefined {
  if (host.error !== undefined)
    return { kind: "exit", message: `the guard reported an error: ${host.error}`, value: code };
  if (code !== 0)
    return { kind: "exit", message: `${setup.function} returned ${code} instead of 0`, limit: 0, value: code };
  const endBytes = memory?.buffer.byteLength ?? 0;
  if (endBytes > startBytes && endBytes >= setup.memoryBytes) {
    return {
      kind: "memory",
      message: `grew its memory to the limit of ${setup.memoryBytes} bytes`,
      limit: setup.memoryBytes,
      value: endBytes,
    };
  }
  return undefined;
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

function classifyTrap(error: unknown, guest: GuestInstance | undefined, fuel: number, depth: number): Failure {
  if (guest?.isOutOfFuel === true) {
    return { kind: "fuel", message: `used up its fuel of ${fuel}`, limit: fuel, value: guest.fuelUsed };
  }
  if (guest?.isTooDeep === true) {
    return { kind: "stack", message: `called too deep for ${depth} stack slots`, limit: depth };
  }
  // V8's own limit, where a guest has found frames larger than the depth counter takes them for.
  if (error instanceof RangeError && !/stack/i.test(error.message)) {
    return { kind: "memory", message: `ran out of memory: ${error.message}` };
  }
  if (error instanceof RangeError) return { kind: "stack", message: `ran out of stack: ${error.message}` };
  if (error instanceof WebAssembly.RuntimeError) {
    // A panic says what is wrong and traps.
    const said = host.error === undefined ? "" : `; the guard reported an error: ${host.error}`;
    return { kind: "trap", message: `trapped: ${trapWords(error.message)}${said}` };
  }
  return { kind: "trap", message: describeThrown(error) };
}
