import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FixtureCheck } from "../../../src/executors/wasm/fixtures/fixture-check.ts";
import { FixtureRecords, fixtureKey } from "../../../src/executors/wasm/fixtures/fixture-records.ts";
import { MAX_FIXTURES_FUEL, runFixtures } from "../../../src/executors/wasm/fixtures/fixtures.ts";
import { WasmExecutor, type WasmExecutorOptions } from "../../../src/executors/wasm/wasm-executor.ts";
import { moduleOf, type WasmRule } from "../../../src/executors/wasm/wasm-rule.ts";
import { createEngine } from "../../../src/index.ts";
import type { Failure, RunResult } from "../../../src/outcome.ts";
import { takeClaim } from "../../../src/processes/work-claims.ts";
import type { Rule } from "../../../src/rule.ts";
import { ModuleStore } from "../../../src/sandbox/modules/module-store.ts";
import { ThreadPool } from "../../../src/sandbox/pool/thread-pool.ts";
import { answering, guest, wat, withManifest } from "../../helpers/guests.ts";
import { MIB } from "../../sandbox/module-requirements.ts";
import { fetching } from "./fetching-guest.ts";
import { fileOf, LIMITS, type RuleParts, run, runToFailure, runToReply, wasmRule } from "./wasm-rule.ts";

/** For `vi.waitFor`, whose default of one second is short on a busy machine. */
const PATIENCE = { timeout: 20_000 };
const DENIES = answering(
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no nails"}}',
);
const EVENT = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const fixture = (parts: object = {}) => ({ name: "ls is denied", event: EVENT, decision: "deny", ...parts });
const withFixtures = (module: Uint8Array, ...fixtures: object[]) =>
  withManifest(module, { name: "nails", version: "1", abi: 1, fixtures });
