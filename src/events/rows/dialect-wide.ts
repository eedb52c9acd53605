import type { EventContract } from "../contract.ts";

/**
 * What a dialect has at every event. `verdicts` and `handlers` are added to the row's. Other fields are defaults that the
 * dialect's overrides in a row replace.
 */
export const DIALECT_WIDE: Readonly<Record<string, Partial<EventContract>>> = {
  // All events have the same reply and four types of hook. `continue: false` stops the agent at every event.
  patterns: { verdicts: ["continue:false"], handlers: ["http", "model", "agent"] },
  // Hooks run one after another, and none after the first refusal.
  agentao: { matcherStyle: "glob", order: "sequential", endsAt: "refusal" },
  // Hooks run one after another. After a refusal the others still run; only `continue: false` ends the sequence.
  autohand: { matcherStyle: "unanchored", order: "sequential", endsAt: "stop" },
  // All three types of hook are allowed at every event.
  "docker-agent": { handlers: ["command", "model", "builtin"] },
  openclaw: { matcherStyle: "anchored" },
};
