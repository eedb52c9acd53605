import { expect, test } from "vitest";
import { contractOf } from "../../src/events/lookup.ts";
import { readReply } from "../../src/events/reply.ts";
import { readStrictJson } from "../../src/strict-json.ts";
import { times } from "../helpers/tier.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "./bounded.ts";
import { nearDecision } from "./near-decisions.ts";
import { secondOpinion } from "./second-reader.ts";

const contract = contractOf("PreToolUse", "claude-code")!;

function firstOpinion(bytes: Uint8Array): string {
  const json = readStrictJson(bytes);
  if (!json.ok) return "invalid";
  const read = readReply(json.value, { eventName: "PreToolUse", contract, strict: true });
  return read.ok ? (read.reply.decision ?? "none") : "invalid";
}

test(
  "a guard's output decides only what an independent reader finds in it",
  async () => {
    const seen: Record<string, number> = {};
    const prototype = Object.getOwnPropertyNames(Object.prototype).length;
    const attempts = await fuzz(times(5_000, 400), (random) => {
      for (let index = 0; index < 20; index += 1) {
        const bytes = random.chance(20)
          ? Uint8Array.from(random.times(random.below(60), () => random.below(256)))
          : nearDecision(random);
        const decision = firstOpinion(bytes);
        seen[decision] = (seen[decision] ?? 0) + 1;
        const text = Buffer.from(bytes).toString("latin1");
        if (decision !== "invalid") expect([text, decision]).toEqual([text, secondOpinion(bytes)]);
      }
    });
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(prototype);
    expect(Object.keys(seen).sort()).toEqual(["allow", "ask", "defer", "deny", "invalid", "none"]);
    // Otherwise the attempts would have tested refusals only. An attempt draws 0.2 answers that allow, on average.
    expect(seen["allow"]).toBeGreaterThan(attempts / 10);
  },
  FUZZ_TIMEOUT_MS,
);
