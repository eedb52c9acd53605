import { wat } from "../helpers/guests.ts";

/**
 * A guest that puts its rule's secret and its whole input wherever a guest can store something, and ends in the chosen
 * way. Without a secret it outputs everything that it can find, in its reason and in its log.
 */

export const SPREADING = [
  "answers",
  "grows",
  "traps",
  "loops",
  "recurses",
  "violates",
  "returns 1",
  "reports",
  "junk",
] as const;
type Spreading = (typeof SPREADING)[number];

/** Forbidden actions, each of which ends the call, so that a guest can try only one. */
export const OVERREACHING = {
  "a byte behind the last block": "(drop (call $load_u8 (i64.add (call $alloc (i64.const 8)) (i64.const 8))))",
  "eight bytes over the end of the last block":
    "(drop (call $load_u64 (i64.add (call $alloc (i64.const 8)) (i64.const 1))))",
  "a byte far behind all blocks": "(drop (call $load_u8 (i64.const 60000)))",
  "a byte in front of all blocks": "(drop (call $load_u8 (i64.const 0)))",
  "a byte at an address below zero": "(drop (call $load_u8 (i64.const -8)))",
  "a byte behind its input": "(drop (call $input_u8 (call $input_length)))",
  "eight bytes over the end of its input": "(drop (call $input_u64 (i64.sub (call $input_length) (i64.const 7))))",
  "an output that it has not made": "(call $output (i64.const 8) (i64.const 64))",
  "an output from its freed input": "(call $free (call $input)) (call $output (i64.const 8) (call $input_length))",
  "an error that it has not made": "(call $error (i64.const 8))",
  "a line that it has not made": "(call $log (i64.const 8))",
  "a key that it has not made": "(drop (call $config (i64.const 8)))",
} as const;

const BEFORE =
  "{\\22hookSpecificOutput\\22:{\\22hookEventName\\22:\\22PreToolUse\\22,\\22permissionDecision\\22:\\22ask\\22,\\22permissionDecisionReason\\22:\\22";
const BEFORE_LENGTH = BEFORE.replaceAll("\\22", '"').length;
const FOUND = 3 * 65_536;
const ROOM = 30_000;

