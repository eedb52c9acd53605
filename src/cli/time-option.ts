import { usageError } from "./verb.ts";

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds of an option such as `30m`. Throws a usage error if the text is not a time. */
export function timeMs<Text extends string | undefined>(option: string, text: Text): number | Extract<Text, undefined> {
  if (text === undefined) return undefined as Extract<Text, undefined>;
  const [, number = "", unit = ""] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined)
    throw usageError(`${option} is ${JSON.stringify(text)}; expected a time such as 30m or 90s`);
  return Number(number) * unitMs;
}
