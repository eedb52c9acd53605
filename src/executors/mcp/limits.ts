/** Limits for MCP servers. Tests use smaller limits. */
export interface McpLimits {
  /** The time from the start of a server to the end of its handshake. */
  readonly connectMs: number;
  /** The time without calls after which a server is ended. */
  readonly idleMs: number;
  /** The time between SIGTERM, with the end of the server's input, and SIGKILL. */
  readonly killGraceMs: number;
  /** How long output is read after the exit, if another process holds the pipes. */
  readonly drainMs: number;
  /** The maximum length of one message of a server. */
  readonly messageBytes: number;
  /** The maximum length of unrequested output between two answers: notifications, requests, other text. */
  readonly chatterBytes: number;
  /** The maximum length of the queue for a server that does not read. */
  readonly queuedBytes: number;
  /** How many bytes of the end of stderr are kept. */
  readonly stderrBytes: number;
  /** The maximum number of running calls on one server. Further calls wait. */
  readonly callsAtOnce: number;
  readonly waitingCalls: number;
  /** How often a server that failed is started again within `restartWindowMs`. */
  readonly restarts: number;
  readonly restartWindowMs: number;
  /** The time for a ping after a cancelled call. A server that does not answer within this time is stuck. */
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
