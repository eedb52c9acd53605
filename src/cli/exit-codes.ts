/** What `hookbox` exits with. Agents read 2 as "blocked" at every event where blocking means something. */
export const EXIT = {
  /** The verb did its work. For `run`: the reply is on standard output. */
  done: 0,
  /** `check` found errors. For `run`: something is wrong at an event that must not be blocked. */
  problems: 1,
  /** The command line, the input or the configuration cannot be used. For `run`: the gate stays shut. */
  refused: 2,
} as const;
