/** Bounds on servers of MCP tools. Tests have smaller ones. */
export interface McpLimits {
  /** From the start of a server to the end of its handshake. */
  readonly connectMs: number;
  /** A server that nobody has asked for so long is ended. */
  readonly idleMs: number;
  /** Between the end of its input and SIGTERM on one side, and SIGKILL on the other. */
  readonly killGraceMs: number;
  /** How long output is still read after the exit, when something else holds the pipes. */
  readonly drainMs: number;
  /** Most that one message of a server may be long. */
  readonly messageBytes: number;
  /** Most that a server may say between two answers that nobody has asked it for: notifications, requests, garbage. */
  readonly chatterBytes: number;
  /** Most that may wait for a server that does not read. */
  readonly queuedBytes: number;
  /** Only the last of it is kept. */
  readonly stderrBytes: number;
  /** Calls that are at work on one server; the others wait. */
  readonly callsAtOnce: number;
  readonly waitingCalls: number;
  /** How often a server may fail within `restartWindowMs` and be started again. */
  readonly restarts: number;
  readonly restartWindowMs: number;
  /** After a call that was given up, a server that does not answer a ping within this time counts as stuck. */
  readonly pingMs: number;
}

export const MCP_LIMITS: McpLimits = {
  connectMs: 30_000,
  idleMs: 300_000,
  killGraceMs: 250,
  drainMs: 50,
  messageBytes: 1_048_576,
  chatterBytes: 4 * 1_048_576,
  queuedBytes: 4 * 1_048_576,
  stderrBytes: 64 * 1_024,
  callsAtOnce: 8,
  waitingCalls: 1_000,
  restarts: 3,
  restartWindowMs: 60_000,
  pingMs: 5_000,
};
