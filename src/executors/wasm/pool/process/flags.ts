import { MAX_MEMORY_PAGES } from "../self-test.ts";

/** More than admission lets a table have, or the self-test could not tell which of the two caps has held. */
export const V8_TABLE_ENTRIES = 16_384;

/**
 * V8's own caps, on the command line of each sandbox process: what no rule can be given more than, whatever became of
 * admission. They are names that V8 may drop; a process does not start with one that it does not know, and the
 * self-test finds out whether they hold. Which others were tried and left out: docs/decisions.md.
 */
export const SANDBOX_FLAGS: readonly string[] = [
  `--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`,
  `--wasm-max-table-size=${V8_TABLE_ENTRIES}`,
];
