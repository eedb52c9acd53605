import { MAX_MEMORY_PAGES, MAX_TABLE_ENTRIES } from "../self-test.ts";

/**
 * V8's own caps, on the command line of each sandbox process: what no rule can be given more than, whatever became of
 * admission. They are names that V8 may drop; a process does not start with one that it does not know, and the
 * self-test finds out whether they hold. Which others were tried and left out: docs/decisions.md.
 */
export const SANDBOX_FLAGS: readonly string[] = [
  `--wasm-max-mem-pages=${MAX_MEMORY_PAGES}`,
  `--wasm-max-table-size=${MAX_TABLE_ENTRIES}`,
];
