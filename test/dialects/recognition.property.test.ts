import { describe, expect, test } from "vitest";
import { recognisedDialect } from "../../src/cli/event-dialect.ts";
import type { JsonObject } from "../../src/json.ts";
import fc from "../helpers/fc.ts";
import { SENDERS, type Sender } from "./client-payloads.ts";

/** `--dialect auto` never takes one agent's payload for another's. */

const RUNS = 60;

/** Fields that no agent sends. */
const strange = fc.dictionary(
  fc.string().map((text) => `x_${text}`),
  fc.jsonValue({ maxDepth: 2 }),
) as fc.Arbitrary<JsonObject>;

const payloadOf = (sender: Sender): fc.Arbitrary<JsonObject> => fc.constantFrom(...sender.payloads);
const some = (payload: JsonObject): fc.Arbitrary<JsonObject> =>
  fc.subarray(Object.entries(payload)).map((entries) => Object.fromEntries(entries) as JsonObject);

const takenFor = (payload: JsonObject): Promise<string | null> =>
  recognisedDialect(payload).then(
    ({ name }) => name,
    () => null,
  );

describe.each(SENDERS)("a payload of $name", (sender) => {
  const own = [sender.dialect, null];

  test("is recognised as its sender's, or refused", async () => {
    for (const payload of sender.payloads)
      expect([payload, await takenFor(payload)]).toEqual([payload, sender.dialect]);
  });

  test("is never recognised as another agent's with fields removed, and unknown fields added", async () => {
    const changed = payloadOf(sender).chain((payload) =>
      fc.tuple(some(payload), strange).map(([kept, added]) => ({ ...added, ...kept })),
    );
    await fc.assert(
      fc.asyncProperty(changed, async (payload) => {
        expect(own).toContain(await takenFor(payload));
      }),
      { numRuns: RUNS },
    );
  });

  test.each(SENDERS.filter(({ dialect }) => dialect !== sender.dialect))(
    "is never recognised as another agent's with fields of $name added",
    async (other) => {
      const mixed = fc
        .tuple(payloadOf(sender), payloadOf(other).chain(some))
        .map(([payload, added]) => ({ ...added, ...payload }));
      await fc.assert(
        fc.asyncProperty(mixed, async (payload) => {
          expect(own).toContain(await takenFor(payload));
        }),
        { numRuns: RUNS },
      );
    },
  );
});

test.each([
  ["Codex", /looks like Codex's/, /--dialect claude-code/],
  ["Qwen Code", /looks like Qwen Code's/, /Qwen Code's own tool names/],
  ["Kimi Code", /looks like Kimi Code's/, /--dialect claude-code/],
  ["Gemini CLI", /looks like Gemini CLI's/, /no dialect for Gemini CLI/],
  ["Copilot CLI in Claude Code's form", /looks like Copilot CLI's/, /--dialect claude-code/],
  ["Copilot CLI in its own form", /looks like Copilot CLI's/, /PreToolUse, not preToolUse/],
])("the refusal of a payload of %s names the agent and what to do", async (name, message, hint) => {
  for (const payload of SENDERS.find((one) => one.name === name)?.payloads ?? []) {
    await expect(recognisedDialect(payload)).rejects.toMatchObject({
      code: "HOOK_PAYLOAD_INVALID",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  }
});
