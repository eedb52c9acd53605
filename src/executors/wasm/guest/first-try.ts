import type { StopSignal } from "../../../stop-signal.ts";
import { directImports } from "./direct-link.ts";
import { runGuest } from "./guest-run.ts";
import type { HostFunctions } from "./host.ts";
import type { GuestAnswer, GuestSetup, GuestTask } from "./protocol.ts";

/**
 * Nothing but fuel ends a guest in this thread, and a chase through memory that no cache holds was seen to take 240 ns for
 * a unit of it: a quarter of a second for this.
 */
const FUEL = 1_000_000;

/** The guards that ship are ours, and do no such thing. A command of ordinary length takes them 1 to 3 million. */
const FUEL_OF_OURS = 8_000_000;

/**
 * V8 compiles a function when it is first called, and nothing ends that: a megabyte of code that is made for it, and
 * light enough to be tried here, was seen to take 0.2 s, four of them a second. A verdict may be late by 0.25 s. An
 * interpreter of JavaScript, with its counters, is 0.65 MB.
 */
const MAX_CODE_BYTES = 1_048_576;

/** Of all tries together: many rules that each take a little would take a deadline, too. */
const left = { ours: 32_000_000, others: 1_100_000 };
/** With less than this a try is not worth its while. */
const LEAST_FUEL = 100_000;

/**
 * A call in the caller's own thread, for processes that serve one event: to start a thread, and to load what runs in
 * it, would take them longer than all the rest.
 *
 * A guest that answers with this little fuel has answered: it would say the same with more, in whatever thread. Whatever
 * else comes of the try counts for nothing, and is found out anew where a deadline reaches it.
 */
export function firstTry(
  task: GuestTask,
  setup: GuestSetup,
  signal: StopSignal,
  { isOurs }: { readonly isOurs: boolean },
): Promise<GuestAnswer | undefined> {
  const whose = isOurs ? "ours" : "others";
  signal.enter?.("queue");
  const turn = lastTurn
    .then(() => (signal.aborted ? undefined : tryOnce(task, setup, signal, whose)))
    .catch(() => undefined);
  lastTurn = turn;
  return turn;
}

/**
 * Rules run side by side, and there is one host for all guests of a thread: a second call that begins while the first
 * one is being linked would give it another rule's `config`, and take its answer.
 */
let lastTurn: Promise<unknown> = Promise.resolve();

async function tryOnce(
  task: GuestTask,
  setup: GuestSetup,
  signal: StopSignal,
  whose: keyof typeof left,
): Promise<GuestAnswer | undefined> {
  if (!setup.module.isLight || setup.module.codeBytes > MAX_CODE_BYTES || left[whose] < LEAST_FUEL) return undefined;
  const fuel = Math.min(task.fuel, whose === "ours" ? FUEL_OF_OURS : FUEL, left[whose]);
  signal.enter?.("load");
  const onBegin = (): void => signal.enter?.("work");
  const answer = await runGuest({ ...task, setup, fuel }, instantiate, { isKept: false, onBegin });
  if (answer.kind !== "needs-setup") left[whose] -= answer.usage.fuel;
  return answer.kind === "answered" ? answer : undefined;
}

const instantiate = (module: WebAssembly.Module, functions: HostFunctions): Promise<WebAssembly.Instance> =>
  WebAssembly.instantiate(module, directImports(functions));
