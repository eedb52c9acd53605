import { beforeEach, describe, expect, test, vi } from "vitest";
import { admit } from "../../src/executors/wasm/admission.ts";
import { DEFAULT_HOST_LIMITS } from "../../src/executors/wasm/host.ts";
import type { GuestModule, GuestTask } from "../../src/executors/wasm/protocol.ts";
import { admitted, MIB, terms } from "../executors/wasm/admission-terms.ts";
import { guest, HANDLE, wat, withManifest } from "../helpers/guests.ts";
import { ATTACKS } from "./attacks.ts";
import { moduleOf } from "./siege.ts";

/** The same attacks on a process that serves one event, which tries each guard in its own thread first. */

type FirstTry = typeof import("../../src/executors/wasm/first-try.ts");
let firstTry: (task: GuestTask, module: GuestModule, signal?: AbortSignal) => ReturnType<FirstTry["firstTry"]>;

// As a new process has it: the fuel of all tries together, the host, no instance.
beforeEach(async () => {
  vi.resetModules();
  const fresh: FirstTry = await import("../../src/executors/wasm/first-try.ts");
  firstTry = (task, module, signal = new AbortController().signal) => fresh.firstTry(task, module, signal);
});

const INPUT = JSON.stringify({
  abi: 1,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

const taskFor = (moduleKey: string): GuestTask => ({
  moduleKey,
  module: undefined,
  function: "handle",
  input: INPUT,
  config: {},
  limits: DEFAULT_HOST_LIMITS,
  fuel: 100_000_000,
  depth: 262_144,
  memoryBytes: 16 * MIB,
});

/** Answers with what its config says under "a". */
const ANSWERS_ITS_CONFIG = wat(`(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (func (export "handle") (result i32)
    (local $text i64)
    (local.set $text (call $alloc (i64.const 1)))
    (call $store (local.get $text) (i32.const 97))
    (local.set $text (call $config (local.get $text)))
    (call $output (local.get $text) (call $length (local.get $text)))
    (i32.const 0)))`);

describe("a first try", () => {
  test("of a guard that answers is its answer", async () => {
    const { key, module } = await admitted(guest("denies"));
    const answer = await firstTry(taskFor(key), module);
    expect(answer).toMatchObject({ kind: "answered", value: { hookSpecificOutput: { permissionDecision: "deny" } } });
  });

  test("is not made any more when the tries before have cost a lot", async () => {
    const { key, module } = await admitted(guest("allows-then-loops-for-ever"));
    const denying = await admitted(guest("denies"));
    for (let tries = 0; tries < 10; tries += 1) expect(await firstTry(taskFor(key), module)).toBeUndefined();
    expect(await firstTry(taskFor(denying.key), denying.module)).toBeUndefined();
  });

  test("has the host to itself: calls that are made side by side get their own config, and give their own answer", async () => {
    const { key, module } = await admitted(ANSWERS_ITS_CONFIG);
    const silent = await admitted(wat(`(module ${HANDLE})`));
    const deny = '{"decision":"block"}';
    const tries = [
      firstTry({ ...taskFor(key), config: { a: deny } }, module),
      firstTry({ ...taskFor(key), config: { a: "{}" } }, module),
      firstTry(taskFor(silent.key), silent.module),
    ];
    const answers = (await Promise.all(tries)).map((answer) => (answer?.kind === "answered" ? answer.value : answer));
    expect(answers).toEqual([{ decision: "block" }, {}, undefined]);
  });

  test("is not made beside so many others that they take more fuel together than one after the other", async () => {
    const { key, module } = await admitted(guest("allows-then-loops-for-ever"));
    const denying = await admitted(guest("denies"));
    const tries = Array.from({ length: 10 }, () => firstTry(taskFor(key), module));
    const last = firstTry(taskFor(denying.key), denying.module);
    expect(await Promise.all([...tries, last])).toEqual(new Array(11).fill(undefined));
  });

  test("is not made once its time is up, or of a module that takes long to compile", async () => {
    const { key, module } = await admitted(guest("denies"));
    expect(await firstTry(taskFor(key), module, AbortSignal.abort())).toBeUndefined();
    const long = await admitted(withManifest(guest("denies"), "x".repeat(600_000), "padding"));
    expect(await firstTry(taskFor(long.key), long.module)).toBeUndefined();
    expect(await firstTry(taskFor(key), module)).toMatchObject({ kind: "answered" });
  });

  const runnable = ATTACKS.filter(({ ends }) => !("code" in ends));
  test.each(runnable)("of an attack that $name comes to nothing, and good guards answer after it", async (attack) => {
    const admission = await admit(moduleOf(attack), terms());
    if (!admission.ok) throw new Error(admission.message);
    const { ends } = attack;
    for (let call = 0; call < Math.min(attack.calls, 3); call += 1) {
      const answer = await firstTry(taskFor(admission.key), admission.module);
      // Whether what was answered means anything is judged by whoever asked, wherever it was answered.
      const mayAnswer = "decision" in ends || ends.kind === "invalid-output";
      if (!mayAnswer) expect(answer).toBeUndefined();
    }
    const { key, module } = await admitted(guest("denies"));
    expect(await firstTry(taskFor(key), module)).toMatchObject({ kind: "answered" });
  });
});
