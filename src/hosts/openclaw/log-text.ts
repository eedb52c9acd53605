import { describeThrown } from "../../errors.ts";
import { cleanLine } from "../../text.ts";

/** Returns error texts of handlers for the log, on one line and without anything that looks like a secret. */

export interface Log {
  /** Writes messages of plugins that are neither warnings nor errors. Default: these messages are dropped. */
  info?(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const STDERR_LOG: Log = {
  warn: (message) => void process.stderr.write(`hookbox: warning: ${message}\n`),
  error: (message) => void process.stderr.write(`hookbox: ${message}\n`),
};

const MAX_LENGTH = 500;
/** The number of characters that are matched against the patterns, because the thrown text may be very long. */
const MAX_READ = 20_000;

const COLOURS = /\u001b\[[0-9;?]*[A-Za-z]/g;

const SECRETS: readonly RegExp[] = [
  // The pattern has no word boundary, because removed colour codes may have preceded the key.
  /(?:sk|pk|rk)-(?=[\w-]*\d)[\w-]{8,}/g,
  /\bgh[a-z]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{20,}/g,
  /\bxox[a-z]-[A-Za-z0-9-]{8,}/g,
  /\bA[KS]IA[A-Z0-9]{12,}/g,
  /\bAIza[\w-]{20,}/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]+/g,
  /(?<=\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi,
  /(?<=\b[\w-]{0,40}(?:token|secret|passw(?:or)?d|api[_-]?key|authorization)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"',;&]{4,}/gi,
  /(?<=:\/\/[^\s:/@]{1,80}:)[^\s@/]{1,200}(?=@)/g,
];

export function logText(thrown: unknown): string {
  return safeText(describeThrown(thrown));
}

export function safeText(text: string): string {
  let line = cleanLine(text.slice(0, MAX_READ).replace(COLOURS, ""));
  for (const secret of SECRETS) line = line.replace(secret, "***");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}
