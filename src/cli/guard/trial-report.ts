import type { TrialResult } from "../../authoring/guard-trial.ts";
import { GUARD_REPORTED } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import type { Paint } from "../paint.ts";
import { firstDifference } from "./difference.ts";
import { stackLines } from "./stack-text.ts";

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
