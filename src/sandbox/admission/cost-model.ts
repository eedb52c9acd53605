/**
 * What a guest's work costs, version 2. This is a contract (docs/cost-model.md): the same module, event and
 * configuration cost the same on every machine and every Node version. Any change here needs a new version number.
 */
export const COST_MODEL_VERSION = 2;

export const COST = {
  /** For each instruction of a region, each time it is entered. `block`, `loop`, `else`, `end` and `nop` are free. */
  instruction: 1,
  /**
   * For entering a function, a turn of a loop, or a part that only a branch reaches, in addition to the instructions.
   */
  region: 1,
  /** For each call of a host function. */
  hostCall: 100,
  /**
   * For each bulk operation and each write into a table, even of length 0, because V8 takes some hundred nanoseconds.
   */
  bulk: 100,
  /** For the length of a bulk operation: the bytes shifted right by this number, so one unit for eight bytes. */
  byteShift: 3,
  /** For each table entry and each memory page of a bulk operation. */
  entry: 16,
  page: 8_192,
} as const;

/**
 * Stack space of a call in addition to its parameters and locals, in 8-byte slots. A calling function with a higher
 * operand stack counts that height instead.
 */
export const FRAME_SLOTS = 16;
