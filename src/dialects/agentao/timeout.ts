import { kindOf } from "../../schema-issue.ts";

const DEFAULT_SECONDS = 60;
/** The maximum timeout, which is longer than any agent waits for a hook. */
const MOST_SECONDS = 86_400;

interface Timeout {
  readonly seconds: number;
  /** A warning for the rule's author. */
  readonly note?: string;
}

/**
 * Reads whole seconds as Agentao does: from a number, whose fraction is dropped, or from the text of a whole number.
 * Negative values stay negative.
 */
export function readTimeout(value: unknown): Timeout {
  if (value === undefined) return { seconds: DEFAULT_SECONDS };
  const said = wholeNumber(value);
  if (said === undefined) {
    const shown = typeof value === "string" ? JSON.stringify(value) : kindOf(value);
    return {
      seconds: DEFAULT_SECONDS,
      note: `timeout must be a number of seconds, not ${shown}; the default of 60 is used`,
    };
  }
  if (said > 0) return { seconds: Math.min(said, MOST_SECONDS) };
  return { seconds: 0, note: `a timeout of ${said} seconds leaves the hook no time to answer` };
}

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "number") return Number.isFinite(value) ? Math.trunc(value) : undefined;
  if (typeof value !== "string" || !/^\s*[+-]?\d+(?:_\d+)*\s*$/.test(value)) return undefined;
  return Number(value.trim().replaceAll("_", ""));
}
