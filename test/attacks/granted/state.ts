import type { Attack, Ending } from "../attacks.ts";
import { type ReachParts, reach } from "./reach.ts";
import { type Body, reached, swallows, times, wants } from "./reaching-guest.ts";

/** Attacks through state: too many, too large, another session's, another rule's, and that of a call that failed. */

const grants = (): object => ({ state: { maxKeys: 4, maxBytes: 1_024 } });

const on = (name: string, ends: Ending, body: Body, parts: ReachParts = {}): readonly Attack[] =>
  reach(grants, name, ends, body, parts);

const TOO_MUCH: Ending = { kind: "memory" };
const set = (key: string, value: string): string => `(call $var_set ${key} ${value})`;

/** Allows if a call has set it before. */
const finds = (key: string): string => wants(`(call $var_get ${key})`);

export const STATE_ATTACKS: readonly Attack[] = [
  ...on("keeps-a-value-over-the-limit", TOO_MUCH, ({ block }) =>
    swallows(set(block("a"), "(call $alloc (i64.const 1024))")),
  ),
  ...on("keeps-values-that-are-over-the-limit-together", TOO_MUCH, ({ block }) =>
    swallows(...["a", "b", "c"].map((key) => set(block(key), "(call $alloc (i64.const 400))"))),
  ),
  ...on("keeps-many-keys", TOO_MUCH, ({ block }) =>
    swallows(...["a", "b", "c", "d", "e"].map((key) => set(block(key), block("")))),
  ),
  ...on(
    "keeps-more-keys-call-by-call",
    TOO_MUCH,
    ({ block }) =>
      swallows(...["a", "b", "c", "d"].map((key) => set(block(key), block(""))), set(block("e"), block(""))),
    { calls: 4, sessions: "one" },
  ),
  ...on("keeps-a-key-of-a-thousand-bytes", TOO_MUCH, ({ block }) => swallows(set(block("k".repeat(1_000)), block("")))),
  ...on("keeps-a-key-that-is-not-utf-8", { kind: "trap" }, ({ block }) =>
    swallows(set(block(Uint8Array.from([0xc0, 0x80])), block(""))),
  ),
  ...on("keeps-a-value-from-nowhere", { kind: "trap" }, ({ block }) => swallows(set(block("a"), "(i64.const -16)"))),
  ...on("sets-the-same-variable-for-ever", TOO_MUCH, ({ block }) =>
    swallows(
      `(local.set $key ${block("a")}) (local.set $block (call $alloc (i64.const 1000)))`,
      times(20_000, set("(local.get $key)", "(local.get $block)")),
    ),
  ),
  ...on(
    "looks-for-another-sessions-variables",
    { decision: "deny" },
    ({ block }) => [finds(block("kept")), set(block("kept"), "(call $input_offset)")].join("\n"),
    { calls: 6, sessions: "each" },
  ),
  ...on("looks-for-another-rules-variables", { decision: "deny" }, ({ block }) => finds(block("kept")), {
    calls: 6,
    sessions: "one",
  }),
  ...on("looks-for-variables-of-every-object", { decision: "deny" }, ({ block }) =>
    ["__proto__", "constructor", "toString", "hasOwnProperty"].map((key) => finds(block(key))).join("\n"),
  ),
  ...(
    [
      ["traps", { kind: "trap" }, "unreachable"],
      ["loops", { kind: "fuel" }, "(loop $l (br $l))"],
      ["returns-1", { kind: "exit" }, "(return (i32.const 1))"],
      ["allocates-too-much", { kind: "memory" }, "(drop (call $alloc (i64.const -1)))"],
      ["says-nothing", { kind: "no-output" }, "(return (i32.const 0))"],
    ] as const
  ).flatMap(([name, ends, code]) =>
    // Allows as soon as it finds what it has set before.
    on(
      `sets-a-variable-and-${name}`,
      ends,
      ({ block }) => `${finds(block("kept"))}
        (if (i32.eqz (global.get $reached)) (then ${set(block("kept"), block("x"))} ${code}))`,
      { calls: 3, sessions: "one" },
    ),
  ),
  ...on(
    "sets-a-variable-past-its-deadline",
    { kind: "timeout" },
    ({ block }) => `${finds(block("kept"))}
      (if (i32.eqz (global.get $reached)) (then ${set(block("kept"), block("x"))} (loop $l (br $l)) ${reached}))`,
    { calls: 3, sessions: "one", timeoutMs: 100, fuel: 2e9 },
  ),
];
