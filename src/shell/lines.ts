// Reads the text between commands: blanks, comments, newlines, and the bodies of here-documents.

import { readBody } from "./expansions.ts";
import type { ShellReader } from "./reader.ts";
import type { Heredoc, Scanner } from "./scanner.ts";

export const WORK_PER_LINE = 220;

/** Skips to the next word or operator. After each newline, takes the bodies of the previous line's here-documents. */
export function skipLines(reader: ShellReader, scanner: Scanner): void {
  for (;;) {
    scanner.skipBlanks();
    const char = scanner.peek();
    if (char === "#") {
      reader.spend(WORK_PER_LINE);
      skipComment(scanner);
    } else if (char === "\n") {
      reader.spend(WORK_PER_LINE);
      scanner.at += 1;
      if (scanner.announced.length > 0) readBodies(reader, scanner);
    } else return;
  }
}

export function skipComment(scanner: Scanner): void {
  const end = scanner.text.indexOf("\n", scanner.at);
  scanner.at = end < 0 ? scanner.text.length : end;
}

/** Reads the bodies of the here-documents that the previous line announced. */
function readBodies(reader: ShellReader, scanner: Scanner): void {
  const documents = scanner.announced;
  scanner.announced = [];
  for (const document of documents) {
    const body = takeBody(reader, scanner, document);
    if (document.isScript) reader.runDocument(document, body);
    else reader.takeDocument(body);
    document.takeBody?.(body);
    if (document.expands && (!document.isScript || !reader.guesses)) readBody(reader, body);
  }
}

function takeBody(reader: ShellReader, scanner: Scanner, { delimiter, dropsTabs }: Heredoc): string {
  const { text, at } = scanner;
  for (let start = at; start < text.length; ) {
    reader.spend(WORK_PER_LINE);
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    scanner.at = newline < 0 ? end : end + 1;
    if (dropsTabs) while (text[start] === "\t") start += 1;
    if (text.startsWith(delimiter, start)) {
      if (end - start === delimiter.length) return text.slice(at, start);
      // Some versions of Bash also end the document here.
      if (reader.substitutions > 0 && text.slice(start + delimiter.length, end).includes(")")) {
        reader.doubt("a here-document that may end with its substitution");
      }
    }
    start = scanner.at;
  }
  return text.slice(at);
}
