import { isDeepStrictEqual } from "node:util";
import type { EventContract } from "../events/contract.ts";
import type { JsonObject } from "../json.ts";
import type { HookOutcome } from "../outcome.ts";

/** Partial rewrites of a tool's input: each top-level field of the patch replaces the field of the same name. */

/** Names that change an object's prototype in a program that merges the patch carelessly. */
const RESERVED = ["__proto__", "constructor", "prototype"];

export function patched(input: JsonObject, patch: JsonObject): JsonObject {
  return { ...input, ...patch };
}

/** Returns the fields of a patch that differ from the input. */
export function changedFields(input: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).filter(([key, value]) => !Object.hasOwn(input, key) || !isDeepStrictEqual(input[key], value)),
  );
}

/** Turns a patch with a reserved field name into a failure. */
export function refuseReservedKeys(outcome: HookOutcome, contract: EventContract): HookOutcome {
  if (contract.rewriteMode !== "patch" || outcome.status !== "decided") return outcome;
  const { updatedInput } = outcome.reply;
  const key = updatedInput === undefined ? undefined : RESERVED.find((name) => Object.hasOwn(updatedInput, name));
  if (key === undefined) return outcome;
  const message = `updatedInput may not have a field "${key}"`;
  return { status: "failed", failure: { kind: "invalid-output", message }, receipt: outcome.receipt };
}
