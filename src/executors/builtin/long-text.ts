import { headOf, tailOf } from "./cut-bytes.ts";

/** Decides when a tool's text is too long, and builds the shortened text. */

export const MAX_BYTES = 51_200;
const MAX_LINES = 2_000;

const MARK = "[hookbox: too long to be shown:";
/** The maximum length of the notice before the text. */
const MAX_NOTICE_BYTES = 1_024;

export function isTooLong(text: string): boolean {
  const bytes = Buffer.byteLength(text);
  // A text that was already shortened, here or by another rule, is not shortened again because of its notice.
  if (text.startsWith(MARK)) return bytes > MAX_BYTES + MAX_NOTICE_BYTES;
  return bytes > MAX_BYTES || countLines(text) > MAX_LINES;
}

/** Returns the end of the text, because the outcome is usually there. */
export function shownEnd(text: string, file: string): string {
  const bytes = Buffer.from(text);
  const shown = lastLines(tailOf(bytes, MAX_BYTES));
  return `${notice(text, bytes.length, file)} Its end follows.]\n\n${shown}`;
}

/** Returns the beginning of a file that was read from `firstLine` on, and how to read further. */
export function shownBeginning(text: string, file: string, firstLine: number): string {
  const bytes = Buffer.from(text);
  const shown = firstLines(headOf(bytes, MAX_BYTES));
  const whole = shown.split("\n").length - 1;
  const next =
    whole === 0
      ? "Its first line alone is longer than what is shown, so only a program that reads by bytes gets further."
      : `To read on, begin at line ${firstLine + whole}.`;
  return `${notice(text, bytes.length, file)} Its beginning follows. ${next}]\n\n${shown}`;
}

function notice(text: string, bytes: number, file: string): string {
  return `${MARK} ${bytes} bytes in ${countLines(text)} lines, of ${MAX_BYTES} bytes and ${MAX_LINES} lines at most. All of it is in the file ${file}.`;
}

/** Counts lines. A newline at the end does not start another line. */
function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

function lastLines(text: string): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    if (start <= 0) return text;
    start = text.lastIndexOf("\n", start - 1);
    if (start === -1) return text;
  }
  return text.slice(start + 1);
}

function firstLines(text: string): string {
  let end = 0;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    const at = text.indexOf("\n", end);
    if (at === -1) return text;
    end = at + 1;
  }
  return text.slice(0, end);
}
