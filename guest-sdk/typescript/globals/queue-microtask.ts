import { nameValue } from "../name-value.ts";

/** Runs a function once the code that is running has ended, and before the guard answers. What it throws is a failure. */
export function queueMicrotask(callback: () => void): void {
  if (typeof callback !== "function") {
    throw new TypeError(`queueMicrotask: expected a function, got ${nameValue(callback)}`);
  }
  void Promise.resolve().then(() => void callback());
}
