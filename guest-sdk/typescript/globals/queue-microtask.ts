import { nameValue } from "../name-value.ts";

/**
 * Runs a function after the running code ends and before the guard answers. An error that the function throws fails the
 * call.
 */
export function queueMicrotask(callback: () => void): void {
  if (typeof callback !== "function") {
    throw new TypeError(`queueMicrotask: expected a function, got ${nameValue(callback)}`);
  }
  void Promise.resolve().then(() => void callback());
}
