import { MAX_MEMORY_PAGES } from "../self-test.ts";

/** Higher than admission's limit for tables, so that the self-test can tell which of the two caps held. */
export const V8_TABLE_ENTRIES = 16_384;

/**
 * V8's own caps, on the command line of each sandbox process. No rule can grant more than these caps, and they
 * hold even if admission fails. V8 may remove these flags. A process with an unknown flag does not start, and the self-test
 * checks that the caps hold. For flags that were tried and left out, see docs/decisions.md.
 */
export const SANDBOX_FLAGS: readonly string[] = [
  `--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`,
  `--wasm-max-table-size=${V8_TABLE_ENTRIES}`,
];