/** Uses all of its fuel. */
const ENDLESS = wat('(module (func (export "handle") (result i32) (loop (br 0)) (i32.const 0)))');
/** Answers nothing, and uses a known amount of fuel: a few million. */
const COUNTS = (turns: number): Uint8Array =>
  wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (func (export "handle") (result i32) (local $i i32) (local $b i64)
      (loop (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if 0 (i32.lt_u (local.get $i) (i32.const ${turns}))))
      (local.set $b (call $alloc (i64.const 2)))
      (call $store (local.get $b) (i32.const 123))
      (call $store (i64.add (local.get $b) (i64.const 1)) (i32.const 125))
      (call $output (local.get $b) (i64.const 2))
      (i32.const 0)))`);

function open(options: WasmExecutorOptions = {}): WasmExecutor {
  const executor = new WasmExecutor({ threads: 1, ...options });
  onTestFinished(() => executor.close());
  return executor;
}

function cacheDir(): string {
  const parent = mkdtempSync(join(tmpdir(), "hookbox-fixtures-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "cache");
}

/** Returns the rule's failure after its guard's fixtures have been run. */
async function failureAfterTests(rule: Rule, executor = open()): Promise<Failure> {
  await executor.prepare(rule);
  return runToFailure(rule, { executor });
}

const asWasmRule = (rule: Rule): WasmRule => rule as WasmRule;

const rememberedIn = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".fixtures")).length : 0;

describe("a module", () => {
  test("loads if it passes its own fixtures", async () => {
    const executor = open();
    const rule = wasmRule(withFixtures(DENIES, fixture(), fixture({ name: "for its reason", reason: "nails" })));
    expect(await executor.prepare(rule)).toEqual([]);
    expect((await runToReply(rule, { executor })).reply.decision).toBe("deny");
  });

  test.each<[string, Uint8Array, object, RegExp]>([
    [
      "decides otherwise",
      DENIES,
      { decision: "ask" },
      /fails its own fixture "ls is denied": expected ask, but the guard answered deny$/,
    ],
    [
      "gives another reason",
      DENIES,
      { reason: "screws" },
      /expected a reason that contains "screws", but the reason is "no nails"$/,
    ],
    ["traps", guest("traps"), {}, /expected deny, but the guard failed: trap: /],
    [
      "grows until there is no memory",
      guest("grows-to-its-limit"),
      {},
      /failed: memory: .*\(limits\.memoryMiB of the rule\)$/,
    ],
    [
      "asks about an event that an engine would refuse",
      DENIES,
      { event: { hook_event_name: "PreToolUse", tool_nme: "Bash" } },
      /PreToolUse: the event needs a "tool_name" that is a string/,
    ],
    [
      "asks about an event that does not exist",
      DENIES,
      { event: { hook_event_name: "NoSuch" } },
      /there is no event "NoSuch"/,
    ],
  ])("that %s in a fixture does not load, and the failure names the fixture", async (_, module, parts, message) => {
    const executor = open();
    const rule = wasmRule(withFixtures(module, fixture({ decision: "deny", ...parts })), { name: "third party" });
    expect(await executor.prepare(rule)).toEqual([
      { severity: "error", code: "HOOK_MODULE_FIXTURE", message: expect.stringMatching(message) },
    ]);
    const failure = await runToFailure(rule, { executor });
    expect(failure).toMatchObject({
      kind: "unavailable",
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringMatching(message),
    });
  });

  test("may use either word for a denial in its fixtures", async () => {
    expect(await open().prepare(wasmRule(withFixtures(DENIES, fixture({ decision: "block" }))))).toEqual([]);
  });

  test("that passes only its first fixture does not load", async () => {
    const rule = wasmRule(withFixtures(DENIES, fixture(), fixture({ name: "second", decision: "none" })));
    expect(await failureAfterTests(rule)).toMatchObject({
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringContaining('"second"'),
    });
  });

  test("fails with the limit of the rule that is too small for its fixtures", async () => {
    const rule = wasmRule(withFixtures(COUNTS(100_000), fixture({ decision: "none" })), {
      handler: { limits: { ...LIMITS, fuel: 50_000 } },
    });
    expect(await failureAfterTests(rule)).toMatchObject({
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringMatching(/used up its fuel of 50000 \(limits\.fuel of the rule\)$/),
      limit: 50_000,
    });
  });

  test("is tested without the rule's `may` and the rule's config", async () => {
    const allows = wasmRule(withFixtures(guest("allows"), fixture({ decision: "allow" })), {
      may: [],
      mode: "monitor",
    });
    expect(await open().prepare(allows)).toEqual([]);
    const answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}';
    const configured = wasmRule(
      withFixtures(guest("answers-from-its-config"), fixture({ decision: "ask", config: { answer } })),
      { handler: { config: { answer: "{}" } } },
    );
    expect(await open().prepare(configured)).toEqual([]);
  });

  test("that several rules use is tested once for each set of limits", async () => {
    const run = vi.spyOn(ThreadPool.prototype, "run");
    onTestFinished(() => run.mockRestore());
    const executor = open();
    const file = fileOf(withFixtures(DENIES, fixture()));
    const rule = (limits: object = {}) =>
      wasmRule(new Uint8Array(0), { handler: { module: file, limits: { ...LIMITS, ...limits } } });
    const rules = [rule(), rule(), rule(), rule({ fuel: 1e9 })];
    for (const one of rules) await run1(executor, one);
    // A call for each rule, one for each of two checks; and each setup is sent again after a thread asked for it.
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2 * (rules.length + 2)), PATIENCE);
    for (const one of rules) await run1(executor, one);
    expect(run).toHaveBeenCalledTimes(2 * (rules.length + 2) + rules.length);
  });

  test("that fails with the grants of one rule is tested again with the grants of another", async () => {
    const world = { http: [{ url: "https://a.test/", status: 200, body: '{"decision":"deny"}' }] };
    const config = { 0: '{"url":"https://a.test/"}', 1: '{"url":"https://a.test/"}' };
    const file = fileOf(withFixtures(fetching(), fixture({ given: world, config })));
    const executor = open();
    const granting = (maxCalls: number) => {
      const hosts = { allow: ["https://a.test"], network: "public", maxCalls, responseBytes: 65_536 } as const;
      return wasmRule(new Uint8Array(0), { handler: { module: file, config, grants: { hosts } } });
    };
    expect(await executor.prepare(granting(1))).toMatchObject([{ code: "HOOK_MODULE_FIXTURE" }]);
    expect(await executor.prepare(granting(2))).toEqual([]);
    expect(await executor.prepare(granting(1))).toMatchObject([{ code: "HOOK_MODULE_FIXTURE" }]);
  });
});

const run1 = (executor: WasmExecutor, rule: Parameters<typeof run>[0]) => runToReply(rule, { executor });

describe("a manifest with expensive fixtures", () => {
  test("may use a limited amount of fuel for all, and is refused by name beyond that", async () => {
    // Each fixture is within the rule's limits.
    const greedy = withFixtures(
      COUNTS(20_000_000),
      ...Array.from({ length: 40 }, (_, at) => fixture({ name: `${at}`, decision: "none" })),
    );
    const failure = await failureAfterTests(wasmRule(greedy, { timeoutMs: 60_000 }));
    expect(failure).toMatchObject({
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringMatching(/all fixtures together may use 1000000000 fuel, and \d+ were left for this one$/),
      limit: MAX_FIXTURES_FUEL,
    });
  });

  test("stops at the first fixture that fails, whatever each could use", async () => {
    const bomb = withFixtures(ENDLESS, ...Array.from({ length: 1_000 }, (_, at) => fixture({ name: `${at}` })));
    const failure = await failureAfterTests(wasmRule(bomb, { timeoutMs: 60_000 }));
    expect(failure).toMatchObject({ code: "HOOK_MODULE_FIXTURE", message: expect.stringContaining("fuel") });
  });

  test("may have at most a thousand fixtures", async () => {
    const module = (count: number) =>
      withFixtures(DENIES, ...Array.from({ length: count }, (_, at) => fixture({ name: `${at}` })));
    expect(await open().prepare(wasmRule(module(1_000)))).toEqual([]);
    expect(await open().prepare(wasmRule(module(1_001)))).toMatchObject([{ code: "HOOK_MODULE_MANIFEST" }]);
  });

  test("does not delay events of another guard, and judges until a fixture has failed", async () => {
    const executor = open();
    const slow = Array.from({ length: 8 }, (_, at) => fixture({ name: `${at}`, decision: "none" }));
    const bomb = wasmRule(withFixtures(COUNTS(9_000_000), ...slow, fixture({ name: "last" })));
    const good = wasmRule(DENIES);
    await runToReply(good, { executor });
    expect((await runToReply(bomb, { executor })).reply).toEqual({});
    for (let call = 0; call < 3; call += 1) {
      expect((await runToReply(good, { executor })).reply.decision).toBe("deny");
      expect((await runToReply(bomb, { executor })).reply).toEqual({});
    }
    await vi.waitFor(async () => expect(await run(bomb, { executor })).toMatchObject({ ok: false }), 60_000);
    expect(await runToFailure(bomb, { executor })).toMatchObject({
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringContaining('"last"'),
    });
  });
});

test("a module whose fixtures could not be run judges, with a warning, and is tested again later", async () => {
  const executor = open();
  const rule = wasmRule(withFixtures(DENIES, fixture()));
  const busy = vi.spyOn(ThreadPool.prototype, "run").mockRejectedValueOnce(new Error("the queue is full"));
  onTestFinished(() => busy.mockRestore());
  expect(await executor.prepare(rule)).toMatchObject([
    {
      severity: "warning",
      code: "HOOK_MODULE_FIXTURE",
      message: expect.stringContaining("could not finish its own fixture"),
    },
  ]);
  expect((await runToReply(rule, { executor })).reply.decision).toBe("deny");
  expect(await executor.prepare(rule)).toEqual([]);
});

test("an executor that is closed while it runs fixtures closes quickly", async () => {
  const executor = open();
  const rule = wasmRule(withFixtures(ENDLESS, fixture()));
  const running = executor.prepare(rule);
  await executor.close();
  expect(await running).toMatchObject([{ code: "HOOK_MODULE_FIXTURE" }]);
});

describe("a process for one event", () => {
  /** Returns a new process's answer, and the rules that it wants another process to test. */
  async function answerOf(
    folder: string | false,
    rule: Rule,
  ): Promise<{ result: RunResult; later: readonly unknown[] }> {
    const later: unknown[] = [];
    const calls = vi.spyOn(ThreadPool.prototype, "run");
    const executor = open({ cacheDir: folder, testsLater: (one) => later.push(one) });
    try {
      const result = await run(rule, { executor });
      // The thread asks for the setup once.
      expect(calls.mock.calls.length).toBeLessThanOrEqual(2);
      return { result, later };
    } finally {
      calls.mockRestore();
      await executor.close();
    }
  }

  async function test1(folder: string, rule: Rule): Promise<void> {
    const executor = open({ cacheDir: folder });
    await executor.prepare(rule);
    await executor.close();
  }

  test("runs no fixtures, and passes on the rules that no process has tested", async () => {
    const folder = cacheDir();
    const file = fileOf(withFixtures(DENIES, fixture(), fixture({ name: "once more" })));
    const rule = (handler: RuleParts["handler"] = {}) =>
      wasmRule(new Uint8Array(0), { handler: { module: file, ...handler } });
    const first = await answerOf(folder, rule());
    expect(first).toMatchObject({ result: { ok: true, reply: { decision: "deny" } }, later: [{}] });
    await test1(folder, rule());
    expect(rememberedIn(folder)).toBe(1);
    expect((await answerOf(folder, rule())).later).toEqual([]);
    // With other limits it may fail.
    expect((await answerOf(folder, rule({ limits: { ...LIMITS, fuel: 1e9 } }))).later).toHaveLength(1);
    expect((await answerOf(folder, rule({ limits: { ...LIMITS, memoryBytes: 8 * MIB } }))).later).toHaveLength(1);
    expect((await answerOf(false, rule())).later).toHaveLength(1);
  });

  test("refuses by name what has failed in another process", async () => {
    const folder = cacheDir();
    const rule = wasmRule(withFixtures(DENIES, fixture({ decision: "none" })));
    await test1(folder, rule);
    expect(await answerOf(folder, rule)).toMatchObject({
      result: {
        ok: false,
        failure: { code: "HOOK_MODULE_FIXTURE", message: expect.stringContaining('"ls is denied"') },
      },
      later: [],
    });
  });

  test("passes on no shipped guard with at least the default limits", async () => {
    const shipped = (limits: object) =>
      wasmRule(new Uint8Array(0), {
        handler: {
          module: "builtin:shell-guard",
          limits: { ...LIMITS, fuel: 100_000_000, fuelPerInputByte: 1_000, ...limits },
        },
      });
    expect((await answerOf(false, shipped({}))).later).toEqual([]);
    expect((await answerOf(false, shipped({ fuel: 200_000_000 }))).later).toEqual([]);
    expect((await answerOf(false, shipped({ fuel: 99_000_000 }))).later).toHaveLength(1);
  });
});

test("fixtures whose process ends early are continued by the next process", async () => {
  const folder = cacheDir();
  const slow = Array.from({ length: 12 }, (_, at) => fixture({ name: `${at}`, decision: "none" }));
  const rule = wasmRule(withFixtures(COUNTS(9_000_000), ...slow));
  let rounds = 0;
  for (let isPassed = false; !isPassed; rounds += 1) {
    expect(rounds).toBeLessThan(60);
    const executor = open({ cacheDir: folder });
    const preparing = executor.prepare(rule);
    // The process has to start a thread, too, on a machine that may be busy.
    await Promise.race([preparing, sleep(60 + 20 * rounds)]);
    await executor.close();
    isPassed = (await preparing).length === 0;
  }
  expect(rounds).toBeGreaterThan(1);
});

test("fixtures are run by one of several processes at the same time", async () => {
  const folder = cacheDir();
  const rule = wasmRule(withFixtures(COUNTS(1_000_000), fixture({ decision: "none" })));
  const claim = await takeClaim(folder, await claimKeyOf(rule));
  if (claim === undefined || claim === "taken") throw new Error("nobody else has it");
  const other = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"]);
  onTestFinished(() => void other.kill("SIGKILL"));
  await claim.passTo(other.pid ?? 0);
  const executor = open({ cacheDir: folder });
  let isDone = false;
  const preparing = executor.prepare(rule).finally(() => {
    isDone = true;
  });
  await sleep(300);
  expect(isDone).toBe(false);
  expect(rememberedIn(folder)).toBe(0);
  other.kill("SIGKILL");
  expect(await preparing).toEqual([]);
  expect(rememberedIn(folder)).toBe(1);
});

/** Returns the key of the claim under which a process runs the fixtures of the rule's module. */
async function claimKeyOf(rule: Rule): Promise<unknown> {
  const admission = await new ModuleStore().get(moduleOf(asWasmRule(rule)));
  if (!admission.ok) throw new Error(admission.message);
  return ["fixtures", fixtureKey(asWasmRule(rule), admission)];
}

describe("after an engine is ready", () => {
  test("every thread has the rule's setup, and an instance of its module", async () => {
    const executor = open({ threads: 3 });
    const rule = wasmRule(withFixtures(DENIES, fixture()));
    await executor.prepare(rule);
    const calls = vi.spyOn(ThreadPool.prototype, "run");
    onTestFinished(() => calls.mockRestore());
    await Promise.all(Array.from({ length: 3 }, () => runToReply(rule, { executor })));
    // A thread without it would have asked for it.
    expect(calls).toHaveBeenCalledTimes(3);
  });

  test("a gate whose guard fails its fixtures denies by name, and the problem is listed", async () => {
    const module = fileOf(withFixtures(DENIES, fixture({ decision: "none" })));
    const engine = await createEngine({
      config: { hooks: { PreToolUse: [{ hooks: [{ type: "wasm", name: "nails", module }] }] } },
      sandbox: { threads: 1 },
      cacheDir: false,
    });
    onTestFinished(() => engine.close());
    expect(engine.problems).toMatchObject([{ severity: "error", code: "HOOK_MODULE_FIXTURE" }]);
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
    expect(verdict.decision).toBe("deny");
    expect(verdict.reason).toMatch(/nails.*HOOK_MODULE_FIXTURE.*"ls is denied"/);
  });
});

describe("a rule's config", () => {
  const SCHEMA = {
    type: "object",
    additionalProperties: false,
    properties: { words: { type: "array" }, mode: { default: "x" } },
    required: ["words", "mode"],
  };
  const moduleWith = (config: object) => withManifest(DENIES, { name: "nails", version: "1", abi: 1, config });
  const problemOf = async (schema: object, config: object) =>
    (await open().prepare(wasmRule(moduleWith(schema), { handler: { config: config as never } })))[0];

  test("may have only the keys that the guard declares", async () => {
    expect(await problemOf(SCHEMA, { words: [] })).toBeUndefined();
    expect(await problemOf(SCHEMA, { words: [], word: [] })).toMatchObject({
      severity: "error",
      code: "HOOK_MODULE_CONFIG",
      message: expect.stringMatching(/does not accept the config key "word"; did you mean "words"\?$/),
    });
    expect(await problemOf(SCHEMA, { words: [], completely: 1 })).toMatchObject({
      message: expect.stringMatching(/"completely"; it accepts words, mode$/),
    });
    expect(
      await runToFailure(wasmRule(moduleWith(SCHEMA), { handler: { config: { toString: 1, words: [] } as never } })),
    ).toMatchObject({
      kind: "unavailable",
      code: "HOOK_MODULE_CONFIG",
    });
  });

  test("must have the required keys, unless they have a default", async () => {
    expect(await problemOf(SCHEMA, {})).toMatchObject({
      message: expect.stringMatching(/requires the config key "words"$/),
    });
  });

  test("may have other keys if the guard does not forbid them", async () => {
    const { additionalProperties: _, ...open } = SCHEMA;
    expect(await problemOf(open, { words: [], other: 1 })).toBeUndefined();
    expect(await problemOf({ ...SCHEMA, patternProperties: { "(a+)+$": {} } }, { words: [], aaa: 1 })).toBeUndefined();
  });

  test("is checked without evaluating the schema of an untrusted guard", async () => {
    const bomb = {
      ...SCHEMA,
      properties: { words: { pattern: "^(a+)+$", $ref: "#" } },
      propertyNames: { pattern: "(a|a)*b" },
    };
    expect(
      await problemOf({ ...bomb, required: [1, null, "words"] }, { words: `${"a".repeat(50_000)}!` }),
    ).toBeUndefined();
    expect(await problemOf({ properties: 7, required: "words", additionalProperties: false }, {})).toBeUndefined();
  });
});

test("a fixture's config must have the required keys, when loading as well as in lock", async () => {
  const config = { additionalProperties: false, properties: { words: {} }, required: ["words"] };
  const module = (own: object) =>
    withManifest(DENIES, { name: "nails", version: "1", abi: 1, config, fixtures: [fixture({ config: own })] });
  const words = { words: [] };
  const ruleFor = (own: object) => wasmRule(module(own), { handler: { config: words as never } });
  expect(await open().prepare(ruleFor(words))).toEqual([]);
  for (const own of [{ word: [], words: [] }, {}]) {
    const message = expect.stringMatching(/fails its own fixture "ls is denied".*HOOK_MODULE_CONFIG/);
    expect(await open().prepare(ruleFor(own))).toMatchObject([{ code: "HOOK_MODULE_FIXTURE", message }]);
    const results = await runFixtures(open({ fixtures: "skip" }), ruleFor(own), [fixture({ config: own })] as never);
    expect(results).toMatchObject([{ passed: false, actual: { failure: { code: "HOOK_MODULE_CONFIG" } } }]);
  }
});

test("limits that a guard suggests and a rule does not set are a warning with the line to add", async () => {
  const module = withManifest(DENIES, {
    name: "nails",
    version: "1",
    abi: 1,
    limits: { fuel: 2e9, memoryMiB: 64, outputBytes: 10, timeoutMs: 60_000 },
  });
  const problems = await open().prepare(wasmRule(module, { handler: { limits: { ...LIMITS, fuel: 1e8 } } }));
  expect(problems.map(({ severity, code, hint }) => [severity, code, hint])).toEqual([
    ["warning", "HOOK_MODULE_LIMIT", 'if you agree, add "limits": { "fuel": 2000000000 } to the rule'],
    ["warning", "HOOK_MODULE_LIMIT", 'if you agree, add "limits": { "memoryMiB": 64 } to the rule'],
    ["warning", "HOOK_MODULE_LIMIT", 'if you agree, add "timeoutMs": 60000 to the rule'],
  ]);
});

describe("fixtures of several modules", () => {
  test("are run alternately: a slow module cannot make the deadlines of another pass", async () => {
    const plain = open({ fixtures: "skip" });
    const running = new Set<string>();
    let together = 0;
    const check = new FixtureCheck(
      ({ digest }) => ({
        run: async (rule, event, options) => {
          running.add(digest);
          together = Math.max(together, running.size);
          const result = await plain.run(rule, event, options);
          running.delete(digest);
          return result;
        },
      }),
      new FixtureRecords(false),
    );
    const modules = new ModuleStore();
    const rules = [COUNTS(1_000_000), COUNTS(1_000), COUNTS(2_000)].map((module) =>
      asWasmRule(
        wasmRule(withFixtures(module, fixture({ decision: "none" }), fixture({ name: "again", decision: "none" }))),
      ),
    );
    const verdicts = await Promise.all(
      rules.map(async (rule) => {
        const admission = await modules.get(moduleOf(rule));
        if (!admission.ok) throw new Error(admission.message);
        return check.verdict(rule, admission);
      }),
    );
    expect(verdicts.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined]);
    expect(together).toBe(1);
  });
});

describe("a rule", () => {
  const judging = (events: readonly string[], ...fixtures: object[]) =>
    withManifest(DENIES, { name: "nails", version: "1", abi: 1, events, fixtures });

  test("at an event that its guard does not judge is reported", async () => {
    const executor = open();
    const [problem, ...more] = await executor.prepare(wasmRule(judging(["PostToolUse"])));
    expect(problem).toMatchObject({ severity: "warning", code: "HOOK_MODULE_EVENT" });
    expect(problem?.message).toMatch(/is configured for PreToolUse, but module .* judges only PostToolUse/);
    expect(more).toEqual([]);
    expect(await executor.prepare(wasmRule(judging(["PreToolUse", "PostToolUse"])))).toEqual([]);
  });

  test("with a config that makes its guard fail is reported, with the guard's error", async () => {
    const executor = open();
    const failsWithConfig = withFixtures(
      wat(`(module
        (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
        (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
        (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
        (import "extism:host/env" "error_set" (func $error (param i64)))
        (import "extism:host/env" "output_set" (func $output (param i64 i64)))
        (func (export "handle") (result i32) (local $b i64)
          (local.set $b (call $alloc (i64.const 1)))
          (call $store (local.get $b) (i32.const 97))
          (local.set $b (call $config (local.get $b)))
          (if (i64.ne (local.get $b) (i64.const 0)) (then (call $error (local.get $b)) (return (i32.const 1))))
          (local.set $b (call $alloc (i64.const 2)))
          (call $store (local.get $b) (i32.const 123))
          (call $store (i64.add (local.get $b) (i64.const 1)) (i32.const 125))
          (call $output (local.get $b) (i64.const 2))
          (i32.const 0)))`),
      fixture({ decision: "none" }),
    );
    expect(await executor.prepare(wasmRule(failsWithConfig))).toEqual([]);
    const rule = wasmRule(failsWithConfig, { handler: { config: { a: "no list of hosts" } } });
    const [problem] = await executor.prepare(rule);
    expect(problem).toMatchObject({ severity: "warning", code: "HOOK_MODULE_CONFIG" });
    expect(problem?.message).toContain("no list of hosts");
  });
});
