import { isJsonObject, type JsonObject } from "../json.ts";
import { changePrivateJson, readPrivateJson, type StateFolder } from "./private-json.ts";

/** The last calls that a rule has refused or asked about, so that `hookbox except` can offer them to the user. */

export interface RefusedCall {
  readonly at: string;
  readonly reason: string;
  /** The exception that would let exactly this call pass, without its reason and day. */
  readonly exception: JsonObject;
}

const FILE = "refused.json";
const MAX_CALLS = 20;

/** Adds calls; the oldest are removed. A call that is recorded again moves to the end. */
export function recordRefused(calls: readonly RefusedCall[], stateFolder: StateFolder): void {
  const added = new Set(calls.map(({ exception }) => JSON.stringify(exception)));
  changePrivateJson(stateFolder, FILE, (before) => {
    const kept = callsIn(before).filter(({ exception }) => !added.has(JSON.stringify(exception)));
    return { calls: [...kept, ...calls].slice(-MAX_CALLS).map((call) => ({ ...call })) };
  });
}

/** Returns the recorded calls, the oldest first. */
export function refusedCalls(stateFolder: StateFolder): readonly RefusedCall[] {
  return callsIn(readPrivateJson(stateFolder, FILE));
}

function callsIn({ calls }: JsonObject): readonly RefusedCall[] {
  return (Array.isArray(calls) ? calls : []).flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const { at, reason, exception } = one;
    return typeof at === "string" && typeof reason === "string" && isJsonObject(exception)
      ? [{ at, reason, exception }]
      : [];
  });
}
