import { randomBytes, randomInt } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";

/**
 * V8 reads these flags while it compiles a function, so a module that is compiled as a whole while they are off is never
 * optimised, whatever they are later, in whatever thread it runs. It must be the synchronous constructor: on Node 24 and
 * 26 a promise of `WebAssembly.compile` may stay pending under these flags, and would outlive the window.
 */
const FLAGS = ["wasm-dynamic-tiering", "wasm-tier-up", "wasm-lazy-compilation"] as const;

/** Throws what V8 throws for a module that is not valid. */
export function compileUnoptimised(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  return isMainThread ? compileInWindow(bytes) : compileForGood(bytes);
}

function compileInWindow(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const switched: string[] = [];
  try {
    for (const name of FLAGS) if (switchOff(name)) switched.push(name);
    setFlagsFromString(`${WINDOW_FLAG}=${randomInt(1, 2 ** 31 - 1)}`);
    return new WebAssembly.Module(bytes);
  } finally {
    setFlagsFromString(`${WINDOW_FLAG}=${WINDOW_FLAG_DEFAULT}`);
    for (const name of switched) setFlagsFromString(`--${name}`);
  }
}

/**
 * A flag of V8's own tests, which changes nothing but the digest of all flags. Another number in each window, so that a
 * thread whose work spans two windows does not take the second for the first.
 */
const WINDOW_FLAG = "--testing-int-flag";
const WINDOW_FLAG_DEFAULT = 13;

const ATTEMPTS = 5;

/**
 * Flags belong to the process, and threads share no lock that one of them would not have to hand to the other. So nobody
 * but the main thread puts flags back: what another thread has switched off stays off for the process. If the main thread
 * was in the middle of its own window, it puts them back once more, and the module counts as one that V8 may optimise: it
 * counts as unoptimised only if the flags are off after its compilation, and no flag has changed since before it.
 */
function compileForGood(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  let file = bytes;
  for (let left = ATTEMPTS; left > 0; left--) {
    switchAllOff();
    const before = flagsNow();
    const module = new WebAssembly.Module(file);
    if (!switchAllOff() && areStill(before)) return module;
    // For equal bytes V8 has the compiled module at hand.
    file = Uint8Array.from(Buffer.concat([bytes, customSection(left)]));
  }
  throw new Error("another thread of this process keeps changing V8's flags");
}

/** Whether one of them was on. */
function switchAllOff(): boolean {
  return FLAGS.map(switchOff).includes(true);
}

/** Whether it was on. What the host has switched off itself stays off afterwards. */
function switchOff(name: string): boolean {
  const before = flagsNow();
  setFlagsFromString(`--no-${name}`);
  const wasOn = !areStill(before);
  if (wasOn) known.add(name);
  // In another thread this could hit a window of the main thread's.
  else if (isMainThread) knowFlag(name);
  return wasOn;
}

const known = new Set<string>();

/** A V8 that has no such flag any more says nothing, and would optimise the module. */
function knowFlag(name: string): void {
  if (known.has(name)) return;
  const before = flagsNow();
  setFlagsFromString(`--${name}`);
  const isKnown = !areStill(before);
  setFlagsFromString(`--no-${name}`);
  if (!isKnown) throw new Error(`this Node's V8 has no flag --${name}`);
  known.add(name);
}

/**
 * Nothing tells a flag's value, but V8 writes a digest of all flags into its code cache and takes back only what was made
 * under the same ones.
 */
function flagsNow(): Buffer {
  return new Script("0".padStart(TEXT_LENGTH)).createCachedData();
}

const TEXT_LENGTH = 16;

function areStill(flags: Buffer): boolean {
  // V8 ignores the cache for a text that it has compiled before, in this copy of the module or another one, so the text is
  // random. The length has to be the same.
  const text = `/*${randomBytes((TEXT_LENGTH - 4) / 2).toString("hex")}*/`;
  return new Script(text, { cachedData: flags }).cachedDataRejected !== true;
}

/** Says nothing, and makes other bytes of a module. */
function customSection(number: number): Uint8Array {
  return Uint8Array.from([0, 2, 1, number]);
}
