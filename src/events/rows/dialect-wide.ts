import type { EventContract } from "../contract.ts";

/**
 * What a dialect adds to the row of every event. The generic pattern has one reply and four kinds of hook for all
 * events: wherever a hook says `continue: false`, the agent stops.
 */
export const DIALECT_WIDE: Readonly<Record<string, Pick<EventContract, "verdicts" | "handlers">>> = {
  patterns: { verdicts: ["continue:false"], handlers: ["http", "model", "agent"] },
};
