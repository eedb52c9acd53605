/** The exit codes of `hookbox`. Agents read 2 as "blocked" at every event where blocking has an effect. */
export const EXIT = {
  /** Success. For `run`: the reply is on standard output. */
  done: 0,
  /** `check` found errors. For `run`: an error at an event that must not be blocked. */
  problems: 1,
  /** The command line, the input or the configuration cannot be used. For `run`: the gate stays shut. */
  refused: 2,
} as const;