/** `id` makes it another module; `last` is what a guest without a secret does at the end. */
export function snooping(id: number, last = ""): Uint8Array<ArrayBuffer> {
  return wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "free" (func $free (param i64)))
    (import "extism:host/env" "length" (func $length (param i64) (result i64)))
    (import "extism:host/env" "length_unsafe" (func $length_unsafe (param i64) (result i64)))
    (import "extism:host/env" "load_u8" (func $load_u8 (param i64) (result i32)))
    (import "extism:host/env" "load_u64" (func $load_u64 (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "input_offset" (func $input (result i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "input_load_u8" (func $input_u8 (param i64) (result i32)))
    (import "extism:host/env" "input_load_u64" (func $input_u64 (param i64) (result i64)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "error_set" (func $error (param i64)))
    (import "extism:host/env" "error_get" (func $error_get (result i64)))
    (import "extism:host/env" "log_info" (func $log (param i64)))
    (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
    (memory 4)
    (global $id i32 (i32.const ${id}))
    (global $a (mut i64) (i64.const 0))
    (global $b (mut f64) (f64.const 0))
    (global $c (mut i32) (i32.const 0))
    (global $found (mut i32) (i32.const ${FOUND}))
    (table $table 4 funcref)
    (data (i32.const 0) "${BEFORE}")
    (data (i32.const 256) "\\22}}")
    (data (i32.const 272) "secret")
    (data (i32.const 280) "ending")
    (data (i32.const 288) "{}")

    (func $put (param $from i32) (param $count i32) (result i64) (local $to i64) (local $at i32)
      (local.set $to (call $alloc (i64.extend_i32_u (local.get $count))))
      (block $done (loop $next
        (br_if $done (i32.ge_u (local.get $at) (local.get $count)))
        (call $store (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
      (local.get $to))

    ;; ---- leaving things behind
    (func $copy_block (param $from i64) (param $count i64) (param $to i32) (local $at i64)
      (block $done (loop $next
        (br_if $done (i64.ge_u (local.get $at) (local.get $count)))
        (i32.store8 (i32.add (local.get $to) (i32.wrap_i64 (local.get $at)))
          (call $load_u8 (i64.add (local.get $from) (local.get $at))))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br $next))))
    (func $spread (param $secret i64) (local $length i64) (local $size i32) (local $count i32) (local $block i64)
      (local.set $length (call $length (local.get $secret)))
      (local.set $size (i32.wrap_i64 (local.get $length)))
      (call $copy_block (local.get $secret) (local.get $length) (i32.const 4096))
      (call $copy_block (local.get $secret) (local.get $length) (i32.const 70000))
      (call $copy_block (local.get $secret) (local.get $length) (i32.const 262000))
      (call $copy_block (call $input) (call $input_length) (i32.const 131072))
      (global.set $a (i64.load (i32.const 4096)))
      (global.set $b (f64.load (i32.const 4104)))
      (global.set $c (i32.load (i32.const 4096)))
      (call $log (local.get $secret))
      (loop $blocks
        (local.set $block (call $put (i32.const 4096) (local.get $size)))
        (drop (call $alloc (i64.const 60000)))
        (if (i32.and (local.get $count) (i32.const 1)) (then (call $free (local.get $block))))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br_if $blocks (i32.lt_u (local.get $count) (i32.const 60))))
      (call $output (call $put (i32.const 288) (i32.const 2)) (i64.const 2)))
    (func $recurse (result i32) (i32.add (call $recurse) (i32.const 1)))
    (func $end (param $way i32) (param $secret i64) (result i32)
      (block $answers (block $grows (block $traps (block $loops (block $recurses (block $violates (block $returns (block $reports (block $junk
        (br_table $answers $grows $traps $loops $recurses $violates $returns $reports $junk (local.get $way)))
        (call $output (local.get $secret) (call $length (local.get $secret))) (return (i32.const 0)))
        (call $error (local.get $secret)) (return (i32.const 0)))
        (return (i32.const 1)))
        (drop (call $alloc (i64.const -1))))
        (return (call $recurse)))
        (loop $for_ever (br $for_ever)))
        unreachable)
        (drop (memory.grow (i32.const 2)))
        (call $copy_block (local.get $secret) (call $length (local.get $secret)) (i32.const 300000)))
      (i32.const 0))

    ;; ---- finding things
    (func $emit (param $byte i32) (local $is_plain i32)
      (if (i32.eqz (local.get $byte)) (then (return)))
      (local.set $is_plain (i32.or
        (i32.lt_u (i32.sub (local.get $byte) (i32.const 0x2d)) (i32.const 14))
        (i32.lt_u (i32.sub (i32.or (local.get $byte) (i32.const 0x20)) (i32.const 0x61)) (i32.const 26))))
      (if (i32.ge_u (global.get $found) (i32.const ${FOUND + ROOM})) (then (return)))
      (i32.store8 (global.get $found) (select (local.get $byte) (i32.const 0x2e) (local.get $is_plain)))
      (global.set $found (i32.add (global.get $found) (i32.const 1))))
    (func $emit_all (param $value i64)
      (loop $next
        (if (i64.eqz (local.get $value)) (then (return)))
        (call $emit (i32.wrap_i64 (i64.and (local.get $value) (i64.const 255))))
        (local.set $value (i64.shr_u (local.get $value) (i64.const 8)))
        (br $next)))
    (func $search_memory (param $from i32) (param $to i32)
      (block $done (loop $next
        (br_if $done (i32.ge_u (local.get $from) (local.get $to)))
        (call $emit (i32.load8_u (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 1)))
        (br $next))))
    (func $search_block (param $from i64) (param $size i64) (local $end i64)
      (local.set $end (i64.add (local.get $from) (local.get $size)))
      (block $done (loop $next
        (br_if $done (i64.ge_u (local.get $from) (local.get $end)))
        (call $emit_all (call $load_u64 (local.get $from)))
        (local.set $from (i64.add (local.get $from) (i64.const 8)))
        (br $next))))
    (func $search_handles (local $handle i64)
      (loop $next
        (if (i64.ne (call $length_unsafe (local.get $handle)) (i64.const 0))
          (then (call $emit (i32.const 0x48)) (call $search_block (local.get $handle) (call $length (local.get $handle)))))
        (local.set $handle (i64.add (local.get $handle) (i64.const 8)))
        (br_if $next (i64.lt_u (local.get $handle) (i64.const 400000)))))
    (func $search_heap (param $size i64) (local $block i64)
      (local.set $block (call $alloc (local.get $size)))
      (call $search_block (local.get $block) (local.get $size))
      (call $emit (call $load_u8 (local.get $block)))
      (call $free (local.get $block))
      (call $search_block (local.get $block) (local.get $size)))
    (func $search (param $heap_is_empty i32) (local $entry i32)
      (call $search_handles)
      (call $search_memory (i32.const ${FOUND + 65_536 - 600}) (i32.const 262144))
      (call $search_memory (i32.const 1024) (i32.const 196608))
      (call $emit_all (global.get $a))
      (call $emit_all (i64.reinterpret_f64 (global.get $b)))
      (call $emit_all (i64.extend_i32_u (global.get $c)))
      (loop $entries
        (if (i32.eqz (ref.is_null (table.get $table (local.get $entry)))) (then (call $emit (i32.const 0x54))))
        (local.set $entry (i32.add (local.get $entry) (i32.const 1)))
        (br_if $entries (i32.lt_u (local.get $entry) (i32.const 4))))
      (call $emit_all (call $error_get))
      (call $search_heap (i64.const 8))
      (call $search_heap (i64.const 1024))
      (if (local.get $heap_is_empty) (then
        (call $search_heap (i64.const 65536))
        (call $search_heap (i64.const 1048576))
        (call $search_heap (i64.const 2752512))))
      (call $search_memory
        (i32.shl (memory.grow (i32.const 2)) (i32.const 16)) (i32.shl (memory.size) (i32.const 16)))
      (call $free (call $input))
      (call $search_block (call $input) (call $length_unsafe (call $input))))
    (func $tell (local $count i32) (local $block i64)
      (local.set $count (i32.sub (global.get $found) (i32.const ${FOUND})))
      (if (local.get $count) (then (call $log (call $put (i32.const ${FOUND}) (local.get $count)))))
      (memory.copy (i32.add (i32.const ${FOUND}) (i32.const ${BEFORE_LENGTH})) (i32.const ${FOUND}) (local.get $count))
      (memory.copy (i32.const ${FOUND}) (i32.const 0) (i32.const ${BEFORE_LENGTH}))
      (memory.copy (i32.add (i32.const ${FOUND}) (i32.add (i32.const ${BEFORE_LENGTH}) (local.get $count))) (i32.const 256) (i32.const 3))
      (local.set $count (i32.add (local.get $count) (i32.const ${BEFORE_LENGTH + 3})))
      (local.set $block (call $put (i32.const ${FOUND}) (local.get $count)))
      (call $output (local.get $block) (i64.extend_i32_u (local.get $count))))

    (func (export "handle") (result i32) (local $secret i64) (local $ending i64) (local $way i32)
      (call $search_handles)
      (local.set $secret (call $config (call $put (i32.const 272) (i32.const 6))))
      (local.set $ending (call $config (call $put (i32.const 280) (i32.const 6))))
      (if (i64.ne (local.get $secret) (i64.const 0)) (then
        (call $spread (local.get $secret))
        (local.set $way (i32.sub (call $load_u8 (local.get $ending)) (i32.const 0x30)))
        (if (i32.ne (local.get $way) (i32.const 9)) (then (return (call $end (local.get $way) (local.get $secret)))))))
      ${last}
      (call $search (i64.eqz (local.get $secret)))
      (call $tell)
      (i32.const 0)))`);
}

/** Returns the configuration of a rule that leaves `secret` behind. */
export const spreads = (secret: string, how: Spreading) => ({ secret, ending: String(SPREADING.indexOf(how)) });
/** Returns the configuration of a rule that also searches in the same call, and finds everything. */
export const spreadsAndSearches = (secret: string) => ({ secret, ending: "9" });
