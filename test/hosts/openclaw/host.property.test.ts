import { expect, test } from "vitest";
import { HOOK_NAMES } from "../../../src/hosts/openclaw/index.ts";
import { matcherIds } from "../../../src/hosts/openclaw/tool-ids.ts";
import fc from "../../helpers/fc.ts";
import { hosted, settingsOf } from "./hosted.ts";

const words = fc.constantFrom(
  "block",
  "blockReason",
  "params",
  "requireApproval",
  "title",
  "description",
  "cancel",
  "outcome",
  "action",
  "handled",
  "message",
);
const anything = fc.oneof(
  fc.anything({ withMap: true, withSet: true, withBigInt: true, withTypedArray: true, maxDepth: 2 }),
  fc.dictionary(words, fc.anything({ maxDepth: 1 })),
);

test("a call that one handler blocks never runs, whatever the others do", async () => {
  const others = fc.array(
    fc.record({ answer: anything, throws: fc.boolean(), priority: fc.integer({ min: -5, max: 5 }) }),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(others, anything, anything, async (handlers, params, ctx) => {
      const { host } = hosted();
      for (const { answer, throws, priority } of handlers)
        host.on(
          "before_tool_call",
          () => {
            if (throws) throw answer;
            return answer;
          },
          { priority },
        );
      host.on("before_tool_call", () => ({ block: true }), { priority: 0 });
      const result = await host.toolCall(
        { toolName: "exec", params },
        { execute: () => expect.unreachable(), approve: () => "allow-always" },
        { extra: ctx },
      );
      expect(result.status).toBe("blocked");
    }),
    { numRuns: 150 },
  );
});

test("only a word that was offered approves", async () => {
  await fc.assert(
    fc.asyncProperty(
      anything,
      fc.subarray(["allow-once", "allow-always", "deny"]),
      async (answer, allowedDecisions) => {
        const { host } = hosted();
        host.on("before_tool_call", () => ({ requireApproval: { title: "t", description: "d", allowedDecisions } }));
        const gate = await host.beforeToolCall(
          { toolName: "exec", params: {} },
          {},
          { approve: () => answer as never },
        );
        const allows = (answer === "allow-once" || answer === "allow-always") && allowedDecisions.includes(answer);
        expect(gate.status).toBe(allows ? "allowed" : "blocked");
      },
    ),
    { numRuns: 150 },
  );
});

test("no hook's run rejects because of a handler's answer, unless it fails closed", async () => {
  const closed = ["before_tool_call", "before_agent_run", "before_install"];
  const hooks = HOOK_NAMES.filter((hook) => !closed.includes(hook));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...hooks), anything, async (hook, answer) => {
      const { host } = hosted();
      host.on(hook, () => answer);
      await host.run(hook, { content: "c", message: {} }).catch((error: Error) => {
        expect(error.message).toContain("isolation");
      });
    }),
    { numRuns: 150 },
  );
});

test("settings of any shape are read or reported, and a matcher of any shape is valid or rejected", () => {
  fc.assert(
    fc.property(anything, anything, (settings, matcher) => {
      hosted({ config: settings });
      hosted({ config: settingsOf("p", settings) });
      try {
        expect(matcherIds(matcher).length).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toMatchObject({ code: "HOOK_API_MISUSE" });
      }
    }),
    { numRuns: 150 },
  );
});
