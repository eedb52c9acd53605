import { isJsonObject, type JsonObject } from "../../event.ts";
import { SESSION_END_VARIABLE } from "./session-end.ts";

/** How long Claude Code's hooks may take, in its unit. */

/** Seconds, where an event's hooks get less than the usual ten minutes. */
const EVENT_TIMEOUT_SECONDS: Readonly<Record<string, number>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
};
const DEFAULT_TIMEOUT_SECONDS = 600;
const SESSION_END_SECONDS = { least: 1.5, most: 60 } as const;

/** Of hooks that ask a model, at every event. */
const TYPE_TIMEOUT_SECONDS: Readonly<Record<string, number>> = { prompt: 30, agent: 60 };

export function secondsOf({ type, timeout }: JsonObject, eventName: string, sessionEnd: number): number {
  const own = timeout as number | undefined;
  if (eventName === "SessionEnd") return Math.min(own ?? sessionEnd, sessionEnd);
  return own ?? usualSeconds(String(type), eventName);
}

/** Of a hook that does not say. */
export function usualSeconds(type: string, eventName: string): number {
  return TYPE_TIMEOUT_SECONDS[type] ?? EVENT_TIMEOUT_SECONDS[eventName] ?? DEFAULT_TIMEOUT_SECONDS;
}

/**
 * How long the client waits for a hook process whose entry has no `timeout`. A session's end is the longest that it can be
 * made to wait: no refusal is lost there, and a hook that is cut short may be.
 */
export function patienceMs(eventName: string | undefined): number {
  const seconds = eventName === "SessionEnd" ? SESSION_END_SECONDS.most : usualSeconds("command", eventName ?? "");
  return seconds * 1_000;
}

/** All hooks at a session's end share what the longest of a settings file asks for. A plugin's cannot ask for more. */
export function sessionEndSeconds(value: unknown, isSettings: boolean): number {
  const { least, most } = SESSION_END_SECONDS;
  const told = Number(process.env[SESSION_END_VARIABLE]);
  if (told > 0 && Number.isFinite(told)) return told / 1_000;
  const hooks = isJsonObject(value) && isJsonObject(value["hooks"]) ? value["hooks"] : {};
  const groups = !isSettings ? [] : listOf(hooks["SessionEnd"]);
  const asked = groups
    .flatMap((group) => (isJsonObject(group) ? listOf(group["hooks"]) : []))
    .map((hook) => (isJsonObject(hook) && typeof hook["timeout"] === "number" ? hook["timeout"] : least));
  return Math.min(most, Math.max(least, ...asked));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
