import type { Attack } from "../attacks.ts";
import { reach } from "./reach.ts";
import { type Body, reached, times } from "./reaching-guest.ts";

/**
 * Attacks through time and random numbers: a guard that can distinguish runs may allow a call that it denied in a test.
 */

const FIXED_MS = 946_684_800_000;
const HEX = "0123456789abcdef";

/** Logs the numbers that it gets, so that runs can be compared. */
const LOG_NUMBER: Body = () => `
  (func $log_number (param $number i64) (local $block i64) (local $at i64)
    (local.set $block (call $alloc (i64.const 16)))
    (loop $next
      (call $store_u8 (i64.add (local.get $block) (local.get $at))
        (i32.load8_u (i32.add (i32.const 16)
          (i32.wrap_i64 (i64.and (i64.rotl (local.get $number) (i64.mul (i64.add (local.get $at) (i64.const 1)) (i64.const 4))) (i64.const 15))))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $next (i64.lt_u (local.get $at) (i64.const 16))))
    (call $log_info (local.get $block)))
  (data (i32.const 16) "${HEX}")`;

const NUMBERS: Body = () => "(call $log_number (call $random_bits)) (call $log_number (call $random_bits))";
const BY_WASI: Body = () => `
  (drop (call $random_get (i32.const 1024) (i32.const 8))) (call $log_number (i64.load (i32.const 1024)))
  (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 1024))) (call $log_number (i64.load (i32.const 1024)))
  (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 1024))) (call $log_number (i64.load (i32.const 1024)))`;
const TIMES: Body = () => "(call $log_number (call $clock_now)) (call $log_number (call $clock_now))";

const CALLS = { calls: 4, fields: LOG_NUMBER };

/** What these log is the same in each call. */
export const UNVARYING_ATTACKS: readonly Attack[] = [
  ...reach(() => ({ clock: "fixed" }), "asks-for-the-time", { decision: "deny" }, TIMES, CALLS),
  ...reach(() => ({ random: "seeded" }), "asks-for-numbers", { decision: "deny" }, NUMBERS, CALLS),
  ...reach(() => ({ wasi: true }), "asks-wasi-for-time-and-numbers", { decision: "deny" }, BY_WASI, CALLS),
];

/** What these log differs between calls, which shows that a variation in those above would be noticed. */
export const VARYING_ATTACKS: readonly Attack[] = [
  ...reach(() => ({ clock: "real" }), "asks-for-the-real-time", { decision: "deny" }, TIMES, CALLS),
  ...reach(() => ({ random: "real" }), "asks-for-real-numbers", { decision: "deny" }, NUMBERS, CALLS),
  ...reach(
    () => ({ wasi: true, clock: "real", random: "real" }),
    "asks-wasi-for-real-time-and-numbers",
    { decision: "deny" },
    BY_WASI,
    CALLS,
  ),
];

export const CLOCK_ATTACKS: readonly Attack[] = [
  ...UNVARYING_ATTACKS,
  ...VARYING_ATTACKS,
  ...reach(
    () => ({ clock: "fixed" }),
    "waits-for-tomorrow",
    { kind: "fuel" },
    () =>
      `(loop $wait (br_if $wait (i64.lt_s (call $clock_now) (i64.const ${FIXED_MS + 86_400_000 * 365})))) ${reached}`,
  ),
  ...reach(
    () => ({ clock: "real" }),
    "waits-for-real-tomorrow",
    { kind: "fuel" },
    () => `(local.set $key (i64.add (call $clock_now) (i64.const 86400000)))
      (loop $wait (br_if $wait (i64.lt_s (call $clock_now) (local.get $key)))) ${reached}`,
  ),
  ...reach(
    () => ({ random: "seeded" }),
    "throws-dice-for-ever",
    { kind: "fuel" },
    () => `(loop $again (br_if $again (i64.ne (call $random_bits) (i64.const 0))) (br $again)) ${reached}`,
  ),
  ...reach(
    () => ({ random: "real" }),
    "throws-real-dice-for-ever",
    { kind: "fuel" },
    () => `(loop $again (drop (call $random_bits)) (br $again)) ${reached}`,
  ),
  ...reach(
    () => ({ wasi: true }),
    "asks-wasi-for-a-flood-of-numbers",
    { kind: "memory" },
    () => `${times(100, "(drop (call $random_get (i32.const 0) (i32.const 65536)))")} ${reached}`,
  ),
];
