import type { Host } from "../host.ts";
import { requireText } from "./require-text.ts";

/**
 * Texts that are kept after a call, for guards that want `state` and whose rule grants it. Texts are kept per rule and
 * session. A call sees its own changes, which are saved after the call has answered.
 */
export interface State {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
  /**
   * Adds `by` (default: 1) to the whole number that is stored under the key, and returns the sum. A missing value
   * counts as 0.
   *
   * @throws TypeError if the stored value is not a whole number
   */
  increment(key: string, by?: number): number;
}

export function makeState({ getVar, setVar }: Host): State {
  const get = (key: string): string | undefined => getVar(requireText("state", "key", key));
  const set = (key: string, value: string): void =>
    setVar(requireText("state", "key", key), requireText("state", "value", value));
  return Object.freeze({
    get,
    set,
    delete: (key: string) => setVar(requireText("state", "key", key), undefined),
    increment(key: string, by = 1) {
      const text = get(key) ?? "0";
      const sum = Number(text) + by;
      // A counter that is not a number would never exceed a limit.
      if (text.trim() === "" || !Number.isSafeInteger(sum)) {
        throw new TypeError(
          `state: ${JSON.stringify(key)} is ${JSON.stringify(text)}, and ${by} cannot be added to it`,
        );
      }
      set(key, String(sum));
      return sum;
    },
  });
}
