import { isJsonObject, type JsonObject, type JsonValue, parseJsonObject } from "../../json.ts";
import { redactSecrets } from "../../secrets/redact.ts";

/** The record of a dispatch for later examination. */

/** `replay.capture_flags` of `.agentao/settings.json`. */
export interface CaptureFlags {
  readonly capture_llm_delta: boolean;
  readonly capture_full_llm_io: boolean;
  readonly capture_tool_result_full: boolean;
  readonly capture_plugin_hook_output_full: boolean;
}

const DEFAULT_FLAGS: CaptureFlags = {
  capture_llm_delta: true,
  capture_full_llm_io: false,
  capture_tool_result_full: false,
  capture_plugin_hook_output_full: false,
};

/** Reads the flags from the text of a settings file. A flag that is not `true` or `false` keeps its default. */
export function captureFlagsIn(settings: string): CaptureFlags {
  const replay = parseJsonObject(settings)?.["replay"];
  const given = isJsonObject(replay) ? replay["capture_flags"] : undefined;
  if (!isJsonObject(given)) return DEFAULT_FLAGS;
  const flags = Object.entries(DEFAULT_FLAGS).map(([name, usual]) => {
    const value = given[name];
    return [name, typeof value === "boolean" ? value : usual];
  });
  return Object.fromEntries(flags) as CaptureFlags;
}

export interface HookReplayRecord {
  readonly type: "plugin_hook_fired";
  readonly timestamp: string;
  readonly data: JsonObject;
}

const PREVIEW_LENGTH = 500;

/** Returns a record. Secrets are redacted from the whole text in `outputs` before it is cut. */
export function replayRecord(data: JsonObject, outputs: readonly string[], flags: CaptureFlags): HookReplayRecord {
  const output = redactSecrets(outputs.join("\n"));
  const preview = flags.capture_plugin_hook_output_full ? whole(output) : cut(output);
  const fields = outputs.length === 0 ? {} : preview;
  return { type: "plugin_hook_fired", timestamp: new Date().toISOString(), data: { ...clean(data), ...fields } };
}

function whole(text: string): JsonObject {
  return { output_preview: text };
}

/** Keeps the first and the last half of `PREVIEW_LENGTH`. */
function cut(text: string): JsonObject {
  if (text.length <= PREVIEW_LENGTH) return whole(text);
  const half = PREVIEW_LENGTH / 2;
  // Removes half of a surrogate pair at the cut.
  const head = text.slice(0, half).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(-half).replace(/^[\udc00-\udfff]/, "");
  return {
    output_preview: head + tail,
    output_preview_truncation: {
      truncated: true,
      original_chars: text.length,
      omitted_chars: text.length - head.length - tail.length,
    },
  };
}

function clean(data: JsonObject): JsonObject {
  const entries = Object.entries(data).map(([key, value]): [string, JsonValue] => [
    key,
    typeof value === "string" ? redactSecrets(value) : value,
  ]);
  return Object.fromEntries(entries);
}
