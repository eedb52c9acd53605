import { expect, test } from "vitest";
import { limitsPassedUnder } from "../../../src/executors/wasm/fixtures/passed-at-build.ts";
import { ruleForModule } from "../../../src/executors/wasm/module-rule.ts";
import { guest, withManifest } from "../../helpers/guests.ts";
import { fileOf, openExecutor, runToReply } from "./wasm-rule.ts";

const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const moduleWith = (...fixtures: object[]): string =>
  fileOf(withManifest(guest("denies"), { name: "nails", version: "1", abi: 1, fixtures }));

test("a shipped guard is built only if it passes its fixtures under the default limits of a rule", async () => {
  expect(await limitsPassedUnder(moduleWith({ name: "denies", event, decision: "deny" }))).toEqual({
    fuel: 100_000_000,
    fuelPerInputByte: 1_000,
    depth: 262_144,
    outputBytes: 65_536,
  });
  const failing = moduleWith({ name: "denies", event, decision: "deny" }, { name: "asks", event, decision: "ask" });
  await expect(limitsPassedUnder(failing)).rejects.toThrow(/fails 1 of its own 2 fixtures\n {2}asks: expected ask/);
});

test("a module that no configuration names has the same rule as one that sets only its module", async () => {
  const rule = ruleForModule(moduleWith({ name: "denies", event, decision: "deny" }), { limits: { fuel: 1_000_000 } });
  expect(rule).toMatchObject({ timeoutMs: 10_000, may: ["deny", "ask"], handler: { limits: { fuel: 1_000_000 } } });
  expect((await runToReply(rule, { executor: openExecutor() })).reply.decision).toBe("deny");
});
