import type { JsonObject } from "../../json.ts";
import type { DispatchedEvent } from "./dispatched-event.ts";
import { type CaptureFlags, type HookReplayRecord, replayRecord } from "./replay.ts";

/** Reported to a transport after a dispatch that selected at least one rule. */
export interface PluginHookFired {
  readonly type: "plugin_hook_fired";
  readonly data: JsonObject;
}

/** Calls the observers. Ignores errors that observers throw. */
export class Observers {
  readonly #onEvent: ((event: PluginHookFired) => void) | undefined;
  readonly #onReplay: ((record: HookReplayRecord) => void) | undefined;
  readonly #flags: CaptureFlags;

  constructor(
    onEvent: ((event: PluginHookFired) => void) | undefined,
    onReplay: ((record: HookReplayRecord) => void) | undefined,
    flags: CaptureFlags,
  ) {
    this.#onEvent = onEvent;
    this.#onReplay = onReplay;
    this.#flags = flags;
  }

  /** Reports one event. Does nothing if no rule was selected for the event. */
  fired(event: string, outcome: string, dispatched: DispatchedEvent, fields: JsonObject = {}): void {
    if (dispatched.matchedRules === 0) return;
    const data: JsonObject = { hook_name: event, outcome, matched_rule_count: dispatched.matchedRules, ...fields };
    quietly(() => this.#onEvent?.({ type: "plugin_hook_fired", data }));
    if (this.#onReplay === undefined) return;
    const outputs = dispatched.hooks.flatMap(({ output }) => (output === null || output === "" ? [] : [output]));
    quietly(() => this.#onReplay?.(replayRecord(data, outputs, this.#flags)));
  }
}

function quietly(notify: () => void): void {
  try {
    notify();
  } catch {
    // An observer that throws must not stop the agent.
  }
}
