/**
 * The cost of a guest's work, version 3. This table is a contract (docs/cost-model.md): the same module, event and
 * configuration cost the same on every machine and every Node version. Any change needs a new version number.
 */
export const COST_MODEL_VERSION = 3;

export const COST = {
  /** The cost of an instruction each time control enters its region. `block`, `loop`, `else`, `end`, `nop` are free. */
  instruction: 1,
  /** The cost of entering a function, a turn of a loop, or a part that only a branch reaches. */
  region: 1,
  /** The cost of each call of a host function. */
  hostCall: 100,
  /** The cost of each bulk operation and table write, even of length 0. V8 takes some hundred nanoseconds. */
  bulk: 100,
  /** The shift of the length of a bulk operation and of `input_read`: the bytes shifted right by this number, so one unit for eight bytes. */
  byteShift: 3,
  /** The cost of each table entry and each memory page of a bulk operation. */
  entry: 16,
  page: 8_192,
} as const;

/**
 * Stack space of a call in addition to its parameters and locals, in 8-byte slots. A calling function with a higher
 * operand stack counts that height instead.
 */
export const FRAME_SLOTS = 16;
