import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import type { HookOutcome } from "../outcome.ts";

/** Partial rewrites of a tool's input: top-level fields that replace those of the same name. */

/** What an object inherits from. A field of that name is an attack on whoever merges with less care than we do. */
const RESERVED = ["__proto__", "constructor", "prototype"];

export function patched(input: JsonObject, patch: JsonObject): JsonObject {
  return { ...input, ...patch };
}

/** The fields of a patch that say something else than the input does. */
export function changedFields(input: JsonObject, patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).filter(([key, value]) => !Object.hasOwn(input, key) || !isDeepStrictEqual(input[key], value)),
  );
}

/** A patch that names what no field can be is no answer at all. */
export function refuseReservedKeys(outcome: HookOutcome, contract: EventContract): HookOutcome {
  if (contract.rewriteMode !== "patch" || outcome.status !== "decided") return outcome;
  const { updatedInput } = outcome.reply;
  const key = updatedInput === undefined ? undefined : RESERVED.find((name) => Object.hasOwn(updatedInput, name));
  if (key === undefined) return outcome;
  const message = `updatedInput may not have a field "${key}"`;
  return { status: "failed", failure: { kind: "invalid-output", message }, receipt: outcome.receipt };
}
