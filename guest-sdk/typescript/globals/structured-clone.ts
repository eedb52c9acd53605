/**
 * Copies a value deeply, including cycles. Supports the types of HTML's structured clone algorithm that are part of
 * JavaScript.
 *
 * @throws Error named `DataCloneError` for functions, symbols, promises and weak collections, and for `transfer`
 */
export function structuredClone<T>(value: T, options?: { transfer?: readonly unknown[] }): T {
  if (options?.transfer !== undefined && options.transfer.length > 0)
    throw refusal("transfer is not supported in a guard");
  return clone(value, new Map()) as T;
}

const ERRORS: Readonly<Record<string, new (message?: string) => Error>> = {
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
};

function clone(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") throw refusal(`${String(value)} could not be cloned`);
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const copy = begin(value, seen);
  seen.set(value, copy);
  if (value instanceof Map) {
    for (const [key, item] of [...value]) (copy as typeof value).set(clone(key, seen), clone(item, seen));
  } else if (value instanceof Set) {
    for (const item of [...value]) (copy as typeof value).add(clone(item, seen));
  } else if (value instanceof Error) {
    if (Object.hasOwn(value, "cause")) define(copy, "cause", clone(value.cause, seen), false);
  } else if (!isWhole(value)) {
    for (const key of Object.keys(value)) define(copy, key, clone((value as Record<string, unknown>)[key], seen), true);
  }
  return copy;
}

/** Creates the copy without its contents, so that the contents can refer back to the copy. */
function begin(value: object, seen: Map<object, unknown>): object {
  if (Array.isArray(value)) return new Array(value.length);
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof RegExp) return new RegExp(value.source, value.flags);
  if (value instanceof Map) return new Map();
  if (value instanceof Set) return new Set();
  if (value instanceof Error) return beginError(value);
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (ArrayBuffer.isView(value)) return cloneView(value, seen);
  const kind = Object.prototype.toString.call(value);
  if (value instanceof Boolean || value instanceof Number || value instanceof String) return Object(value.valueOf());
  if (value instanceof BigInt) return Object(value.valueOf());
  if (isExotic(value)) throw refusal(`${kind} could not be cloned`);
  return {};
}

/** Whether a value's copy is complete at creation. Extra properties on such a value are not copied. */
function isWhole(value: object): boolean {
  return (
    [Date, RegExp, Boolean, Number, String, BigInt, ArrayBuffer].some((type) => value instanceof type) ||
    ArrayBuffer.isView(value)
  );
}

function beginError(value: Error): Error {
  const name = Object.hasOwn(ERRORS, value.name) ? value.name : "Error";
  const copy = new (ERRORS[name] as typeof Error)();
  if ("message" in value) define(copy, "message", String(value.message), false);
  define(copy, "stack", value.stack, false);
  return copy;
}

function cloneView(view: ArrayBufferView, seen: Map<object, unknown>): object {
  const buffer = clone(view.buffer, seen) as ArrayBuffer;
  const { byteOffset } = view;
  if (view instanceof DataView) return new DataView(buffer, byteOffset, view.byteLength);
  const typed = view as Uint8Array;
  return new (typed.constructor as typeof Uint8Array)(buffer, byteOffset, typed.length);
}

/** Whether a value cannot be copied. Instances of classes are copied as plain objects. */
function isExotic(value: object): boolean {
  return value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef;
}

function define(object: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true });
}

function refusal(message: string): Error {
  const error = new Error(message);
  error.name = "DataCloneError";
  return error;
}
