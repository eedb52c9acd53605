import { MAX_MEMORY_PAGES } from "../self-test.ts";

/** V8's limit for tables. It exceeds admission's limit, so that the self-test can tell the two limits apart. */
export const V8_TABLE_ENTRIES = 16_384;

/**
 * V8's own limits, on the command line of each sandbox process. They equal the most that a rule may grant, and work
 * even if admission fails. V8 may remove these flags. A process with an unknown flag does not start, and the self-test
 * checks the limits. For flags that were tried and left out, see docs/decisions/0089-two-v8-flags.md.
 */
export const SANDBOX_FLAGS: readonly string[] = [
  `--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`,
  `--wasm-max-table-size=${V8_TABLE_ENTRIES}`,
];
