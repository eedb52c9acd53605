import type { EventContract } from "../contract.ts";

/**
 * Fields of a dialect at every event. `verdicts` and `handlers` are added to those of the row. Other fields are
 * defaults; the dialect's overrides in a row replace them.
 */
export const DIALECT_WIDE: Readonly<Record<string, Partial<EventContract>>> = {
  // All events of the generic pattern have the same reply and four types of hook.
  patterns: { verdicts: ["continue:false"], handlers: ["http", "model", "agent"] },
  // Agentao runs hooks one after another, until the first refusal.
  agentao: { matcherStyle: "glob", order: "sequential", endsAt: "refusal" },
  // Autohand runs hooks one after another, also after a refusal. Only `continue: false` ends the sequence.
  autohand: { matcherStyle: "unanchored", order: "sequential", endsAt: "stop" },
  // docker-agent allows all three types of hook at every event.
  "docker-agent": { handlers: ["command", "model", "builtin"] },
  openclaw: { matcherStyle: "anchored" },
};
