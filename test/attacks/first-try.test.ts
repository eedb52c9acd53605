import { beforeEach, describe, expect, test, vi } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import type { AdmittedModule } from "../../src/sandbox/admission/admitted-module.ts";
import type { GuestSetup } from "../../src/sandbox/guest/protocol.ts";
import { guest, HANDLE, sectionsOf, spliced, wat, withManifest } from "../helpers/guests.ts";
import { sampleOf } from "../helpers/tier.ts";
import { guestTask } from "../sandbox/guest-task.ts";
import { admitted, requirements } from "../sandbox/module-requirements.ts";
import { ATTACKS } from "./attacks.ts";
import { moduleOf } from "./run-attacks.ts";

/** The same attacks on a process for one event, which tries each guard in its own thread first. */

type FirstTry = typeof import("../../src/sandbox/guest/first-try.ts");
let firstTry: FirstTry["firstTry"];

// As in a new process: the fuel of all tries together, the host, no instance.
beforeEach(async () => {
  vi.resetModules();
  ({ firstTry } = await import("../../src/sandbox/guest/first-try.ts"));
});

const INPUT = JSON.stringify({
  abi: 1,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
});

interface Try {
  readonly signal?: AbortSignal;
  readonly config?: GuestSetup["config"];
  readonly isOurs?: boolean;
}

const tryOnce = (
  admission: AdmittedModule,
  { signal = new AbortController().signal, config = {}, isOurs = false }: Try = {},
): ReturnType<FirstTry["firstTry"]> => {
  const { setup, ...task } = guestTask(admission, { input: INPUT });
  if (setup === undefined) throw new Error("a task without its setup");
  return firstTry({ ...task, setup: undefined }, { ...setup, config }, signal, { isOurs });
};

/** Answers with the value of "a" in its config. */
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

/** Denies, and has another function of this many bytes. */
function denyingWith(codeBytes: number): Uint8Array<ArrayBuffer> {
  const module = guest("denies");
  const sections = sectionsOf(module);
  const [functions, code] = [3, 10].map((id) => sections.find((one) => one.id === id));
  if (functions === undefined || code === undefined) throw new Error("a guest without functions");
  const one = (section: typeof code): number => module[section.content] ?? 0;
  const type = module[functions.end - 1] ?? 0;
  const body = [0, ...new Array<number>(codeBytes).fill(1), 0x41, 0, 0x0b];
  const bodies = [...module.subarray(code.content + 1, code.end), ...leb128(body.length), ...body];
  const larger = spliced(module, code, [10, ...leb128(bodies.length + 1), one(code) + 1, ...bodies]);
  const types = [...module.subarray(functions.content + 1, functions.end), type];
  return spliced(larger, functions, [3, types.length + 1, one(functions) + 1, ...types]);
}

const leb128 = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...leb128(value >>> 7)]);

test("a manifest, and other sections that are not compiled, do not keep a guard from a first try", async () => {
  const padded = withManifest(guest("denies"), "x".repeat(3_000_000), "padding");
  expect(await tryOnce(await admitted(padded))).toMatchObject({ kind: "answered" });
});

describe("a first try", () => {
  test("of a guard that answers is its answer", async () => {
    const answer = await tryOnce(await admitted(guest("denies")));
    expect(answer).toMatchObject({ kind: "answered", text: expect.stringContaining('"permissionDecision":"deny"') });
  });

  test("is no longer made if earlier tries have cost too much", async () => {
    const looping = await admitted(guest("allows-then-loops-for-ever"));
    for (let tries = 0; tries < 10; tries += 1) expect(await tryOnce(looping)).toBeUndefined();
    expect(await tryOnce(await admitted(guest("denies")))).toBeUndefined();
  });

  test("has the host to itself: calls at the same time get their own config, and give their own answer", async () => {
    const answering = await admitted(ANSWERS_ITS_CONFIG);
    const silent = await admitted(wat(`(module ${HANDLE})`));
    const tries = [
      tryOnce(answering, { config: { a: '{"decision":"block"}' } }),
      tryOnce(answering, { config: { a: "{}" } }),
      tryOnce(silent),
    ];
    const answers = (await Promise.all(tries)).map((answer) => (answer?.kind === "answered" ? answer.text : answer));
    expect(answers).toEqual(['{"decision":"block"}', "{}", undefined]);
  });

  test("is not made next to so many others that they use more fuel together than one after another", async () => {
    const looping = await admitted(guest("allows-then-loops-for-ever"));
    const denying = await admitted(guest("denies"));
    const tries = Array.from({ length: 10 }, () => tryOnce(looping));
    expect(await Promise.all([...tries, tryOnce(denying)])).toEqual(new Array(11).fill(undefined));
  });

  test("is not made after its deadline, or for a module that takes long to compile", async () => {
    const denying = await admitted(guest("denies"));
    expect(await tryOnce(denying, { signal: AbortSignal.abort() })).toBeUndefined();
    expect(await tryOnce(await admitted(denyingWith(1_048_576)))).toBeUndefined();
    expect(await tryOnce(await admitted(denyingWith(900_000)))).toMatchObject({ kind: "answered" });
    expect(await tryOnce(denying)).toMatchObject({ kind: "answered" });
  });

  test("gives an unknown guard little fuel: a unit may take 240 ns if every instruction waits for memory", async () => {
    const working = await admitted(
      wat(`(module
        (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
        (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
        (import "extism:host/env" "output_set" (func $output (param i64 i64)))
        (func (export "handle") (result i32) (local $i i32) (local $b i64)
          (loop (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if 0 (i32.lt_u (local.get $i) (i32.const 200000))))
          (local.set $b (call $alloc (i64.const 2)))
          (call $store (local.get $b) (i32.const 123))
          (call $store (i64.add (local.get $b) (i64.const 1)) (i32.const 125))
          (call $output (local.get $b) (i64.const 2))
          (i32.const 0)))`),
    );
    expect(await tryOnce(working)).toBeUndefined();
    expect(await tryOnce(working, { isOurs: true })).toMatchObject({ kind: "answered", text: "{}" });
  });

  const runnable = sampleOf(
    ATTACKS.filter(({ ends }) => !("code" in ends)),
    5,
    ({ ends }) => JSON.stringify(ends),
  );
  test.each(runnable)("of an attack that $name has no effect, and good guards answer after it", async (attack) => {
    const admission = await admit(moduleOf(attack), requirements());
    if (!admission.ok) throw new Error(admission.message);
    const { ends } = attack;
    const answer = await tryOnce(admission);
    // The caller judges whether an answer is valid, wherever it was computed.
    const mayAnswer = "decision" in ends || ends.kind === "invalid-output";
    if (!mayAnswer) expect(answer).toBeUndefined();
    expect(await tryOnce(await admitted(guest("denies")))).toMatchObject({ kind: "answered" });
  });
});
