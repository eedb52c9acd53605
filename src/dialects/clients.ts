import type { JsonObject } from "../event.ts";

/**
 * Agents without a dialect here whose payloads could pass for Claude Code's. What each makes of a reply in Claude
 * Code's words was measured with the versions that test/agents names.
 */
export interface Client {
  readonly title: string;
  /** Which words for a doubt keep a tool from running. Where a word is missing, this agent runs the tool. */
  readonly doubts: readonly string[];
  /** `with allow`: a rewrite counts only beside a permission, and the permission alone grants nothing. */
  readonly rewrites: "honoured" | "with allow" | "ignored";
  /** A refusal does not count beside `continue: false` or `interrupt`. */
  readonly refusesAlone?: true;
}

export const CLIENTS = {
  codex: { title: "Codex", doubts: [], rewrites: "with allow", refusesAlone: true },
  kimi: { title: "Kimi Code", doubts: [], rewrites: "ignored" },
  qwen: { title: "Qwen Code", doubts: ["ask"], rewrites: "ignored" },
  copilot: { title: "Copilot CLI", doubts: ["ask"], rewrites: "honoured" },
  gemini: { title: "Gemini CLI", doubts: [], rewrites: "ignored" },
} as const satisfies Readonly<Record<string, Client>>;

export type ClientName = keyof typeof CLIENTS;

/** Gemini's own words for events. */
const GEMINI_EVENT = /^(Before|After)(Agent|Model|Tool|ToolSelection)$|^PreCompress$/;

/**
 * Which of these agents a payload is from, by fields that only this agent sends. `undefined` for Claude Code's payloads,
 * and for payloads with nothing to tell them by.
 */
export function clientOf(payload: JsonObject): ClientName | undefined {
  const { client_type: type, timestamp, hook_event_name: event, transcript_path: path } = payload;
  if (type === "kimi_code_cli") return "kimi";
  const home = typeof path === "string" ? /[\\/]\.(codex|gemini|qwen|copilot)[\\/]/.exec(path)?.[1] : undefined;
  if (home !== undefined) return home as ClientName;
  if (typeof event === "string" && GEMINI_EVENT.test(event)) return "gemini";
  if ("turn_id" in payload && "model" in payload) return "codex";
  if (timestamp === undefined) return "toolArgs" in payload ? "copilot" : undefined;
  if ("tool_call_id" in payload || /#{8}/.test(String(payload["prompt_id"]))) return "qwen";
  const isPascal = typeof event === "string" && /^[A-Z]/.test(event) && path === undefined;
  return isPascal || "sessionId" in payload ? "copilot" : undefined;
}
