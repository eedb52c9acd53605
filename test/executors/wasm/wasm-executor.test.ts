import { afterAll, describe, expect, test } from "vitest";
import { actionsOf } from "../../../src/actions/actions-of.ts";
import { limitReply } from "../../../src/aggregate/limit-reply.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import { COST_MODEL_VERSION } from "../../../src/sandbox/admission/cost-model.ts";
import { GUEST_ABI_VERSION } from "../../../src/sandbox/guest/guest-abi.ts";
import { answering, guest, wat } from "../../helpers/guests.ts";
import { bashEvent, makeEvent } from "../../helpers/rules.ts";
import { MIB, PAGE, sha256 } from "../../sandbox/module-requirements.ts";
import { openExecutor, run, runToFailure, runToReply, toolEvent, wasmRule, withoutTime } from "./wasm-rule.ts";

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const shownTo = (event = toolEvent()): string =>
  JSON.stringify({
    ...event.payload,
    actions: actionsOf(event.payload, event.dialect),
    abi: GUEST_ABI_VERSION,
    hook_event_name: event.name,
    dialect: event.dialect,
  });

describe("a guard", () => {
  test("that denies, denies with its reason", async () => {
    const { reply } = await runToReply(wasmRule("denies"), { executor });
    expect(reply).toEqual({ decision: "deny", reason: "not while I am here" });
  });

  test("that asks, asks", async () => {
    expect((await runToReply(wasmRule("asks"), { executor })).reply).toEqual({
      decision: "ask",
      reason: "is that so?",
    });
  });

  test("that answers {} has no opinion", async () => {
    expect((await runToReply(wasmRule("abstains"), { executor })).reply).toEqual({});
  });

  test("that allows has this effect only if its rule permits it", async () => {
    for (const [may, outcome] of [
      [["deny", "ask"], { status: "abstained", dropped: [expect.stringContaining("allow")] }],
      [["deny", "ask", "allow"], { status: "decided", reply: { decision: "allow", reason: "fine by me" } }],
    ] as const) {
      const rule = wasmRule("allows", { may });
      const result = await run(rule, { executor });
      if (!result.ok) throw new Error(result.failure.message);
      const limited = limitReply(rule, result);
      expect(limited).toMatchObject(outcome);
      if (limited.status === "abstained") expect(limited).not.toHaveProperty("reply");
    }
  });

  test("that blocks may use the word of its event", async () => {
    const rule = wasmRule(answering('{"decision":"block","reason":"tests are red"}'), { event: "Stop" });
    expect((await runToReply(rule, { event: makeEvent("Stop"), executor })).reply).toEqual({
      decision: "block",
      reason: "tests are red",
    });
  });

  test("keeps every character of its reason", async () => {
    const reason = '„nein“ – ünï 🔒 \\ " / \u0007';
    const rule = wasmRule(answering(JSON.stringify({ decision: "deny", reason })));
    expect((await runToReply(rule, { executor })).reply.reason).toBe(reason);
  });

  test("may have another entry point than handle", async () => {
    const module = wat(`(module (func (export "judge") (result i32) (i32.const 42)))`);
    expect(await runToFailure(wasmRule(module, { handler: { function: "judge" } }), { executor })).toMatchObject({
      kind: "exit",
      value: 42,
      message: expect.stringContaining("judge"),
    });
  });

  test("may have an export named then, which would make a promise of any awaited object", async () => {
    const module = wat(
      `(module (func (export "then") (unreachable)) (func (export "handle") (result i32) (i32.const 42)))`,
    );
    expect(await runToFailure(wasmRule(module), { executor })).toMatchObject({ kind: "exit", value: 42 });
  });

  test("may grow its memory, up to its limit", async () => {
    const { reply, receipt } = await runToReply(wasmRule("grows-by-a-page"), { executor });
    expect(reply).toEqual({});
    expect(receipt.memoryBytes).toBe(2 * PAGE);
  });

  test("is found relative to the folder of its configuration", async () => {
    const rule = wasmRule("denies");
    if (rule.handler.type !== "wasm") throw new Error("not a wasm rule");
    const [, baseDir = "", name = ""] = /^(.*)[/\\](.*)$/.exec(rule.handler.module) ?? [];
    const relative = { ...rule, baseDir, handler: { ...rule.handler, module: `./${name}` } };
    expect((await runToReply(relative, { executor })).reply.decision).toBe("deny");
  });
});

describe("a receipt", () => {
  test("contains the call's cost and what ran", async () => {
    const event = bashEvent("echo 'ünï'");
    const output = '{"decision":"deny"}';
    const module = answering(output);
    const result = await run(wasmRule(module), { event, executor });
    expect(result.receipt).toEqual({
      micros: expect.any(Number),
      inputBytes: Buffer.byteLength(shownTo(event)),
      outputBytes: output.length,
      memoryBytes: 2 * PAGE,
      module: `sha256:${sha256(module)}`,
      abi: GUEST_ABI_VERSION,
      fuel: expect.any(Number),
      costModel: COST_MODEL_VERSION,
    });
    expect(Number.isInteger(result.receipt.micros)).toBe(true);
    expect(result.receipt.micros).toBeGreaterThan(0);
  });

  test("is as complete if the guard failed", async () => {
    const { receipt } = await runToFailure(wasmRule("allows-then-traps"), { executor });
    expect(receipt).toEqual({
      micros: expect.any(Number),
      inputBytes: Buffer.byteLength(shownTo()),
      outputBytes: 82,
      memoryBytes: PAGE,
      module: `sha256:${sha256(guest("allows-then-traps"))}`,
      abi: GUEST_ABI_VERSION,
      fuel: expect.any(Number),
      costModel: COST_MODEL_VERSION,
    });
  });

  test("reports no memory for a guard without one", async () => {
    expect((await runToFailure(wasmRule("says-nothing"), { executor })).receipt).toMatchObject({
      memoryBytes: 0,
      outputBytes: 0,
    });
  });

  test("has the guard's log, each entry on one line without terminal codes", async () => {
    const { reply, receipt } = await runToReply(wasmRule("logs-a-line"), { executor });
    expect(reply.decision).toBe("deny");
    expect(receipt.log).toEqual(["info: looked[31m at it"]);
  });

  test("has a limited number of log lines, even if a guard logs a million", async () => {
    const { reply, receipt } = await runToReply(wasmRule("floods-the-log"), { executor });
    expect(reply).toEqual({});
    expect(receipt.log?.length).toBeGreaterThan(0);
    expect(receipt.log?.length).toBeLessThanOrEqual(65);
    expect(receipt.log?.at(-1)).toMatch(/^\d+ more lines were not kept$/);
  });
});

