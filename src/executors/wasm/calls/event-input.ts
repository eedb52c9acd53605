import { actionsOf } from "../../../actions/actions-of.ts";
import type { HookEvent } from "../../../event.ts";
import type { JsonValue } from "../../../json.ts";
import type { Failure } from "../../../outcome.ts";
import { abi } from "../../../sandbox/index.ts";

/** An event as guards read it: JSON, and its length as UTF-8. */
export interface EventInput {
  readonly text: string;
  readonly bytes: number;
}

/** The maximum length of an event for guards, because reading a longer event would take too long for a decision. */
const MAX_INPUT_BYTES = 4 * 1_048_576;

/** Cache of one event, because its rules ask one after the other. A map of all events would slow garbage collection. */
let latest: { readonly event: HookEvent; readonly input: EventInput } | undefined;

/**
 * Serialises an event for guards, once for all of its rules. A guest's JSON parser never reads the agent's own bytes,
 * which different parsers might read differently.
 */
export function inputOf(event: HookEvent): EventInput {
  if (latest?.event !== event) {
    const text = wellFormedJson({
      ...event.payload,
      // Replaces a field of this name that the agent or the model has sent.
      actions: actionsOf(event.payload, event.dialect) as JsonValue | undefined,
      abi: abi.GUEST_ABI_VERSION,
      hook_event_name: event.name,
      dialect: event.dialect,
    });
    latest = { event, input: { text, bytes: Buffer.byteLength(text) } };
  }
  return latest.input;
}

/** Returns a failure if the event is too long for guards. */
export function failureOfInput({ bytes: value }: EventInput): Failure | undefined {
  const limit = MAX_INPUT_BYTES;
  if (value <= limit) return undefined;
  return { kind: "memory", message: `the event is ${value} bytes long; a guard reads at most ${limit}`, limit, value };
}

/**
 * Returns JSON that is valid UTF-8. Unpaired surrogates become U+FFFD, because guests treat them differently: some
 * refuse them, some read U+FFFD, and some keep them. File systems and shells never get unpaired surrogates.
 */
export function wellFormedJson(value: { readonly [key: string]: JsonValue | undefined }): string {
  const text = JSON.stringify(value);
  // `JSON.stringify` writes only unpaired surrogates as escapes that begin with `\ud`.
  if (!text.includes("\\ud")) return text;
  const replaced = text.replace(ESCAPE, (found) => (found === "\\\\" ? found : "\ufffd"));
  // The result is parsed again, because two different keys may have become equal.
  return replaced === text ? text : JSON.stringify(JSON.parse(replaced));
}

/** Matches escapes of surrogates, and escaped backslashes, so that the following text is no escape. */
const ESCAPE = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;
