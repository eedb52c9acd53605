import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Quarantine } from "../../../src/executors/wasm/quarantine.ts";
import { deadline, openExecutor, runToFailure, runToReply, wasmRule } from "./wasm-rule.ts";

describe("a rule that costs worker threads", () => {
  const quarantineAt = (): { quarantine: Quarantine; clock: { ms: number } } => {
    const clock = { ms: 0 };
    return { quarantine: new Quarantine("thread", () => clock.ms), clock };
  };

  test("is run again after the first two", () => {
    const { quarantine } = quarantineAt();
    quarantine.lost("a");
    quarantine.lost("a");
    expect(quarantine.refusal("a")).toBeUndefined();
  });

  test("is not run for a minute after the third, and the failure says why", () => {
    const { quarantine, clock } = quarantineAt();
    for (let times = 0; times < 3; times += 1) quarantine.lost("a");
    expect(quarantine.refusal("a")).toEqual({
      kind: "unavailable",
      code: "HOOK_GUARD_QUARANTINED",
      message: "cost 3 worker threads in a row, so it is not run for another 60 s",
      limit: 3,
      value: 3,
    });
    clock.ms = 59_999;
    expect(quarantine.refusal("a")?.message).toMatch(/another 1 s$/);
    clock.ms = 60_000;
    expect(quarantine.refusal("a")).toBeUndefined();
  });

  test("gets one attempt after the pause, and is paused again if that costs a thread too", () => {
    const { quarantine, clock } = quarantineAt();
    for (let times = 0; times < 3; times += 1) quarantine.lost("a");
    clock.ms = 60_000;
    quarantine.lost("a");
    expect(quarantine.refusal("a")).toMatchObject({ value: 4 });
  });

  test("starts from zero once a call has ended normally", () => {
    const { quarantine } = quarantineAt();
    for (let round = 0; round < 3; round += 1) {
      quarantine.lost("a");
      quarantine.lost("a");
      quarantine.returned("a");
    }
    expect(quarantine.refusal("a")).toBeUndefined();
  });

  test("does not affect other rules", () => {
    const { quarantine } = quarantineAt();
    for (let times = 0; times < 3; times += 1) quarantine.lost("a");
    expect(quarantine.refusal("b")).toBeUndefined();
  });
});

describe("in the executor", () => {
  test("three timeouts in a row pause a rule immediately, by name, while others are served", async () => {
    const executor = openExecutor();
    const looping = wasmRule("allows-then-loops-for-ever", { id: "looping" });
    const denying = wasmRule("denies", { id: "denying" });
    for (let round = 0; round < 3; round += 1) {
      expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
      expect(await runToFailure(looping, { executor, signal: deadline(250).signal })).toMatchObject({
        kind: "timeout",
      });
    }
    expect(await runToFailure(looping, { executor })).toMatchObject({
      kind: "unavailable",
      code: "HOOK_GUARD_QUARANTINED",
    });
    expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
  });

  test("calls that the caller cancels do not count against the rule", async () => {
    const executor = openExecutor();
    const looping = wasmRule("allows-then-loops-for-ever");
    for (let round = 0; round < 4; round += 1) {
      const controller = new AbortController();
      setTimeout(() => controller.abort({ kind: "cancelled", message: "cancelled by the caller" }), 150);
      expect(await runToFailure(looping, { executor, signal: controller.signal })).toMatchObject({ kind: "cancelled" });
    }
    expect(await runToFailure(looping, { executor, signal: deadline(250).signal })).toMatchObject({ kind: "timeout" });
  });

  test("calls that time out in the queue do not count against the rule", async () => {
    const executor = openExecutor();
    const denying = wasmRule("denies");
    await runToReply(denying, { executor });
    const looping = wasmRule("allows-then-loops-for-ever");
    const busy = runToFailure(looping, { executor, signal: deadline(1_200).signal });
    await sleep(400);
    await Promise.all(
      Array.from({ length: 5 }, () => runToFailure(denying, { executor, signal: deadline(150).signal })),
    );
    await busy;
    expect((await runToReply(denying, { executor })).reply.decision).toBe("deny");
  });
});

test("a rule that costs sandbox processes is named with these in the failure", () => {
  const quarantine = new Quarantine("process", () => 0);
  for (let lost = 0; lost < 3; lost += 1) quarantine.lost("rule");
  expect(quarantine.refusal("rule")?.message).toContain("cost 3 sandbox processes in a row");
});
