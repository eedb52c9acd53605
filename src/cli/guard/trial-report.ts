import type { TrialResult } from "../../authoring/guard-trial.ts";
import { GUARD_REPORTED } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import type { Paint } from "../paint.ts";

/** Reports the results of a guard's tests to users. */

export interface JudgedResult extends TrialResult {
  /** The limit of `--max-fuel`. Set if the test exceeded the limit. */
  readonly overFuel?: number;
}

export function judge(results: readonly TrialResult[], maxFuel: number | undefined): readonly JudgedResult[] {
  return results.map((result) =>
    maxFuel !== undefined && result.fuel > maxFuel
      ? {
          ...result,
          passed: false,
          overFuel: maxFuel,
          message: result.message ?? `used ${count(result.fuel)} fuel; --max-fuel allows ${count(maxFuel)}`,
        }
      : result,
  );
}

export function fuelOf(results: readonly TrialResult[]): { readonly total: number; readonly most: number } {
  const all = results.map(({ fuel }) => fuel);
  return { total: all.reduce((sum, fuel) => sum + fuel, 0), most: Math.max(0, ...all) };
}

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

const MAX_NAME_LENGTH = 72;
const MAX_LOG_LINES = 20;

/** Returns one line for a passed test, with `verbose` also its log. For a failed test, also returns the details. */
export function trialLines(
  results: readonly JudgedResult[],
  paint: Paint,
  { verbose = false }: { readonly verbose?: boolean } = {},
): readonly string[] {
  const names = results.map(({ name }) => cleanLine(name, MAX_NAME_LENGTH));
  const width = Math.max(0, ...names.map((name) => name.length));
  const digits = Math.max(0, ...results.map(({ fuel }) => count(fuel).length));
  return results.flatMap((result, index) => {
    const mark = result.passed ? paint("green", "pass") : paint("red", "FAIL");
    const fuel = paint("dim", `${count(result.fuel).padStart(digits)} fuel`);
    const head = `${mark}  ${(names[index] ?? "").padEnd(width)}  ${fuel}`;
    const more = result.passed ? (verbose ? logLines(result) : []) : detailLines(result, paint);
    return [head, ...more.map((line) => `        ${line}`)];
  });
}

export function summaryLine(results: readonly JudgedResult[], paint: Paint): string {
  const failed = results.filter(({ passed }) => !passed).length;
  const { total, most } = fuelOf(results);
  const counts = [
    ...(failed > 0 ? [paint("red", `${failed} failed`)] : []),
    paint(failed > 0 ? "bold" : "green", `${results.length - failed} passed`),
  ].join(", ");
  return `${counts}   ${paint("dim", `fuel: ${count(total)} in total, at most ${count(most)} in one test`)}`;
}

export function logLines({ log }: Pick<JudgedResult, "log">): string[] {
  const lines = log.slice(0, MAX_LOG_LINES).map((line) => `log       ${cleanLine(line, 400)}`);
  return log.length > MAX_LOG_LINES ? [...lines, `log       ${log.length - MAX_LOG_LINES} more lines`] : lines;
}

function detailLines(result: JudgedResult, paint: Paint): string[] {
  const { expected, actual, overFuel, message } = result;
  const lines = "failure" in actual ? failureLines(expected.decision, actual.failure, paint) : [];
  if (!("failure" in actual)) {
    if (actual.decision !== expected.decision) {
      lines.push(`expected  ${paint("green", expected.decision)}`, `got       ${paint("red", actual.decision)}`);
      if (actual.reason !== undefined) lines.push(`reason    ${cleanLine(actual.reason, 400)}`);
    } else if (expected.reason !== undefined && !(actual.reason ?? "").includes(expected.reason)) {
      lines.push(...reasonLines(expected.reason, actual.reason, paint));
    }
  }
  if (overFuel !== undefined) lines.push(`fuel      more than the ${count(overFuel)} of --max-fuel`);
  if (lines.length === 0 && message !== undefined) lines.push(cleanLine(message, 400));
  return [...lines, ...logLines(result)];
}

function failureLines(decision: string, failure: { kind: string; message: string }, paint: Paint): string[] {
  return [`expected  ${paint("green", decision)}`, ...gotFailure(failure, paint)];
}

