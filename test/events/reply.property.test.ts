import { expect, test } from "vitest";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import fc from "../helpers/fc.ts";
import { MODES, read } from "./read-reply.ts";

const eventName = fc.constantFrom(...EVENT_NAMES);
const mode = fc.constantFrom(...MODES);
const word = fc.constantFrom("allow", "approve", "deny", "block", "ask", "defer", "accept", "ALLOW", "yes", true, null);
const anything = fc.oneof(word, fc.jsonValue({ maxDepth: 2 }));

/** Objects that are close to replies: known names, with values some of which are valid. */
const nearReply = fc.tuple(eventName, fc.boolean()).chain(([name, named]) =>
  fc.record(
    {
      decision: anything,
      reason: anything,
      continue: fc.oneof(fc.boolean(), anything),
      stopReason: fc.oneof(fc.string(), anything),
      systemMessage: fc.oneof(fc.string(), anything),
      hookSpecificOutput: fc.oneof(
        anything,
        fc.record(
          {
            hookEventName: named ? fc.constant(name) : anything,
            permissionDecision: anything,
            permissionDecisionReason: fc.oneof(fc.string(), anything),
            decision: fc.oneof(anything, fc.record({ behavior: anything, message: anything }, { requiredKeys: [] })),
            updatedInput: anything,
            updatedToolOutput: anything,
            additionalContext: fc.oneof(fc.string(), anything),
            action: anything,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);
const object = fc.oneof(
  nearReply,
  fc.dictionary(fc.oneof(fc.constantFrom("decision", "__proto__", "constructor"), fc.string()), anything),
);
/** As parsed from a hook's output, so that `__proto__` is an ordinary key. */
const reply = object.map((value) => JSON.parse(JSON.stringify(value)) as object);

test("reading never throws, and what it reads is a word of the event", () => {
  fc.assert(
    fc.property(eventName, reply, mode, (name, json, how) => {
      const result = read(name, json, how);
      if (!result.ok) {
        expect(result.failure).toMatchObject({ kind: "invalid-output", message: expect.stringMatching(/./) });
        return;
      }
      const { verdicts, rewrites, context, specific } = contractOf(name, "claude-code")!;
      const { decision, reason, updatedInput, updatedOutput, additionalContext } = result.reply;
      if (decision !== undefined) expect(verdicts).toContain(decision);
      if (reason !== undefined) expect(decision).toBeDefined();
      if (result.reply.continue !== undefined) {
        expect(result.reply.continue).toBe(false);
        expect(verdicts).toContain("continue:false");
      }
      if (updatedInput !== undefined) expect(rewrites).toBe("input");
      if (updatedOutput !== undefined) expect(rewrites).toBe("output");
      if (additionalContext !== undefined) expect(context).not.toBeNull();
      for (const field of Object.keys(result.reply.specific ?? {})) expect(specific).toContain(field);
    }),
    { numRuns: 3_000 },
  );
});

test("nothing is read as `allow` unless the word is in the input", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("PreToolUse", "PermissionRequest", "PreModelSwitch"),
      reply,
      mode,
      (name, json, how) => {
        fc.pre(!/"(allow|approve)"/.test(JSON.stringify(json)));
        const result = read(name, json, how);
        if (result.ok) expect(result.reply.decision).not.toBe("allow");
      },
    ),
    { numRuns: 3_000 },
  );
});

test("a valid reply with a `deny` or a `block` as its decision is a denial, whatever its other fields are", () => {
  fc.assert(
    fc.property(reply, fc.constantFrom("deny", "block"), mode, (json, no, how) => {
      const result = read("PreToolUse", { ...json, decision: no }, how);
      if (result.ok) expect(result.reply.decision).toBe("deny");
    }),
    { numRuns: 2_000 },
  );
});

test("a valid reply of hookbox's own hooks is read in the same way from an imported hook", () => {
  fc.assert(
    fc.property(eventName, reply, (name, json) => {
      const strict = read(name, json, "strict");
      if (strict.ok) expect(read(name, json, "lenient")).toEqual(strict);
    }),
    { numRuns: 2_000 },
  );
});
