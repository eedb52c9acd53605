import { randomBytes, randomInt } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";

/**
 * V8 flags that control optimisation while V8 compiles a function. A module that is compiled as a whole while these
 * flags are off is never optimised, even if the flags are on later, and in any thread. The constructor must be
 * synchronous: on Node 24 and 26 a promise of `WebAssembly.compile` may stay pending until the flags are on again.
 */
const FLAGS = ["wasm-dynamic-tiering", "wasm-tier-up", "wasm-lazy-compilation"] as const;

/** Compiles a module that V8 never optimises. Throws V8's error for an invalid module. */
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
 * A flag for V8's own tests, which only changes the digest of all flags. Each window uses another number, so that a
 * thread can detect a compilation that spans two windows.
 */
const WINDOW_FLAG = "--testing-int-flag";
const WINDOW_FLAG_DEFAULT = 13;

const ATTEMPTS = 5;

/**
 * Compiles in another thread than the main thread. Flags belong to the process, and threads have no common mutex.
 * Therefore only the main thread restores flags; flags that another thread has switched off stay off. If the main
 * thread restores flags afterwards, V8 may optimise the module that was compiled here. The compilation is accepted only
 * if the flags are off after it and no flag has changed since before it. Otherwise it is repeated.
 */
function compileForGood(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  let file = bytes;
  for (let left = ATTEMPTS; left > 0; left--) {
    switchAllOff();
    const before = flagsNow();
    const module = new WebAssembly.Module(file);
    if (!switchAllOff() && areStill(before)) return module;
    // The bytes are changed, because V8 returns a cached module for equal bytes.
    file = Uint8Array.from(Buffer.concat([bytes, customSection(left)]));
  }
  throw new Error("another thread of this process keeps changing V8's flags");
}

/** Switches all flags off. Returns whether one of them was on. */
function switchAllOff(): boolean {
  return FLAGS.map(switchOff).includes(true);
}

/**
 * Switches a flag off. Returns whether the flag was on. A flag that the embedding program switched off is not switched
 * on later.
 */
function switchOff(name: string): boolean {
  const before = flagsNow();
  setFlagsFromString(`--no-${name}`);
  const wasOn = !areStill(before);
  if (wasOn) known.add(name);
  // Only the main thread checks that V8 has the flag. The check switches the flag on for a moment. In another thread,
  // the check could switch the flag on while the main thread compiles.
  else if (isMainThread) knowFlag(name);
  return wasOn;
}

const known = new Set<string>();

/**
 * Throws if V8 does not have the flag. V8 itself reports no error for an unknown flag, and would optimise the module.
 */
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
 * Returns a code cache that identifies the current flags. V8 has no function that reads a flag. V8 stores a digest of
 * all flags in its code cache, and accepts a cache only under the same flags.
 */
function flagsNow(): Buffer {
  return new Script("0".padStart(TEXT_LENGTH)).createCachedData();
}

const TEXT_LENGTH = 16;

function areStill(flags: Buffer): boolean {
  // The text is random, because V8 ignores the cache for a text that any code has compiled before. The text must have
  // the same length as in `flagsNow`.
  const text = `/*${randomBytes((TEXT_LENGTH - 4) / 2).toString("hex")}*/`;
  return new Script(text, { cachedData: flags }).cachedDataRejected !== true;
}

/** Returns a custom section that has no effect except that it changes the module's bytes. */
function customSection(number: number): Uint8Array {
  return Uint8Array.from([0, 2, 1, number]);
}
