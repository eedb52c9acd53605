import type { EventContract } from "../contract.ts";

/**
 * What a dialect has at every event. `verdicts` and `handlers` add to the row's; the rest is the dialect's default, which
 * its column of a row may override.
 */
export const DIALECT_WIDE: Readonly<Record<string, Partial<EventContract>>> = {
  // One reply and four kinds of hook for all events: wherever a hook says `continue: false`, the agent stops.
  patterns: { verdicts: ["continue:false"], handlers: ["http", "model", "agent"] },
  // One hook after another, and none after the first "no".
  agentao: { matcherStyle: "glob", order: "sequential", endsAt: "refusal" },
  // One hook after another; a "no" is kept, and only `continue: false` ends the row.
  autohand: { matcherStyle: "unanchored", order: "sequential", endsAt: "stop" },
  // Its three types of hook are for every event alike.
  "docker-agent": { handlers: ["command", "model", "builtin"] },
  openclaw: { matcherStyle: "anchored" },
};
