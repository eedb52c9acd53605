import type { StopSignal } from "../../stop-signal.ts";
import { directImports } from "./direct-link.ts";
import { runGuest } from "./guest-run.ts";
import type { HostFunctions } from "./host-functions.ts";
import type { GuestAnswer, GuestSetup, GuestTask } from "./protocol.ts";

/**
 * Fuel of a first try, which alone ends a guest in this thread. Random reads of memory outside of the processor's
 * caches were measured at 240 ns a unit, so this much fuel can take a quarter of a second.
 */
const FUEL = 1_000_000;

/** Fuel for the guards that ship with hookbox, which are trusted. A command of ordinary length takes 1 to 3 million. */
const FUEL_OF_OURS = 8_000_000;

/**
 * The maximum size of code for a first try. V8 compiles a function at its first call, and compilation cannot be
 * interrupted. A megabyte of crafted code that still counts as light was measured at 0.2 s, and four such modules at
 * one second. A verdict may be late by 0.25 s. A JavaScript interpreter with its metering has 0.65 MB.
 */
const MAX_CODE_BYTES = 1_048_576;

/** Remaining fuel for all first tries together. Otherwise many small tries could exceed a rule's timeout. */
const left = { ours: 32_000_000, others: 1_100_000 };
/** The minimum of remaining fuel for a first try. */
const LEAST_FUEL = 100_000;

/**
 * Makes a call with little fuel in the caller's own thread. Used by processes that serve one event, because starting a
 * thread and loading its code would take longer than everything else.
 *
 * An answer from a first try is final, because the guest would give the same answer with more fuel and in any thread.
 * Any other end of the try resolves to `undefined`. The call must then be made in a thread, where a timeout can end it.
 */
export function firstTry(
  task: GuestTask,
  setup: GuestSetup,
  signal: StopSignal,
  { isOurs }: { readonly isOurs: boolean },
): Promise<GuestAnswer | undefined> {
  const whose = isOurs ? "ours" : "others";
  signal.enter?.("queue");
  const attempt = lastTry
    .then(() => (signal.aborted ? undefined : tryOnce(task, setup, signal, whose)))
    .catch(() => undefined);
  lastTry = attempt;
  return attempt;
}

/**
 * The last try. Tries run one after the other, because a thread has one host for all guests. If a second call began
 * while the first guest is being linked, the first guest would get the second rule's `config`, and its answer would go
 * to the second rule.
 */
let lastTry: Promise<unknown> = Promise.resolve();

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