export function gotFailure({ kind, message }: { kind: string; message: string }, paint: Paint): string[] {
  return [
    `got       ${paint("red", message.startsWith(GUARD_REPORTED) ? "an error" : `a failure: ${kind}`)}`,
    ...stackLines(message).map((line) =>
      line.kind === "error" ? `          ${cleanLine(line.text, 600)}` : `            ${cleanLine(line.text, 200)}`,
    ),
  ];
}

function reasonLines(expected: string, actual: string | undefined, paint: Paint): string[] {
  if (actual === undefined) return [`reason    expected ${JSON.stringify(expected)} in it, got none`];
  const wanted = cleanLine(expected, 400);
  const got = cleanLine(actual, 400);
  const { wantedFrom, wantedTo, gotFrom, gotTo } = firstDifference(wanted, got);
  const marked = (text: string, from: number, to: number, style: "green" | "red"): string =>
    text.slice(0, from) + paint(style, text.slice(from, to)) + text.slice(to);
  return [
    `reason    must contain  ${marked(wanted, wantedFrom, wantedTo, "green")}`,
    `          but is        ${marked(got, gotFrom, gotTo, "red")}`,
    `                        ${" ".repeat(gotFrom)}${"^".repeat(Math.max(1, gotTo - gotFrom))}`,
  ];
}

/** Splits the stack in a failure's message into one line for each frame, because messages have a single line. */

/** Matches `at NAME (FILE:LINE:COLUMN)` or `at FILE:LINE:COLUMN`. Other text after "at" belongs to the message. */
const FRAME = String.raw`at (?:(?:new |async )?[^\s()]+ \((?:[^()]+:\d+:\d+|native)\)|[^\s()]+:\d+:\d+)`;
const CAUSE = String.raw`caused by (?=\S*Error\b|(?:an? [^.:]*|null|nothing) was thrown)`;
const NEXT_LINE = new RegExp(String.raw`\s+(?=${FRAME}(?:\s+at |\s+${CAUSE}|\s*$))|\s+(?=${CAUSE})`);

interface StackLine {
  readonly kind: "error" | "frame";
  readonly text: string;
}

/** Returns the thrown error, its frames, and then each cause with its frames. */
export function stackLines(message: string): readonly StackLine[] {
  return message
    .split(NEXT_LINE)
    .map((text, index) => ({ kind: index > 0 && text.startsWith("at ") ? "frame" : "error", text }));
}

/** The place where two texts differ, as offsets in each text. The `To` offsets are exclusive. */
interface Difference {
  readonly wantedFrom: number;
  readonly wantedTo: number;
  readonly gotFrom: number;
  readonly gotTo: number;
}

/**
 * Returns the first difference between `wanted` and a text that should contain it. Aligns the texts at the beginning or
 * at the end of `wanted`, whichever has the longer part in common with `got`.
 */
export function firstDifference(wanted: string, got: string): Difference {
  const beginning = longestBeginning(wanted, got);
  const end = longestEnd(wanted, got);
  if (wanted.length - end.wanted > beginning.length) {
    const from = Math.max(0, end.got - end.wanted);
    const shared = sharedPrefix(wanted.slice(0, end.wanted), got.slice(0, end.got), from);
    return { wantedFrom: shared, wantedTo: end.wanted, gotFrom: from + shared, gotTo: end.got };
  }
  const gotFrom = beginning.got + beginning.length;
  const rest = longestEnd(wanted.slice(beginning.length), got.slice(gotFrom));
  return {
    wantedFrom: beginning.length,
    wantedTo: beginning.length + rest.wanted,
    gotFrom,
    gotTo: gotFrom + rest.got,
  };
}

function longestBeginning(wanted: string, got: string): { readonly got: number; readonly length: number } {
  let longest = { got: 0, length: 0 };
  for (let at = 0; at < got.length && longest.length < wanted.length; at++) {
    const length = sharedPrefix(wanted, got, at);
    if (length > longest.length) longest = { got: at, length };
  }
  return longest;
}

/** Finds the longest end of `wanted` that is in `got`. Returns the start of this end in each text. */
function longestEnd(wanted: string, got: string): { readonly wanted: number; readonly got: number } {
  for (let at = 0; at < wanted.length; at++) {
    const found = got.indexOf(wanted.slice(at));
    if (found >= 0) return { wanted: at, got: found };
  }
  return { wanted: wanted.length, got: got.length };
}

function sharedPrefix(wanted: string, got: string, at: number): number {
  let length = 0;
  while (length < wanted.length && at + length < got.length && wanted[length] === got[at + length]) length += 1;
  return length;
}
