import { callersEnvironment, callersFolder } from "../caller.ts";
import type { HookEvent } from "../event.ts";
import { EVENT_NAMES, isEventOf } from "../events/lookup.ts";
import type { EventName } from "../events/table.ts";
import type { JsonObject } from "../json.ts";
import type { DecodedEvent } from "./dialect.ts";

/** Input and environment of hooks in dialects that use Claude Code's names. */

/** Returns the event as Claude Code writes it to a hook's stdin: the canonical payload. */
export function canonicalPayload(event: HookEvent): string {
  return JSON.stringify({ ...event.payload, hook_event_name: event.name });
}

/**
 * Returns `CLAUDE_PROJECT_DIR`, the folder where the session began. The event's `cwd` changes with the agent. The
 * variable is always set, because without it `"$CLAUDE_PROJECT_DIR"/build` would be a path from the root.
 */
export function projectEnvironment(event: HookEvent): { readonly CLAUDE_PROJECT_DIR: string } {
  const cwd = event.payload["cwd"];
  const folder = [callersEnvironment()["CLAUDE_PROJECT_DIR"], cwd].find((one) => typeof one === "string" && one !== "");
  return { CLAUDE_PROJECT_DIR: typeof folder === "string" ? folder : callersFolder() };
}

/** Returns the events of a dialect that uses canonical event names. */
export function canonicalEvents(dialect: string): Readonly<Record<string, EventName>> {
  return Object.fromEntries(EVENT_NAMES.filter((name) => isEventOf(name, dialect)).map((name) => [name, name]));
}

/** Decodes a payload that is already canonical. The event's name comes from the payload, the command line or both. */
export function decodeCanonicalEvent(payload: JsonObject, eventName: string | undefined): DecodedEvent {
  const named = payload["hook_event_name"];
  if (named !== undefined && typeof named !== "string")
    return { ok: false, message: "hook_event_name must be a string" };
  const name = named ?? eventName;
  if (name === undefined) return { ok: false, message: "the payload has no hook_event_name, and no event was named" };
  if (eventName !== undefined && name !== eventName) {
    return { ok: false, message: `the payload says it is ${name}, the command line says ${eventName}` };
  }
  return { ok: true, name, payload };
}

/**
 * Converts between an agent's names of events and the canonical names. `agentEvent` returns the agent's first name of
 * an event, and the same name for an event that the agent does not have.
 */
export function eventSpelling(events: Readonly<Record<string, EventName>>): {
  readonly agentEvent: (name: string) => string;
  readonly canonicalEvent: (name: string) => EventName | undefined;
} {
  const agentNames = new Map<string, string>(
    Object.entries(events)
      .map(([agent, name]) => [name, agent] as const)
      .reverse(),
  );
  return {
    agentEvent: (name) => agentNames.get(name) ?? name,
    canonicalEvent: (name) => (Object.hasOwn(events, name) ? events[name] : undefined),
  };
}
