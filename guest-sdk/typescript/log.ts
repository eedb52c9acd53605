import { formatLog } from "./format-log.ts";
import { currentHost, type LogLevel } from "./host.ts";

/** Lines for the author. The receipt of the call contains these lines, and they do not influence the decision. */
export interface Log {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}

export function writeLog(level: LogLevel, values: readonly unknown[]): void {
  currentHost()?.log(level, formatLog(values));
}

export const log: Log = /* @__PURE__ */ Object.freeze({
  debug: (...values: unknown[]) => writeLog(1, values),
  info: (...values: unknown[]) => writeLog(2, values),
  warn: (...values: unknown[]) => writeLog(3, values),
  error: (...values: unknown[]) => writeLog(4, values),
});
