import type { FailureKind } from "../../../src/outcome.ts";
import type { Attack } from "../attacks.ts";
import { reach } from "./reach.ts";
import { type Body, reached } from "./reaching-guest.ts";
import type { World } from "./world.ts";

/**
 * Granted functions called without end, each with its most expensive arguments, because a call of each has one flat
 * price.
 */

const grants = ({ origin, granted }: World): object => ({
  hosts: { allow: [origin], allowPrivate: true, maxCalls: 3 },
  paths: { policy: granted.file, writable: { path: granted.writable, access: "write" } },
  state: { maxKeys: 4, maxBytes: 65_000 },
  clock: "real",
  random: "real",
  wasi: true,
});

const spins = (name: string, before: Body, code: string, kind: FailureKind = "fuel"): readonly Attack[] =>
  reach(
    grants,
    name,
    { kind },
    (words, world) => `${before(words, world)} (loop $again ${code} (br $again)) ${reached}`,
  );

const free = (block: string): string => `(call $free ${block})`;
const ignore: Body = () => "";

export const SPINNING_ATTACKS: readonly Attack[] = [
  ...spins(
    "writes-a-megabyte-for-ever",
    ({ block }) => `(local.set $key ${block("writable/kept.txt")})
      (local.set $block (call $alloc (i64.const 1000000)))`,
    "(call $file_write (local.get $key) (local.get $block))",
    "capability",
  ),
  ...spins(
    "writes-nothing-for-ever",
    ({ block }) => `(local.set $key ${block("writable/kept.txt")}) (local.set $block (call $alloc (i64.const 0)))`,
    "(call $file_write (local.get $key) (local.get $block))",
    "capability",
  ),
  ...spins(
    "gets-a-long-variable-for-ever",
    ({ block }) => `(local.set $key ${block("a")})
      (call $var_set (local.get $key) (call $alloc (i64.const 64000)))`,
    free("(call $var_get (local.get $key))"),
    "memory",
  ),
  ...spins(
    "sets-and-removes-a-variable-for-ever",
    ({ block }) => `(local.set $key ${block("a")}) (local.set $block (call $alloc (i64.const 0)))`,
    "(call $var_set (local.get $key) (local.get $block)) (call $var_set (local.get $key) (i64.const 0))",
  ),
  ...spins(
    "looks-for-a-variable-with-a-long-name-for-ever",
    ({ block }) => `(local.set $key ${block("\u{10ffff}".repeat(64))})`,
    "(drop (call $var_get (local.get $key)))",
  ),
  ...spins(
    "asks-for-headers-for-ever",
    ({ block }, { origin }) =>
      `(drop (call $http_request ${block(JSON.stringify({ url: `${origin}/headers` }))} (i64.const 0)))`,
    free("(call $http_headers)"),
    "memory",
  ),
  ...spins("asks-for-the-time-for-ever", ignore, "(drop (call $clock_now))"),
  ...spins("throws-dice-without-end", ignore, "(drop (call $random_bits))"),
  ...spins(
    "sleeps-without-end",
    () => "(i64.store (i32.const 24) (i64.const 3600000000000))",
    "(drop (call $poll_oneoff (i32.const 0) (i32.const 2048) (i32.const 1) (i32.const 4096)))",
    "capability",
  ),
  ...spins(
    "sleeps-by-sixteen-alarms-without-end",
    () =>
      Array.from({ length: 16 }, (_, at) => `(i64.store (i32.const ${24 + 48 * at}) (i64.const 3600000000000))`).join(
        "\n",
      ),
    "(drop (call $poll_oneoff (i32.const 0) (i32.const 2048) (i32.const 16) (i32.const 4096)))",
    "capability",
  ),
  ...spins(
    "prints-without-end",
    () =>
      Array.from(
        { length: 16 },
        (_, at) =>
          `(i32.store (i32.const ${8 * at}) (i32.const 1024)) (i32.store (i32.const ${8 * at + 4}) (i32.const 1024))`,
      ).join("\n"),
    "(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 16) (i32.const 512)))",
  ),
  ...spins(
    "asks-what-is-open-without-end",
    ignore,
    "(drop (call $fd_filestat_get (i32.const 0) (i32.const 0))) (drop (call $fd_fdstat_get (i32.const 0) (i32.const 0)))",
  ),
  ...spins(
    "opens-the-root-without-end",
    ({ buffer }) => buffer("."),
    `(drop (call $path_open (i32.const 3) (i32.const 0) (i32.const 131072) (i32.const 1) (i32.const 0) (i64.const 2)
       (i64.const 0) (i32.const 0) (i32.const 8)))
     (drop (call $fd_close (i32.load (i32.const 8))))`,
  ),
].filter(({ grants }) => grants !== undefined);
