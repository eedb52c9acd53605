import type { JsonObject } from "../json.ts";

/**
 * Agents without a dialect whose payloads look like Claude Code's. The reactions of each agent to a reply in Claude
 * Code's format were measured with the versions in test/agents.
 */
export interface Client {
  readonly title: string;
  /** Decisions other than "deny" that keep a tool from running. After any other decision the tool runs. */
  readonly doubts: readonly string[];
  /** How rewrites count. `with allow`: a rewrite counts only with "allow", and "allow" alone grants nothing. */
  readonly rewrites: "honoured" | "with allow" | "ignored";
  /** Set if a refusal does not count together with `continue: false` or `interrupt`. */
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

/** Gemini's own event names. */
const GEMINI_EVENT = /^(Before|After)(Agent|Model|Tool|ToolSelection)$|^PreCompress$/;

/**
 * Returns which of these agents sent a payload, by fields that only this agent sends. Returns `undefined` for Claude
 * Code's payloads and for payloads without a distinguishing field.
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
