import type { ErrorCode } from "../../src/errors.ts";
import type { FailureKind } from "../../src/outcome.ts";
import type { World } from "./granted/world.ts";

/**
 * Every attack of the suite, and how it must end. The rules of the suite may give every answer, so that `may` hides
 * nothing.
 */

export interface Attack {
  /** The name of the rule, of the tool that it guards, and of the module. */
  readonly name: string;
  readonly module: string;
  /** Set if the module is neither in the folder nor among the generated ones. */
  readonly source?: (world: World) => Uint8Array<ArrayBuffer>;
  /** The grants as in a configuration. Default: none. */
  readonly grants?: (world: World) => object;
  /** The rule's function. Default: `handle`. */
  readonly function?: string;
  /** Whether all calls are of one session, or each has its own. Default: calls without a session. */
  readonly sessions?: "one" | "each";
  readonly ends: Ending;
  /** How often it is called, because what a call leaves behind may affect a later one. */
  readonly calls: number;
  readonly timeoutMs?: number;
  readonly fuel?: number;
  /** Whether a later rule for the same event denies if it sees the original event. */
  readonly witness?: boolean;
}

/**
 * A failure by its kind, and by its code if the module does not load; or a verdict, if the attack has no effect. `or`:
 * another allowed result, because other processes change the files at the same time.
 */
export type Ending =
  | { readonly kind: FailureKind; readonly code?: ErrorCode }
  | { readonly decision: "none" | "deny"; readonly or?: FailureKind | readonly FailureKind[] };

const attacks: Attack[] = [];

function each(ends: Ending, names: string, parts: Partial<Attack> = {}): void {
  for (const name of names.trim().split(/\s+/)) attacks.push({ name, module: name, ends, calls: 1, ...parts });
}

each(
  { kind: "fuel" },
  `allows-then-loops-for-ever spins-in-host-calls spins-in-host-calls-through-a-table
  loops-in-a-memory-fill loops-in-a-memory-fill-of-nothing loops-in-a-memory-copy loops-in-a-memory-init
  loops-in-a-memory-grow loops-in-a-memory-grow-of-nothing asks-for-all-pages-there-are fills-more-than-there-is
  loops-in-a-table-fill loops-in-a-table-copy loops-in-a-table-init loops-in-a-table-grow
  loops-in-a-table-grow-of-nothing loops-in-a-table-set loops-by-a-br-table loops-by-an-if-without-else
  loops-by-a-block-with-values loops-by-a-typed-select loops-by-code-behind-a-branch loops-by-an-inner-loop
  divides-for-ever nests-loops loops-carrying-a-thousand-values loops-over-a-function-with-many-locals
  returns-a-thousand-values-through-many-functions calls-a-tree fills-memory-in-a-straight-line hides-a-loop-behind-a-padded-table-index
  hides-a-loop-behind-padded-numbers hides-a-loop-behind-a-vector hides-a-loop-behind-a-constant-that-reads-as-code
  has-a-custom-section-of-our-name calls-its-functions-by-our-names`,
);
each(
  { kind: "stack" },
  `recurses recurses-mutually recurses-through-a-table recurses-with-many-locals recurses-with-many-operands
  overflows-the-stack-in-the-host`,
);
each(
  { kind: "trap" },
  `allows-then-traps divides-by-zero converts-what-does-not-fit reads-beyond-its-memory writes-beyond-its-memory
  calls-an-entry-that-is-empty calls-a-function-by-another-type has-data-beyond-its-memory has-entries-beyond-its-table
  puts-out-an-address-that-is-no-block puts-out-a-wild-address puts-out-a-negative-address puts-out-a-freed-block
  reads-beyond-its-blocks writes-below-the-heap reads-beyond-its-input`,
);
each(
  { kind: "memory" },
  `grows-to-its-limit allocates-until-it-is-refused allocates-many-tiny-blocks allocates-an-exabyte
  allocates-less-than-nothing`,
);
each({ kind: "output-too-large" }, "puts-out-a-megabyte");
each(
  { kind: "invalid-output" },
  `puts-out-less-than-its-block puts-out-a-length-of-minus-one allows-in-bad-utf-8 allows-behind-a-byte-order-mark
  allows-in-utf-16 allows-by-a-second-key allows-by-a-second-key-in-another-spelling allows-by-its-prototype
  allows-by-an-inner-prototype allows-by-its-constructor allows-with-a-tail allows-twice allows-with-a-null-byte
  allows-in-a-comment allows-with-a-trailing-comma allows-in-an-array allows-in-a-string allows-in-capitals
  allows-at-another-event allows-at-no-event allows-by-an-unknown-field allows-by-a-list answers-in-deep-json`,
);
each({ kind: "no-output" }, "says-nothing puts-out-an-empty-block exports-the-host-as-handle nests-100000-blocks");
each({ kind: "exit" }, "allows-and-returns-1 allows-and-reports-an-error");

