import { randomBytes } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { Rule } from "../../../src/rule.ts";
import { OVERREACHING, SPREADING, snooping, spreads, spreadsAndSearches } from "../../sandbox/snooping-guest.ts";
import { deadline, fileOf, LIMITS, openExecutor, run, toolEvent, wasmRule } from "./wasm-rule.ts";

/** Earlier events and configurations contain a canary; then guests of every kind search for it in the same thread. */

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const CANARY = `CANARY-${randomBytes(12).toString("hex")}`;
const LIMITED = { ...LIMITS, fuel: 500_000_000, depth: 20_000 };
const withCanary = toolEvent({ tool_input: { command: `echo ${CANARY} `.repeat(40) }, [CANARY]: CANARY });
const without = toolEvent({ tool_input: { command: "ls" } });

const [one, other] = [fileOf(snooping(1)), fileOf(snooping(2))];
const ruleFor = (module: string, config: JsonObject = {}): Rule =>
  wasmRule("denies", { handler: { module, config, limits: LIMITED } });
const [searcher, otherSearcher] = [ruleFor(one), ruleFor(other)];

/** Any piece of the canary counts, because a guest may find it in pieces of eight bytes. */
function expectNoTrace(result: RunResult): void {
  const text = JSON.stringify(result);
  expect(text).not.toMatch(/CANA|ANARY/);
  for (let at = 7; at + 6 <= CANARY.length; at += 1) expect(text).not.toContain(CANARY.slice(at, at + 6));
}

/** Handles of others are reported with an H, entries of a table with a T, and everything else unchanged. */
async function search(rule: Rule, on: WasmExecutor = executor): Promise<void> {
  const result = await run(rule, { event: without, executor: on });
  expectNoTrace(result);
  if (!result.ok) throw new Error(`it did not search: ${result.failure.kind}: ${result.failure.message}`);
  expect(result.reply.decision).toBe("ask");
  expect(result.reply.reason ?? "").toBe("");
  expect(result.receipt.log).toBeUndefined();
}

// Otherwise finding nothing would prove nothing.
test("a guest that searches in the same call finds what it left, in each place", async () => {
  const result = await run(ruleFor(one, spreadsAndSearches(CANARY)), { event: withCanary, executor });
  if (!result.ok) throw new Error(result.failure.message);
  const found = (text: string | undefined): number => text?.split(CANARY).length ?? 0;
  expect(found(result.reply.reason)).toBeGreaterThan(40);
  expect(result.reply.reason).toContain("H");
  expect(found(result.receipt.log?.join())).toBeGreaterThan(1);
});

describe("after a guest that left a canary everywhere and", () => {
  test.each(SPREADING)("%s, no guest finds it", async (ending) => {
    const spreader = ruleFor(one, spreads(CANARY, ending));
    const limited =
      ending === "loops" ? { ...spreader.handler, limits: { ...LIMITED, fuel: 30_000_000 } } : spreader.handler;
    const spreading = { ...spreader, handler: limited } as Rule;
    for (const next of [searcher, otherSearcher, searcher]) {
      const left = await run(spreading, { event: withCanary, executor });
      expect(left.ok).toBe(ending === "answers" || ending === "grows");
      expect(left.receipt.log?.join()).toContain(CANARY);
      await search(next);
    }
  });

  test("was ended by its deadline, no guest finds it", async () => {
    const single = openExecutor();
    const endless = ruleFor(one, spreads(CANARY, "loops"));
    const forEver = { ...endless, handler: { ...endless.handler, limits: LIMITS } } as Rule;
    await search(searcher, single);
    const left = await run(forEver, { event: withCanary, executor: single, signal: deadline(300).signal });
    expect(left).toMatchObject({ ok: false, failure: { kind: "timeout" } });
    await search(searcher, single);
  });
});

test("a guard built with hookbox leaves nothing of its event and configuration either", async () => {
  const guard = wasmRule("denies", {
    handler: { module: "builtin:shell-guard", config: { protectedPaths: [`/${CANARY}`] }, limits: LIMITED },
  });
  const event = toolEvent({ tool_input: { command: `rm -rf /${CANARY}; echo ${"x".repeat(9_000)}${CANARY}` } });
  for (const next of [searcher, otherSearcher]) {
    expect(JSON.stringify(await run(guard, { event, executor }))).toContain(CANARY);
    await search(next);
  }
});

describe("a guest that accesses", () => {
  test.each(Object.entries(OVERREACHING))("%s gets nothing, and nothing of it is reported", async (_, reach) => {
    const reaching = ruleFor(fileOf(snooping(3, reach)));
    for (const ending of ["answers", "traps"] as const) {
      await run(ruleFor(one, spreads(CANARY, ending)), { event: withCanary, executor });
      const result = await run(reaching, { event: without, executor });
      expectNoTrace(result);
      expect(result).toMatchObject({ ok: false, failure: { kind: "trap" } });
    }
  });
});
