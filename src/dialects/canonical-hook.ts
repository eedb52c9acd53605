import type { HookEvent, JsonObject } from "../event.ts";
import type { DecodedEvent } from "./dialect.ts";

/** What hooks of dialects in Claude Code's spelling are given. */

/** The event as Claude Code writes it to a hook's stdin: the canonical payload. */
export function canonicalPayload(event: HookEvent): string {
  return JSON.stringify({ ...event.payload, hook_event_name: event.name });
}

/** `CLAUDE_PROJECT_DIR` stays where the session began; the event's `cwd` follows the agent around. */
export function projectEnvironment(event: HookEvent): Readonly<Record<string, string>> {
  const cwd = event.payload["cwd"];
  const project = process.env["CLAUDE_PROJECT_DIR"] ?? (typeof cwd === "string" ? cwd : undefined);
  return project === undefined ? {} : { CLAUDE_PROJECT_DIR: project };
}

/** Payloads that already are canonical name their event themselves; a command line may name it too. */
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