each(
  { kind: "capability", code: "HOOK_MODULE_ABI" },
  `loops-in-its-start-function loops-in-initialize loops-in-hs-init loops-in-underscore-start
  traps-in-its-start-function hides-its-start-function-behind-a-padded-size`,
);
each(
  { kind: "unavailable", code: "HOOK_MODULE_ABI" },
  `exports-no-handle exports-a-memory-as-handle exports-a-global-as-handle exports-a-table-as-handle takes-a-parameter
  returns-nothing returns-an-i64 returns-two-values`,
);
each(
  { kind: "capability", code: "HOOK_MODULE_FEATURE" },
  `calls-itself-in-tail-position calls-a-table-in-tail-position waits-on-an-atomic catches-what-the-host-throws`,
);
each(
  { kind: "capability", code: "HOOK_MODULE_IMPORT" },
  `sleeps-by-wasi prints-by-wasi reads-the-environment-by-wasi reads-the-clock-by-wasi rolls-dice-by-wasi
  asks-the-runtime-for-the-time asks-the-runtime-for-a-seed makes-an-http-request keeps-a-large-variable
  keeps-variables-under-many-names imports-an-unknown-function imports-a-property-of-every-object
  imports-with-a-wrong-signature imports-a-global imports-from-another-namespace imports-from-its-own-module
  imports-the-fuel imports-one-name-with-two-types imports-a-table imports-a-memory
  imports-a-name-that-clears-the-screen`,
);
each(
  { kind: "memory", code: "HOOK_MODULE_LIMIT" },
  `starts-with-a-large-memory starts-with-all-memory-there-is starts-with-a-large-table has-many-tables
  is-longer-than-any-guard has-900000-functions has-60000-functions has-50000-locals has-200000-types has-10000-globals
  has-a-million-elements nests-loops-over-locals nests-loops-over-operands
  branches-by-huge-tables branches-over-many-locals has-50000-functions-with-50000-locals
  has-blocks-of-a-thousand-values has-blocks-of-a-thousand-values-behind-a-return
  has-7000-types-of-a-thousand-values has-two-million-sections
  calls-with-a-thousand-values-behind-a-return returns-a-thousand-values-again-and-again`,
);
each({ kind: "memory", code: "HOOK_MODULE_INVALID" }, "shares-its-memory");
each(
  { kind: "unavailable", code: "HOOK_MODULE_INVALID" },
  `exports-its-own-fuel exports-its-own-depth exports-its-own-memory-name exports-its-own-state-name
  refuels-itself-by-global-index reads-its-fuel-by-global-index exports-a-name-twice is-empty is-text is-cut-off
  has-another-magic-number has-another-version is-two-modules has-a-byte-behind-it has-two-code-sections
  has-two-export-sections has-its-sections-in-another-order has-a-section-longer-than-the-file
  has-a-number-without-an-end has-a-function-without-a-body has-an-unknown-section
  has-a-custom-section-with-a-lying-name has-locals-that-do-not-add-up`,
);

each(
  { decision: "none" },
  "allows-in-the-old-place exports-then floods-the-log has-a-custom-section-of-seven-megabytes",
);
each({ decision: "none" }, "reads-its-config-by-inherited-names");
each({ decision: "deny" }, "denies-with-terminal-escapes");
each({ decision: "deny" }, "tampers-with-its-input", { witness: true, calls: 4 });
each(
  { decision: "none" },
  `remembers-in-a-global remembers-in-a-vector-global remembers-in-a-function-global remembers-in-a-nan-global
  remembers-in-memory remembers-in-the-size-of-memory remembers-in-a-table remembers-in-the-size-of-a-table
  remembers-in-a-table-by-copy uses-up-a-segment looks-for-what-others-left`,
  { calls: 8 },
);

/** With more fuel than their deadline allows. V8 does not interrupt the second one: it ends by fuel. */
function late(module: string, timeoutMs: number, fuel: number): void {
  attacks.push({ name: `${module}-past-its-deadline`, module, ends: { kind: "timeout" }, calls: 1, timeoutMs, fuel });
}
late("allows-then-loops-for-ever", 100, 2e9);
late("loops-in-a-memory-fill", 50, 1e9);
late("spins-in-host-calls", 100, 2e9);

export const ATTACKS: readonly Attack[] = attacks;

/** Attacks that never end without a limit: no deadline is needed to stop them. */
export const ENDLESS: readonly Attack[] = ATTACKS.filter(
  ({ ends }) => "kind" in ends && (ends.kind === "fuel" || ends.kind === "stack"),
);
