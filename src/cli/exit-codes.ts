/** The exit codes of `hookbox`. Agents read 2 as "blocked" at every event where blocking has an effect. */
export const EXIT = {
  /** Success. The reply of `run` is on standard output. */
  done: 0,
  /** `check` found errors. In `run`, an error at an event that must not be blocked. */
  problems: 1,
  /** The command line, the input or the configuration cannot be used. In `run`, the gate stays shut. */
  refused: 2,
} as const;
