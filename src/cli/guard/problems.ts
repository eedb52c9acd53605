import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { BuildError } from "../../authoring/build-error.ts";
import { formatPlace, HookError, type Place, type Problem } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import type { Paint } from "../paint.ts";

/** What is wrong with a guard's source, with the line that it is about. */

const MAX_LINE_LENGTH = 160;

/** All that a failed build has found. Errors that are not about the guard are thrown on. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof BuildError) return error.problems;
  if (!(error instanceof HookError) || !error.code.startsWith("HOOK_MODULE_")) throw error;
  const { code, message, hint, place } = error;
  return [
    {
      severity: "error",
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(place === undefined ? {} : { place }),
    },
  ];
}

export function problemLines(problem: Problem, cwd: string, paint: Paint): readonly string[] {
  const { severity, place, message, hint, code } = problem;
  const mark = severity === "error" ? paint("red", "error") : paint("yellow", "warning");
  const where =
    place === undefined ? "" : `${cleanLine(formatPlace({ ...place, file: shownPath(place.file, cwd) }))}  `;
  const [head = "", ...more] = message.split("\n").map((line) => cleanLine(line, 400));
  return [
    `${where}${mark}  ${head}  ${paint("dim", code)}`,
    ...more.map((line) => `    ${line}`),
    ...excerpt(place, paint),
    ...(hint === undefined ? [] : [`    ${paint("cyan", cleanLine(hint, 400))}`]),
  ];
}

/** As seen from the working directory, unless that is further away than the root. */
export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return cleanLine(short === "" ? "." : short.startsWith("../../../") ? file : short);
}

function excerpt(place: Place | undefined, paint: Paint): string[] {
  if (place?.line === undefined) return [];
  const text = lineOf(place.file, place.line);
  if (text === undefined || text.length > MAX_LINE_LENGTH) return [];
  const number = `    ${String(place.line).padStart(4)} | `;
  if (place.column === undefined) return [`${paint("dim", number)}${cleanLine(text)}`];
  const before = text.slice(0, place.column - 1).replace(/[^\t]/g, " ");
  return [
    `${paint("dim", number)}${withoutControls(text)}`,
    `${paint("dim", `${" ".repeat(number.length - 2)}| `)}${before}${paint("red", "^")}`,
  ];
}

/** Indentation and tabs have to stay, or the mark below would point elsewhere. */
function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/g, " ");
}

function lineOf(file: string, line: number): string | undefined {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/)[line - 1];
  } catch {
    return undefined;
  }
}
