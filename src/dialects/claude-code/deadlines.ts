import { callersEnvironment } from "../../caller.ts";
import { isJsonObject } from "../../json.ts";
import { SESSION_END_VARIABLE } from "./session-end.ts";

/** Default timeouts of Claude Code's hooks, in seconds. */

/** Events whose hooks get less than the usual ten minutes, in seconds. */
const EVENT_TIMEOUT_SECONDS: Readonly<Record<string, number>> = {
  UserPromptSubmit: 30,
  PreModelSwitch: 30,
  PostModelSwitch: 30,
  MessageDisplay: 10,
};
const DEFAULT_TIMEOUT_SECONDS = 600;
const SESSION_END_SECONDS = { least: 1.5, most: 60 } as const;

/** Default timeouts of hooks that ask a model, at every event. */
const TYPE_TIMEOUT_SECONDS: Readonly<Record<string, number>> = { prompt: 30, agent: 60 };

export function secondsOf(
  { type, timeout }: { readonly type: string; readonly timeout?: number },
  eventName: string,
  sessionEnd: number,
): number {
  if (eventName === "SessionEnd") return Math.min(timeout ?? sessionEnd, sessionEnd);
  return timeout ?? usualSeconds(type, eventName);
}

/** Returns the default timeout of a hook, in seconds. */
export function usualSeconds(type: string, eventName: string): number {
  return TYPE_TIMEOUT_SECONDS[type] ?? EVENT_TIMEOUT_SECONDS[eventName] ?? DEFAULT_TIMEOUT_SECONDS;
}

/**
 * Returns how long Claude Code waits for a hook process whose entry has no `timeout`, in milliseconds. At a session's
 * end, this is the longest time that a file can set, because a shorter time could end a hook too early. Claude
 * Code ignores refusals at a session's end, so a late refusal changes nothing.
 */
export function patienceMs(eventName: string | undefined): number {
  const seconds = eventName === "SessionEnd" ? SESSION_END_SECONDS.most : usualSeconds("command", eventName ?? "");
  return seconds * 1_000;
}

/**
 * Returns the time that all hooks at a session's end share, in seconds: the longest timeout in a settings file. A
 * plugin's file cannot raise this time.
 */
export function sessionEndSeconds(value: unknown, isSettings: boolean): number {
  const { least, most } = SESSION_END_SECONDS;
  const givenMs = Number(callersEnvironment()[SESSION_END_VARIABLE]);
  if (givenMs > 0 && Number.isFinite(givenMs)) return givenMs / 1_000;
  const hooks = isJsonObject(value) && isJsonObject(value["hooks"]) ? value["hooks"] : {};
  const groups = !isSettings ? [] : listOf(hooks["SessionEnd"]);
  const asked = groups
    .flatMap((group) => (isJsonObject(group) ? listOf(group["hooks"]) : []))
    .map((hook) => (isJsonObject(hook) && typeof hook["timeout"] === "number" ? hook["timeout"] : least));
  return Math.min(most, Math.max(least, ...asked));
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
