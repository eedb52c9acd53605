import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { formatPlace, type Place, type Problem } from "../errors.ts";
import { redactSecrets } from "../secrets/redact.ts";
import { cleanLine } from "../text.ts";
import type { Paint } from "./paint.ts";

/** Prints problems of configurations and of guards' sources, each with an excerpt of its line. */

const MAX_LINE_LENGTH = 120;
/** The maximum length of a line with an excerpt. Longer lines are generated text. */
const MAX_READ_LENGTH = 20_000;
const MAX_TEXT_LENGTH = 1_000;

/** Returns a problem as lines. The file is relative to the working directory, or with `isAsNamed` as given. */
export function problemLines(
  problem: Problem,
  cwd: string,
  paint: Paint,
  { isAsNamed = false }: { readonly isAsNamed?: boolean } = {},
): readonly string[] {
  const { severity, place, message, hint, code } = problem;
  const mark = severity === "error" ? paint("red", "error") : paint("yellow", "warning");
  const file = (named: string): string => (isAsNamed ? named : shownPath(named, cwd));
  const where = place === undefined ? "" : `${cleanLine(formatPlace({ ...place, file: file(place.file) }))}  `;
  const [head = "", ...more] = message.split("\n").map((line) => cleanLine(line, MAX_TEXT_LENGTH));
  return [
    `${where}${mark}  ${head}  ${paint("dim", code)}`,
    ...more.map((line) => `    ${line}`),
    ...excerpt(place, cwd, paint),
    ...(hint === undefined ? [] : [`    ${paint("cyan", cleanLine(hint, MAX_TEXT_LENGTH))}`]),
  ];
}

/** Returns a path relative to the working directory. Returns `file` unchanged if the path starts with `../../../`. */
export function shownPath(file: string, cwd: string): string {
  const short = relative(cwd, file);
  return cleanLine(short === "" ? "." : short.startsWith("../../../") ? file : short);
}

/**
 * Returns the line at a place, with a caret below the column. A long line is cut to the part around the column. Secrets
 * are redacted, because logs of builds keep what `check` prints.
 */
function excerpt(place: Place | undefined, cwd: string, paint: Paint): string[] {
  if (place?.line === undefined) return [];
  const written = lineOf(resolve(cwd, place.file), place.line);
  if (written === undefined || written.length > MAX_READ_LENGTH) return [];
  const whole = withoutSecrets(written);
  const beforeColumn = withoutSecrets(written.slice(0, (place.column ?? 1) - 1));
  // The column is inside of a secret, so no caret can be placed.
  if (!whole.startsWith(beforeColumn)) return [];
  const at = beforeColumn.length;
  const number = `    ${String(place.line).padStart(4)} | `;
  const from = whole.length <= MAX_LINE_LENGTH ? 0 : Math.max(0, at - MAX_LINE_LENGTH / 2);
  const text = whole.slice(from, from + MAX_LINE_LENGTH);
  const [start, end] = [from > 0 ? "…" : "", from + text.length < whole.length ? "…" : ""];
  if (place.column === undefined) return [`${paint("dim", number)}${cleanLine(text)}${end}`];
  const before = `${start}${text.slice(0, at - from)}`.replace(/[^\t]/g, " ");
  return [
    `${paint("dim", number)}${start}${withoutControls(text)}${end}`,
    `${paint("dim", `${" ".repeat(number.length - 2)}| `)}${before}${paint("red", "^")}`,
  ];
}

/** Removes secrets. Cuts URLs after the scheme, because the URL of a webhook may contain a key of unknown form. */
function withoutSecrets(text: string): string {
  return redactSecrets(text.replace(/\b([a-z][a-z\d+.-]{0,20}:\/\/)[^\s"'`]+/gi, "$1…"));
}

/** Replaces control characters. Keeps spaces and tabs, because the caret would otherwise be at the wrong column. */
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
