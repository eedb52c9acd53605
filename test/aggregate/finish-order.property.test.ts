import { expect, test } from "vitest";
import { Engine } from "../../src/engine.ts";
import type { Executor } from "../../src/executors/executor.ts";
import { ExecutorRegistry } from "../../src/executors/registry.ts";
import { FAILURE_KINDS, type RunResult } from "../../src/outcome.ts";
import type { Rule } from "../../src/rule.ts";
import type { Verdict } from "../../src/verdict.ts";
import fc from "../helpers/fc.ts";
import { makeRule } from "../helpers/rules.ts";

const receipt = { micros: 0 };
const result: fc.Arbitrary<RunResult> = fc.oneof(
  fc
    .record({
      decision: fc.constantFrom("allow" as const, "ask" as const, "deny" as const, "defer" as const),
      reason: fc.string(),
      systemMessage: fc.string(),
      updatedInput: fc.record({ command: fc.constantFrom("ls", "rm") }),
    })
    .chain((reply) => fc.subarray(Object.keys(reply) as (keyof typeof reply)[]).map((keys) => [reply, keys] as const))
    .map(([reply, keys]) => ({
      ok: true as const,
      reply: Object.fromEntries(keys.map((key) => [key, reply[key]])),
      receipt,
    })),
  fc
    .constantFrom(...FAILURE_KINDS)
    .map((kind) => ({ ok: false as const, failure: { kind, message: "it broke" }, receipt })),
);

/** A rule's answers depend on how often it is asked, not on when. */
function engineWith(results: readonly RunResult[], priorities: readonly number[], settle: Executor["run"]): Engine {
  const rules = results.map((_, at) => makeRule({ name: `rule${at}`, id: String(at), priority: priorities[at] ?? 0 }));
  const executor: Executor = { type: "command", run: settle, close: async () => {} };
  return new Engine({ rules, problems: [] }, new ExecutorRegistry([executor]), {
    dialect: "claude-code",
    cwd: process.cwd(),
    cache: undefined,
  });
}

async function dispatch(engine: Engine): Promise<Verdict> {
  return engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls -l" } });
}

test("the verdict does not depend on the order in which rules finish", async () => {
  const priorities = fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 6, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(result, { minLength: 1, maxLength: 6 }),
      priorities,
      async (scheduler, results, ranks) => {
        const answer = (rule: Rule): RunResult => results[Number(rule.id)]!;
        const expected = await dispatch(engineWith(results, ranks, async (rule) => answer(rule)));
        const shuffled = engineWith(results, ranks, (rule) => scheduler.schedule(Promise.resolve(answer(rule))));
        expect(await scheduler.waitFor(dispatch(shuffled))).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});