describe("a guard's input", () => {
  const SAID = "the guard reported an error: ";
  const rule = wasmRule("repeats-its-input");
  const read = async (event = toolEvent()): Promise<unknown> => {
    const { kind, message } = await runToFailure(rule, { event, executor });
    expect([kind, message.slice(0, SAID.length)]).toEqual(["exit", SAID]);
    return JSON.parse(message.slice(SAID.length));
  };

  test("is the payload with the event's name, its dialect and the version of the ABI", async () => {
    expect(await read(bashEvent("ls"))).toEqual({
      session_id: "s",
      cwd: "/tmp",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      actions: [{ kind: "command", command: "ls", directory: "/tmp" }],
      hook_event_name: "PreToolUse",
      dialect: "claude-code",
      abi: 1,
    });
  });

  test("has the true values of these, whatever the payload contains", async () => {
    expect(await read(toolEvent({ abi: 99, dialect: "fake", hook_event_name: "Stop" }))).toMatchObject({
      abi: 1,
      dialect: "claude-code",
      hook_event_name: "PreToolUse",
    });
  });

  test("is valid JSON in valid UTF-8 for any text in an event", async () => {
    const text = 'half a pair \ud800, a quote ", a null \u0000, \u2028, 🔒';
    expect(await read(toolEvent({ text, __proto__x: 1 }))).toMatchObject({
      text: text.replace("\u2028", "").replace("\ud800", "\ufffd"),
    });
  });

  test("is refused above four megabytes, without asking the guard", async () => {
    const large = toolEvent({ text: "x".repeat(4 * MIB) });
    expect(await runToFailure(wasmRule("denies"), { event: large, executor })).toMatchObject({
      kind: "memory",
      limit: 4 * MIB,
      value: Buffer.byteLength(shownTo(large)),
      receipt: { inputBytes: Buffer.byteLength(shownTo(large)) },
    });
    const fits = toolEvent({ text: "x".repeat(3 * MIB) });
    expect((await runToReply(wasmRule("denies"), { event: fits, executor })).reply.decision).toBe("deny");
  });
});

describe("a rule's config", () => {
  const answer = { decision: "deny", reason: "configured" };
  const withConfig = (config: Record<string, never> | object) =>
    wasmRule("answers-from-its-config", { handler: { config: config as never } });

  test("reaches the guard: texts unchanged, everything else as JSON", async () => {
    const expected = { decision: "deny", reason: "configured" };
    expect((await runToReply(withConfig({ answer: JSON.stringify(answer) }), { executor })).reply).toEqual(expected);
    expect((await runToReply(withConfig({ answer }), { executor })).reply).toEqual(expected);
  });

  test("contains only what was configured", async () => {
    expect(await runToFailure(withConfig({}), { executor })).toMatchObject({ kind: "no-output" });
    expect(await runToFailure(withConfig({ Answer: answer }), { executor })).toMatchObject({ kind: "no-output" });
    expect(await runToFailure(withConfig({ answer: "" }), { executor })).toMatchObject({ kind: "no-output" });
  });

  test("is that of the rule, if two rules share a module alternately", async () => {
    const other = withConfig({ answer: { decision: "ask", reason: "other" } });
    const rules = [withConfig({ answer }), other, withConfig({ answer }), other];
    const replies = await Promise.all(rules.map((rule) => runToReply(rule, { executor })));
    expect(replies.map(({ reply }) => reply.reason)).toEqual(["configured", "other", "configured", "other"]);
  });
});

test("hundreds of calls at the same time on several threads each get their own answer", async () => {
  const pool = openExecutor({ threads: 3 });
  const rules = [wasmRule("denies"), wasmRule("abstains"), wasmRule("asks"), wasmRule("traps")];
  const results = await Promise.all(
    Array.from({ length: 240 }, (_, index) => run(rules[index % 4] ?? rules[0]!, { executor: pool })),
  );
  const said = results.map((result) => (result.ok ? (result.reply.decision ?? "none") : result.failure.kind));
  expect(said).toEqual(Array.from({ length: 240 }, (_, index) => ["deny", "none", "ask", "trap"][index % 4]));
});

test("the same guard gives the same answer to the same event, however often and wherever it runs", async () => {
  const rule = wasmRule("denies");
  const first = withoutTime(await run(rule, { executor }));
  for (const other of [executor, openExecutor({ threads: 2 })]) {
    for (let index = 0; index < 20; index += 1)
      expect(withoutTime(await run(rule, { executor: other }))).toEqual(first);
  }
});

test("a rule of another type throws, because the caller is wrong", async () => {
  const rule = { ...wasmRule("denies"), handler: { type: "command", command: "true" } as const };
  await expect(
    executor.run(rule, toolEvent(), { signal: new AbortController().signal, timeLeftMs: 1 }),
  ).rejects.toThrow(TypeError);
});
