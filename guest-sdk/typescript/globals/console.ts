import type { LogLevel } from "../host.ts";
import { writeLog } from "../log.ts";

type Print = (...values: unknown[]) => void;

const printer =
  (level: LogLevel): Print =>
  (...values) =>
    writeLog(level, values);

/** Writes the same lines as `context.log`. Groups, tables, counters and timers are not supported. */
export const console = /* @__PURE__ */ Object.freeze({
  trace: printer(0),
  debug: printer(1),
  log: printer(2),
  info: printer(2),
  warn: printer(3),
  error: printer(4),
  assert: (condition?: unknown, ...values: unknown[]): void => {
    if (condition) return;
    writeLog(4, values.length === 0 ? ["Assertion failed"] : ["Assertion failed:", ...values]);
  },
});
