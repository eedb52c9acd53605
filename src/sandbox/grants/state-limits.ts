import type { StateGrant } from "../../grants.ts";
import type { Failure } from "../../outcome.ts";
import type { StateChange, StateValues } from "../../state/state-store.ts";

/**
 * Returns a failure if changes exceed the rule's limits. The guest's side checks the same, but an attacker may control
 * the guest's process.
 */
export function excessOf(
  values: StateValues,
  changes: readonly StateChange[],
  { maxKeys, maxBytes }: StateGrant,
): Failure | undefined {
  // Removals are always allowed, even if the store returned more variables than the limits allow.
  if (changes.every(([, value]) => value === null)) return undefined;
  const after = new Map(values);
  for (const [key, value] of changes) {
    if (value === null) after.delete(key);
    else after.set(key, value);
  }
  if (after.size > maxKeys) return exceeded(`${after.size} variables`, maxKeys, after.size);
  let bytes = 0;
  for (const [key, value] of after) bytes += Buffer.byteLength(key) + value.byteLength;
  return bytes > maxBytes ? exceeded(`variables of ${bytes} bytes`, maxBytes, bytes) : undefined;
}

function exceeded(what: string, limit: number, value: number): Failure {
  return { kind: "memory", message: `the guard keeps ${what}; the limit is ${limit}`, limit, value };
}
