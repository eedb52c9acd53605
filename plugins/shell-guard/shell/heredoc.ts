import { END, NEWLINE, TAB } from "../chars";
import { findUnit } from "../units";
import { runScript } from "./parser";
import { readQuotedUnit } from "./quotes";
import { Scanner } from "./scanner";
import { Word } from "./word";

/** A `<<` whose body is still to come. The body is data, unless a shell turns out to read it. */
export class Heredoc {
  isScript: bool = false;

  constructor(
    public delimiter: string,
    /** No quotes around the delimiter: the body is expanded, and commands in it run. */
    public expands: bool,
    public dropsTabs: bool,
  ) {}
}

/** Reads the bodies that were announced on the line that has just ended. */
export function readBodies(scanner: Scanner): void {
  const documents = scanner.announced;
  if (documents.length === 0) return;
  scanner.announced = [];
  for (let i = 0; i < documents.length; i++) readBody(scanner, documents[i]);
}

function readBody(scanner: Scanner, document: Heredoc): void {
  const text = scanner.text;
  const start = scanner.pos;
  let end = start;
  while (end < text.length) {
    const newline = findUnit(text, NEWLINE, end);
    const lineEnd = newline < 0 ? text.length : newline;
    scanner.pos = lineEnd < text.length ? lineEnd + 1 : lineEnd;
    if (isDelimiter(text, end, lineEnd, document)) break;
    end = scanner.pos;
  }
  if (document.isScript) runScript(text.slice(start, end));
  else if (document.expands) expandBody(text.slice(start, end));
}

function isDelimiter(text: string, start: i32, end: i32, document: Heredoc): bool {
  while (document.dropsTabs && start < end && text.charCodeAt(start) === TAB) start++;
  const delimiter = document.delimiter;
  if (end - start !== delimiter.length) return false;
  for (let i = 0; i < delimiter.length; i++) if (text.charCodeAt(start + i) !== delimiter.charCodeAt(i)) return false;
  return true;
}

function expandBody(body: string): void {
  const scanner = new Scanner(body);
  const ignored = new Word([]);
  for (let unit = scanner.peek(); unit !== END; unit = scanner.peek()) {
    scanner.pos++;
    if (unit !== NEWLINE) readQuotedUnit(scanner, ignored, unit);
  }
  ignored.finish();
}
