import { callersEnvironment } from "../../caller.ts";
import { isEventOf } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { canonicalEvents, decodeCanonicalEvent } from "../canonical-hook.ts";
import { encodeReply } from "../claude-reply.ts";
import type { Dialect } from "../dialect.ts";
import { claudeCodeCodec } from "./codec.ts";
import { patienceMs } from "./deadlines.ts";
import { SESSION_END_VARIABLE } from "./session-end.ts";

export const claudeCode: Dialect = {
  name: "claude-code",
  codec: claudeCodeCodec,
  configFormat: async () => (await import("./config-format.ts")).claudeCodeFormat,
  writer: async () => (await import("./write-config.ts")).claudeCodeWriter,
  editing: async () => (await import("./editing.ts")).claudeCodeEditing,
  configVariables: [SESSION_END_VARIABLE],
  places: async (where) => (await import("./places.ts")).claudeCodePlaces(where),
  eventNames: canonicalEvents("claude-code"),
  recognises,
  decodeEvent: decodeCanonicalEvent,
  encodeReply,
  patienceMs,
};

/**
 * Whether only Claude Code sends such a payload. Many agents send Claude Code's events in Claude Code's form, so the
 * form is not enough. Only Claude Code sends a `transcript_path` in its own folder, `effort`, and a `prompt_id` that is
 * a UUID (Qwen Code's is not). Claude Code sends no `timestamp`, while Copilot and Qwen Code always send one.
 */
function recognises(payload: JsonObject): boolean {
  const { hook_event_name: name, transcript_path: path, prompt_id: prompt, effort } = payload;
  if (typeof name !== "string" || !isEventOf(name, "claude-code") || "timestamp" in payload) return false;
  const { CLAUDE_CONFIG_DIR: folder } = callersEnvironment();
  const isOwnPath =
    typeof path === "string" && (/[\\/]\.claude[\\/]/.test(path) || (!!folder && path.startsWith(folder)));
  return (
    isOwnPath || isJsonObject(effort) || (typeof prompt === "string" && /^[\da-f]{8}(-[\da-f]+){4}$/i.test(prompt))
  );
}
