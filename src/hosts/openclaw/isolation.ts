import { types } from "node:util";
import { HookError } from "../../errors.ts";

/**
 * Gives each handler its own copy of the event. An event with a value that cannot be copied, or whose copy would share
 * memory, is refused before any handler is called. Otherwise one handler could change what another handler has judged.
 */
export class IsolationError extends HookError {
  constructor(what: string) {
    super("HOOK_API_MISUSE", `mutable input isolation failed: ${what}`);
  }
}

export function isolatedCopy<T>(value: T, what: string): T {
  refuseShared(value, what);
  let copy: T;
  try {
    copy = structuredClone(value);
  } catch (error) {
    throw new IsolationError(`${what} cannot be copied (${error instanceof Error ? error.name : "unknown"})`);
  }
  // The copy is checked too, because getters may have returned other values to `structuredClone`.
  refuseShared(copy, what);
  return copy;
}

// The methods come from the prototypes, because a map or set may override its own iterator.
const eachOfMap = Map.prototype.forEach;
const eachOfSet = Set.prototype.forEach;
const bufferOfArray = getter(Object.getPrototypeOf(Uint8Array.prototype) as object, "buffer");
const bufferOfView = getter(DataView.prototype, "buffer");
const bufferOfMemory = getter(WebAssembly.Memory.prototype, "buffer");

function getter(prototype: object, key: string): (this: unknown) => unknown {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, key);
  if (descriptor?.get === undefined) throw new TypeError(`no getter "${key}"`);
  return descriptor.get;
}

function refuseShared(root: unknown, what: string): void {
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  const look = (value: unknown): void => void waiting.push(value);
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "function") throw new IsolationError(`${what} holds a function`);
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (types.isProxy(value)) throw new IsolationError(`${what} holds a proxy`);
    if (types.isSharedArrayBuffer(value) || isMemory(value)) throw new IsolationError(`${what} holds shared memory`);
    if (ArrayBuffer.isView(value)) {
      const buffer: unknown = (types.isDataView(value) ? bufferOfView : bufferOfArray).call(value);
      if (types.isSharedArrayBuffer(buffer)) throw new IsolationError(`${what} holds shared memory`);
      // A typed array contains only numbers, possibly millions.
      continue;
    }
    if (types.isAnyArrayBuffer(value)) continue;
    // `structuredClone` copies only the content of a map, a set or another built-in, and no own properties.
    if (types.isMap(value))
      eachOfMap.call(value, (one, key) => {
        look(one);
        look(key);
      });
    else if (types.isSet(value)) eachOfSet.call(value, look);
    else if (types.isNativeError(value)) look(Object.getOwnPropertyDescriptor(value, "cause")?.value);
    else for (const { value: own } of Object.values(Object.getOwnPropertyDescriptors(value))) look(own);
  }
}

function isMemory(value: object): boolean {
  try {
    bufferOfMemory.call(value);
    return true;
  } catch {
    return false;
  }
}
