import { nameValue } from "./name-value.ts";
import { type LineTable, mapStack } from "./stack-lines.ts";

/** The maximum length of a message, in characters, and the maximum number of errors in a chain of causes. */
const MAX_MESSAGE = 2_000;
const MAX_CAUSES = 4;

/**
 * Describes a thrown value, and its place in the author's files: `TypeError: …`, then one frame per line, then the
 * causes.
 */
export function describeError(error: unknown, lines?: LineTable): string {
  const parts: string[] = [];
  let current = error;
  for (let depth = 0; depth <= MAX_CAUSES; depth++) {
    const text = describeOne(current, lines);
    parts.push(depth === 0 ? text : `caused by ${text}`);
    if (!(current instanceof Error) || current.cause === undefined) break;
    current = current.cause;
  }
  return parts.join("\n");
}

function describeOne(error: unknown, lines: LineTable | undefined): string {
  if (!(error instanceof Error)) {
    const text = typeof error === "string" ? `: ${error.slice(0, MAX_MESSAGE)}` : "";
    return `${nameValue(error)} was thrown, not an Error${text}`;
  }
  const { name, message, stack } = error;
  const head = `${name}${message === "" ? "" : `: ${String(message).slice(0, MAX_MESSAGE)}`}`;
  return typeof stack === "string" ? [head, ...mapStack(stack, lines)].join("\n") : head;
}
