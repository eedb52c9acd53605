import { describe, expect, test } from "vitest";
import { encodeReply } from "../../src/dialects/claude-reply.ts";
import type { EventContract } from "../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../src/events/lookup.ts";
import { readReply } from "../../src/events/reply.ts";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import type { Decision } from "../../src/outcome.ts";
import type { Verdict } from "../../src/verdict.ts";
import fc from "../helpers/fc.ts";
import { CODECS, makeVerdict } from "./replies.ts";

const words = fc.string({ minLength: 1 }).filter((text) => text.trim() !== "");
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value);
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;

/** Fields that hookbox interprets instead of passing them on. */
const MEANINGFUL: Readonly<Record<string, fc.Arbitrary<string>>> = {
  action: fc.constant("accept"),
  worktreePath: fc.constant("/trees/a"),
};

/** Any verdict that an event can have. */
function verdicts(event: string, contract: EventContract): fc.Arbitrary<Verdict> {
  const decisions = contract.verdicts.filter((word): word is Decision => word !== "continue:false");
  const canStop = contract.verdicts.includes("continue:false");
  const specifics = Object.fromEntries(contract.specific.map((field) => [field, MEANINGFUL[field] ?? fc.jsonValue()]));
  return fc
    .record({
      decision: fc.constantFrom<Verdict["decision"]>("none", ...decisions),
      continue: canStop ? fc.boolean() : fc.constant(true),
      reason: maybe(words),
      stopReason: maybe(words),
      systemMessage: maybe(words),
      suppressOutput: fc.boolean(),
      additionalContext: contract.context === null ? fc.constant(null) : maybe(words),
      updatedInput: contract.rewrites === "input" ? maybe(jsonObject) : fc.constant(null),
      updatedOutput: contract.rewrites === "output" ? (fc.jsonValue() as fc.Arbitrary<JsonValue>) : fc.constant(null),
      specific: fc.record(specifics, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>,
    })
    .map((parts) => {
      // The aggregator makes a rule that stops the agent refuse the action as well.
      const stops = !parts.continue && contract.kind === "gate" && !contract.blockMeansGoOn;
      return makeVerdict(event, stops ? { ...parts, decision: denialWord(contract) ?? parts.decision } : parts);
    });
}

const refuses = ({ decision, continue: goesOn }: Verdict) => decision === "deny" || decision === "block" || !goesOn;

describe.each(EVENT_NAMES)("any verdict at %s", (event) => {
  const contract = contractOf(event, "claude-code") as EventContract;
  const verdict = verdicts(event, contract);

  test("that refuses is never answered with no output and exit code 0", () => {
    fc.assert(
      fc.property(verdict, (verdict) => {
        const { stdout, stderr, exitCode } = encodeReply(verdict);
        expect([0, 2]).toContain(exitCode);
        if (refuses(verdict)) expect(exitCode === 0 && stdout.trim() === "").toBe(false);
        // Some clients treat exit code 2 without output as consent.
        if (exitCode === 2) expect(stderr.trim()).not.toBe("");
      }),
    );
  });

  test("is read back with the same decision, also by a strict reader", () => {
    fc.assert(
      fc.property(verdict, (verdict) => {
        const { stdout, stderr, exitCode } = encodeReply(verdict);
        const payload = { hook_event_name: event };
        const decoded = CODECS["claude-code"].decodeReply(
          { stdout, stderr, exitCode },
          { name: event, dialect: "claude-code", payload },
        );
        expect(decoded).toMatchObject({ ok: true });
        if (!decoded.ok) return;
        expect(decoded.reply.continue ?? true).toBe(verdict.continue);
        // Stopping outranks a block that means "go on".
        const said = verdict.continue || !contract.blockMeansGoOn;
        // No output leaves a permission request to the user, which is what "ask" means there.
        const word = event === "PermissionRequest" && verdict.decision === "ask" ? "none" : verdict.decision;
        if (said) expect(decoded.reply.decision ?? "none").toBe(word);
        if (!stdout.startsWith("{")) return;
        const read = readReply(JSON.parse(stdout) as JsonObject, { eventName: event, contract, strict: true });
        expect(read).toMatchObject({ ok: true, ignored: [] });
        if (read.ok && said) expect(read.reply.decision ?? "none").toBe(word);
      }),
    );
  });
});
