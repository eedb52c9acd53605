import type { HookEvent } from "../../../src/event.ts";
import type { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Grants } from "../../../src/grants.ts";
import type { Rule } from "../../../src/rule.ts";
import { wat } from "../../helpers/guests.ts";
import { type RuleParts, runToReply, toolEvent, wasmRule } from "./wasm-rule.ts";

/** Guards that count their calls in a state variable, and answer with the count. */

const BEFORE =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"';
const DIGITS = 6;
const AFTER = '"}}';
const data = (text: string): string => text.replaceAll('"', "\\22");

/** Longer than any other event of these tests. */
const LONG = 1_000;

/**
 * What the guest does at a long event, after it has counted and before it answers; `$put` makes a block of bytes of its
 * memory.
 */
export const ENDINGS = {
  answers: "",
  abstains: "(call $output (call $put (i32.const 1100) (i32.const 2)) (i64.const 2)) (return (i32.const 0))",
  traps: "unreachable",
  "returns 1": "(call $say (local.get $n)) (return (i32.const 1))",
  "reports an error": "(call $error (local.get $key))",
  "says nothing": "(return (i32.const 0))",
  "answers with junk": "(call $output (local.get $key) (i64.const 1)) (return (i32.const 0))",
  "answers outside of the contract":
    "(call $output (call $put (i32.const 1024) (i32.const 17)) (i64.const 17)) (return (i32.const 0))",
  "loops for ever": "(loop $for_ever (br $for_ever))",
  "recurses for ever": "(call $recurse)",
  "asks for more than there is": "(drop (call $alloc (i64.const -1)))",
  "keeps too much": "(call $set (local.get $key) (call $alloc (i64.const 100000)))",
} as const;
export type Ending = keyof typeof ENDINGS;

export function counting(ending: Ending = "answers"): Uint8Array<ArrayBuffer> {
  return wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "load_u64" (func $load (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "store_u64" (func $store_8 (param i64 i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "var_get" (func $get (param i64) (result i64)))
    (import "extism:host/env" "var_set" (func $set (param i64 i64)))
    (memory 1)
    (data (i32.const 0) "${data(BEFORE + "0".repeat(DIGITS) + AFTER)}")
    (data (i32.const 1024) "${data('{"decision":"no"}')}")
    (data (i32.const 1100) "{}")
    (func $recurse (call $recurse) (drop (call $alloc (i64.const 1))))
    (func $put (param $from i32) (param $count i32) (result i64) (local $to i64) (local $at i32)
      (local.set $to (call $alloc (i64.extend_i32_u (local.get $count))))
      (loop $next
        (call $store (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $count))))
      (local.get $to))
    (func $say (param $n i64) (local $at i32)
      (local.set $at (i32.const ${BEFORE.length + DIGITS}))
      (loop $digit
        (local.set $at (i32.sub (local.get $at) (i32.const 1)))
        (i32.store8 (local.get $at)
          (i32.add (i32.const 0x30) (i32.wrap_i64 (i64.rem_u (local.get $n) (i64.const 10)))))
        (local.set $n (i64.div_u (local.get $n) (i64.const 10)))
        (br_if $digit (i64.ne (local.get $n) (i64.const 0))))
      (call $output
        (call $put (i32.const 0) (i32.const ${BEFORE.length + DIGITS + AFTER.length}))
        (i64.const ${BEFORE.length + DIGITS + AFTER.length})))
    (func (export "handle") (result i32) (local $key i64) (local $kept i64) (local $n i64)
      (local.set $key (call $alloc (i64.const 1)))
      (call $store (local.get $key) (i32.const 0x6e))
      (local.set $kept (call $get (local.get $key)))
      (if (i64.ne (local.get $kept) (i64.const 0)) (then (local.set $n (call $load (local.get $kept)))))
      (local.set $n (i64.add (local.get $n) (i64.const 1)))
      (local.set $kept (call $alloc (i64.const 8)))
      (call $store_8 (local.get $kept) (local.get $n))
      (call $set (local.get $key) (local.get $kept))
      (if (i64.gt_u (call $input_length) (i64.const ${LONG})) (then ${ENDINGS[ending]}))
      (call $say (local.get $n))
      (i32.const 0)))`);
}

const STATE: Grants = { state: { maxKeys: 64, maxBytes: 65_536 } };

let rules = 0;

/** Returns a rule with a unique id whose guard counts. */
export function countingRule(ending: Ending = "answers", { handler, ...parts }: RuleParts = {}): Rule {
  rules += 1;
  return wasmRule(counting(ending), {
    id: `counting-${rules}`,
    name: `counting-${rules}`,
    ...parts,
    handler: { grants: STATE, ...handler },
  });
}

export const eventOf = (session?: unknown): HookEvent =>
  toolEvent(session === undefined ? {} : { session_id: session as string });

/** An event at which the guard ends in the chosen way. */
export const fatalEvent = (session: string): HookEvent => toolEvent({ session_id: session, padding: "x".repeat(LONG) });

/** Returns the guard's count, including this call. */
export async function count(rule: Rule, session: unknown, executor: WasmExecutor): Promise<number> {
  const { reply } = await runToReply(rule, { executor, event: eventOf(session) });
  return Number(reply.reason);
}
