/**
 * What a guest's work costs, version 2. A contract (docs/cost-model.md): the same module, event and configuration
 * cost the same on every machine and every Node version, so a change here is a new version.
 */
export const COST_MODEL_VERSION = 2;

export const COST = {
  /** Each instruction of a region, whenever the region is entered; `block`, `loop`, `else`, `end` and `nop` are free. */
  instruction: 1,
  /** Entering a function, a turn of a loop or a part that only a branch leads to, on top of its instructions. */
  region: 1,
  /** A call of a host function. */
  hostCall: 100,
  /** A bulk operation or a write into a table, even of nothing: it costs V8 some hundred nanoseconds. */
  bulk: 100,
  /** A bulk operation's length in bytes, halved so often: one unit for each eight. */
  byteShift: 3,
  /** Per entry of a table, and per page. */
  entry: 16,
  page: 8_192,
} as const;

/**
 * Room on the stack that a call takes beside its parameters and locals, in 8-byte slots. More where the calling function
 * has more values on its operand stack.
 */
export const FRAME_SLOTS = 16;
