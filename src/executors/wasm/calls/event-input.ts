import type { HookEvent } from "../../../event.ts";
import type { Failure } from "../../../outcome.ts";
import { GUEST_ABI_VERSION } from "../guest/guest-abi.ts";
import { wellFormedJson } from "../well-formed-json.ts";

/** An event as guards read it. */
export interface EventInput {
  readonly text: string;
  readonly bytes: number;
}

/** A longer event is not shown to guards: reading it would cost more than any decision is worth. */
const MAX_INPUT_BYTES = 4 * 1_048_576;

/** The rules that one event concerns ask one after the other, and a table of all events would burden the collector. */
let latest: { readonly event: HookEvent; readonly input: EventInput } | undefined;

/** Serialised by us and once: a guest's JSON reader never sees an agent's own spelling of the event. */
export function inputOf(event: HookEvent): EventInput {
  if (latest?.event !== event) {
    const text = wellFormedJson({
      ...event.payload,
      abi: GUEST_ABI_VERSION,
      hook_event_name: event.name,
      dialect: event.dialect,
    });
    latest = { event, input: { text, bytes: Buffer.byteLength(text) } };
  }
  return latest.input;
}

/** Why no guard reads it, where none does. */
export function flawOfInput({ bytes: value }: EventInput): Failure | undefined {
  const limit = MAX_INPUT_BYTES;
  if (value <= limit) return undefined;
  return { kind: "memory", message: `the event is ${value} bytes long; a guard reads at most ${limit}`, limit, value };
}
