import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { guest, sectionsOf, wat } from "../helpers/guests.ts";

/** The guards that judge each event, with rules whose runs end by fuel and depth, and never by a deadline. */

/** Longer than any run takes on any machine: a slow one must give the same answer. */
const TIMEOUT_MS = 600_000;

interface GuardRule {
  readonly module: Uint8Array | string;
  readonly config?: object;
  readonly limits?: object;
  readonly grants?: object;
}

const DENIAL =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"';
const QUESTION = DENIAL.replace('"deny"', '"ask"');
const END = '"}}';
const DIGITS = 16;
const escaped = (text: string): string => text.replaceAll('"', "\\22");

/**
 * Returns a guard that computes with its input and answers by the result: its lowest bits select deny, ask or abstain,
 * and the reason contains all of its digits. `$work` gets a hash of the input and its length.
 */
function working(work: string, fields = "", imports = ""): Uint8Array {
  const answer = (at: number, text: string): string =>
    `(call $say (local.get $value) (i32.const ${at}) (i32.const ${text.length}))`;
  return wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "output_set" (func $output (param i64 i64)))
    (import "extism:host/env" "input_length" (func $input_length (result i64)))
    (import "extism:host/env" "input_load_u8" (func $input (param i64) (result i32)))
    ${imports}
    (memory 1 64)
    (data (i32.const 0) "${escaped(DENIAL)}")
    (data (i32.const 256) "${escaped(QUESTION)}")
    (data (i32.const 512) "${escaped(END)}")
    (data (i32.const 520) "0123456789abcdef")
    ${fields}
    (func $hash (result i64) (local $hash i64) (local $at i64)
      (local.set $hash (i64.const 0xcbf29ce484222325))
      (loop $next
        (local.set $hash (i64.mul (i64.xor (local.get $hash) (i64.extend_i32_u (call $input (local.get $at)))) (i64.const 0x100000001b3)))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br_if $next (i64.lt_u (local.get $at) (call $input_length))))
      (local.get $hash))
    (func $put (param $to i64) (param $from i32) (param $count i32) (local $at i32)
      (loop $next
        (call $store (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br_if $next (i32.lt_u (local.get $at) (local.get $count)))))
    (func $say (param $value i64) (param $from i32) (param $count i32) (local $block i64) (local $at i64) (local $size i64)
      (local.set $size (i64.add (i64.extend_i32_u (local.get $count)) (i64.const ${DIGITS + END.length})))
      (local.set $block (call $alloc (local.get $size)))
      (call $put (local.get $block) (local.get $from) (local.get $count))
      (local.set $at (i64.add (local.get $block) (i64.extend_i32_u (local.get $count))))
      (call $put (i64.add (local.get $at) (i64.const ${DIGITS})) (i32.const 512) (i32.const ${END.length}))
      (loop $digit
        (call $store (local.get $at)
          (i32.load8_u offset=520 (i32.wrap_i64 (i64.and (local.get $value) (i64.const 15)))))
        (local.set $value (i64.shr_u (local.get $value) (i64.const 4)))
        (local.set $at (i64.add (local.get $at) (i64.const 1)))
        (br_if $digit (i64.lt_u (local.get $at)
          (i64.add (local.get $block) (i64.add (i64.extend_i32_u (local.get $count)) (i64.const ${DIGITS}))))))
      (call $output (local.get $block) (local.get $size)))
    (func $abstain (local $block i64)
      (local.set $block (call $alloc (i64.const 2)))
      (call $store (local.get $block) (i32.const 0x7b))
      (call $store (i64.add (local.get $block) (i64.const 1)) (i32.const 0x7d))
      (call $output (local.get $block) (i64.const 2)))
    ${work}
    (func (export "handle") (result i32) (local $value i64)
      (local.set $value (call $work (call $hash) (call $input_length)))
      (block $done
        (block $ask
          (block $none (br_table $none $ask 2 (i32.wrap_i64 (i64.and (local.get $value) (i64.const 3)))))
          (call $abstain) (br $done))
        ${answer(256, QUESTION)} (br $done))
      ${answer(0, DENIAL)}
      (i32.const 0)))`);
}

const WORK = "(func $work (param $hash i64) (param $length i64) (result i64)";

/** Sums, quotients and roots of the input; the answer is the result's bits. */
const FLOATS = `${WORK} (local $at i64) (local $sum f64) (local $small f32) (local $x f64)
  (local.set $small (f32.const 1.5))
  (loop $next
    (local.set $x (f64.convert_i32_s (i32.sub (call $input (local.get $at)) (i32.const 64))))
    (local.set $sum (f64.add (local.get $sum)
      (f64.div (f64.sqrt (f64.abs (local.get $x))) (f64.add (f64.mul (local.get $x) (local.get $x)) (f64.const 0.1)))))
    (local.set $small (f32.sub (f32.mul (local.get $small) (f32.const 1.0000305)) (f32.demote_f64 (local.get $sum))))
    (local.set $at (i64.add (local.get $at) (i64.const 1)))
    (br_if $next (i64.lt_u (local.get $at) (local.get $length))))
  (i64.xor (i64.reinterpret_f64 (local.get $sum))
    (i64.add (i64.shl (i64.extend_i32_u (i32.reinterpret_f32 (local.get $small))) (i64.const 13)) (local.get $hash))))`;

/** NaNs that arithmetic makes from the input, and their bits. */
const NANS = `${WORK} (local $x f64) (local $y f32) (local $left i32) (local $sum i64)
  (local.set $left (i32.const 200))
  (loop $next
    (local.set $x (f64.reinterpret_i64 (i64.or (local.get $hash) (i64.const 0x7ff0000000000000))))
    (local.set $y (f32.reinterpret_i32 (i32.or (i32.wrap_i64 (local.get $hash)) (i32.const 0x7f800000))))
    (local.set $x (f64.min (f64.add (local.get $x) (f64.sub (f64.const inf) (f64.const inf))) (f64.const nan:0x4000000000001)))
    (local.set $y (f32.mul (local.get $y) (f32.demote_f64 (f64.div (f64.const 0) (f64.const 0)))))
    (local.set $sum (i64.add (i64.rotl (local.get $sum) (i64.const 5)) (i64.reinterpret_f64 (local.get $x))))
    (local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u (i32.reinterpret_f32 (local.get $y)))))
    (local.set $hash (i64.mul (local.get $hash) (i64.const 0x5851f42d4c957f2d)))
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (br_if $next (local.get $left)))
  (i64.xor (local.get $sum) (local.get $hash)))`;

/** Takes up to 15 pages, writes into each and adds up the contents. */
const GROWS = `${WORK} (local $page i32) (local $sum i64)
  (drop (memory.grow (i32.wrap_i64 (i64.rem_u (local.get $hash) (i64.const 16)))))
  (loop $next
    (i64.store offset=4096 (i32.shl (local.get $page) (i32.const 16)) (i64.mul (local.get $hash) (i64.extend_i32_u (local.get $page))))
    (memory.fill (i32.add (i32.shl (local.get $page) (i32.const 16)) (i32.const 8192)) (local.get $page) (i32.const 999))
    (local.set $sum (i64.add (i64.rotl (local.get $sum) (i64.const 7))
      (i64.add (i64.load offset=4096 (i32.shl (local.get $page) (i32.const 16)))
        (i64.load offset=9184 (i32.shl (local.get $page) (i32.const 16))))))
    (local.set $page (i32.add (local.get $page) (i32.const 1)))
    (br_if $next (i32.lt_u (local.get $page) (memory.size))))
  (local.get $sum))`;

/** Calls itself up to 4,095 deep. */
const RECURSES = `(func $down (param $left i64) (param $value i64) (result i64)
    (if (i64.eqz (local.get $left)) (then (return (local.get $value))))
    (i64.add (i64.rotr (call $down (i64.sub (local.get $left) (i64.const 1)) (i64.mul (local.get $value) (i64.const 31)))
      (i64.const 3)) (local.get $left)))
  ${WORK} (call $down (i64.and (local.get $hash) (i64.const 4095)) (local.get $length)))`;

/** Calls itself with 900 values waiting, up to 5,040 deep: much on the stack of cold code, little on that of warm code. */
const HOLDS = `(func $down (param $left i64) (result i64)
    (if (i64.eqz (local.get $left)) (then (return (i64.const 1))))
    ${"(local.get $left) ".repeat(900)}
    (call $down (i64.sub (local.get $left) (i64.const 1)))
    ${"i64.add ".repeat(900)})
  ${WORK} (i64.xor (local.get $hash)
    (call $down (i64.mul (i64.and (i64.shr_u (local.get $hash) (i64.const 20)) (i64.const 63)) (i64.const 80)))))`;

/** Turns of a loop: up to 32,767, each with some work. */
const LOOPS = `${WORK} (local $left i64)
  (local.set $left (i64.and (local.get $hash) (i64.const 32767)))
  (loop $next
    (local.set $length (i64.xor (i64.mul (local.get $length) (i64.const 0x9e3779b97f4a7c15)) (i64.shr_u (local.get $length) (i64.const 29))))
    (local.set $left (i64.sub (local.get $left) (i64.const 1)))
    (br_if $next (i64.gt_s (local.get $left) (i64.const 0))))
  (local.get $length))`;

/**
 * Depending on its input: divides by zero, reads outside of its memory, calls a null reference, gives up, or answers.
 */
const TRAPS = `${WORK}
  (block $fine (block $divide (block $read (block $call (block $give_up
    (br_table $divide $read $call $give_up $fine (i32.wrap_i64 (i64.rem_u (local.get $hash) (i64.const 8)))))
    unreachable)
    (call_indirect (i32.const 1)))
    (return (i64.load (i32.const -9))))
    (return (i64.div_u (local.get $hash) (i64.const 0))))
  (local.get $hash))`;

/** Reads the time repeatedly, and up to 63 random numbers. */
const DRAWS = `${WORK} (local $left i64)
  (local.set $left (i64.and (local.get $hash) (i64.const 63)))
  (loop $next
    (local.set $length (i64.add (i64.rotl (local.get $length) (i64.const 9)) (i64.xor (call $now) (call $bits))))
    (local.set $left (i64.sub (local.get $left) (i64.const 1)))
    (br_if $next (i64.gt_s (local.get $left) (i64.const 0))))
  (local.get $length))`;

const CLOCK_AND_RANDOM = `(import "hookbox:host/env" "clock_now" (func $now (result i64)))
  (import "hookbox:host/env" "random_bits" (func $bits (result i64)))`;

const EMPTY_TABLE = "(table 2 funcref)";

/** The shipped guard, without its manifest, whose fixtures would keep it from loading with little fuel. */
function withoutFixtures(): Uint8Array {
  const module = readFileSync(join(import.meta.dirname, "../../dist/guards/shell-guard.wasm"));
  const kept = sectionsOf(module).filter(({ id }) => id !== 0);
  return Buffer.concat([module.subarray(0, 8), ...kept.map(({ start, end }) => module.subarray(start, end))]);
}

export const GUARDS: Readonly<Record<string, GuardRule>> = {
  "shell-guard": { module: "builtin:shell-guard" },
  "shell-guard with paths": {
    module: "builtin:shell-guard",
    config: { protectedPaths: ["/srv", "~/.ssh", "build", "日本語"] },
  },
  "shell-guard without git": { module: "builtin:shell-guard", config: { verdicts: { git: "pass" } } },
  "shell-guard short of fuel": { module: withoutFixtures(), limits: { fuel: 600_000, fuelPerInputByte: 1_000 } },
  "computes in floats": { module: working(FLOATS) },
  "looks at the bits of NaNs": { module: working(NANS) },
  "grows its memory": { module: working(GROWS) },
  "grows into its limit": { module: working(GROWS), limits: { memoryMiB: 1 } },
  recurses: { module: working(RECURSES) },
  "recurses too deep": { module: working(RECURSES), limits: { depth: 40_000 } },
  "holds much while it calls": { module: working(HOLDS) },
  loops: { module: working(LOOPS) },
  "loops out of fuel": { module: working(LOOPS), limits: { fuel: 150_000, fuelPerInputByte: 0 } },
  traps: { module: working(TRAPS, EMPTY_TABLE) },
  "draws fixed times and seeded numbers": {
    module: working(DRAWS, "", CLOCK_AND_RANDOM),
    grants: { clock: "fixed", random: "seeded" },
  },
  remembers: { module: guest("remembers-in-memory") },
  "remembers in a table": { module: guest("remembers-in-a-table") },
  "repeats its input": { module: guest("repeats-its-input") },
};

/** Returns a configuration with a rule for each guard, whose modules are in `folder`. */
export function configIn(folder: string): object {
  mkdirSync(folder, { recursive: true });
  const hooks = Object.entries(GUARDS).map(([name, { module, ...rest }], index) => {
    const file = typeof module === "string" ? module : join(folder, `guard-${index}.wasm`);
    if (typeof module !== "string") writeFileSync(file, module);
    return { type: "wasm", name, module: file, timeoutMs: TIMEOUT_MS, ...rest };
  });
  return { hooks: { PreToolUse: [{ hooks }] } };
}
