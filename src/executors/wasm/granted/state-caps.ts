import type { Failure } from "../../../outcome.ts";
import type { StateGrant } from "../../../rule.ts";
import type { StateValues } from "../guest/protocol.ts";
import type { StateChange } from "./state-store.ts";

/** What a rule's caps have against changes, as the guest's side has found already; but that may have been overrun. */
export function excessOf(
  values: StateValues,
  changes: readonly StateChange[],
  { maxKeys, maxBytes }: StateGrant,
): Failure | undefined {
  // Whoever only removes may do so whatever a store has come up with.
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
