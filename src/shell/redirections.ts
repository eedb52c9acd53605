import { type Command, redirectionsOf } from "./command.ts";
import { readSubstitution } from "./expansions.ts";
import type { ShellReader } from "./reader.ts";
import type { Scanner } from "./scanner.ts";
import { endsWord, readOne } from "./words.ts";

const WORK_PER_REDIRECTION = 1_200;
const LITERAL = /[^\t\n\r "$&'();<>\\`|]+/y;

/** Whether the scanner is at `<`, `>` or `&>`. */
export function atRedirection(scanner: Scanner, char: string | undefined): boolean {
  return char === "<" || char === ">" || (char === "&" && scanner.sees("&>"));
}

/** Whether a word is the `2` of `2>file` or the `{name}` of `{name}>file`. */
export function isDescriptor(scanner: Scanner, word: string): boolean {
  const next = scanner.peek();
  return (next === "<" || next === ">") && /^(?:\d*|\{[A-Za-z_][^{}]*\})$/.test(word);
}

/** Reads a redirection, or a process substitution, which is a word of the command. */
export function readRedirection(reader: ShellReader, scanner: Scanner, command: Command, descriptor: string): void {
  reader.spend(WORK_PER_REDIRECTION);
  const start = scanner.at;
  if (scanner.peek() === "&") scanner.at += 1;
  const writes = scanner.peek() === ">";
  scanner.at += 1;
  const next = scanner.peek();
  if (next === "(") {
    scanner.at += 1;
    command.words.push(readSubstitution(reader, scanner));
    if (reader.keepsPlaces) command.places.push(start, scanner.at);
    return;
  }
  if (!writes && next === "<") {
    readInline(reader, scanner, command, descriptor);
    return;
  }
  if (next === ">" || next === "|" || next === "&") scanner.at += 1;
  const target = readTarget(reader, scanner);
  // `<>` also opens for writing. `2>&1` copies a descriptor, and `>&-` closes one.
  const opens = writes || next === ">";
  if (target !== undefined && opens && !(next === "&" && /^(?:\d|-$)/.test(target))) {
    redirectionsOf(command).writes.push(target);
  }
  if (writes) return;
  const file = next === "&" || target === undefined ? {} : { file: target };
  redirectionsOf(command).inputs.push({ descriptor, ...file });
}

/** Reads the file of a redirection, which may be a process substitution: `< <(…)`. */
function readTarget(reader: ShellReader, scanner: Scanner): string | undefined {
  const found = readOne(reader, scanner);
  const isProcess = found === undefined && (scanner.sees("<(") || scanner.sees(">("));
  if (!isProcess) return found;
  scanner.at += 2;
  return readSubstitution(reader, scanner);
}

/** Reads `<<` and `<<<`. The scanner is at the second sign. */
function readInline(reader: ShellReader, scanner: Scanner, command: Command, descriptor: string): void {
  const { inputs } = redirectionsOf(command);
  scanner.at += 1;
  if (scanner.peek() === "<") {
    scanner.at += 1;
    inputs.push({ descriptor, text: readOne(reader, scanner) ?? "" });
    return;
  }
  const dropsTabs = scanner.peek() === "-";
  if (dropsTabs) scanner.at += 1;
  scanner.skipBlanks();
  const start = scanner.at;
  const delimiter = readDelimiter(reader, scanner);
  if (scanner.at === start) return;
  const expands = !/["'\\]/.test(scanner.text.slice(start, scanner.at));
  const document = { delimiter, expands, dropsTabs, isScript: false };
  inputs.push({ descriptor, document });
  scanner.announced.push(document);
}

/** Reads the delimiter of a here-document. Removes quotes from the delimiter, and expands nothing. */
function readDelimiter(reader: ShellReader, scanner: Scanner): string {
  let delimiter = "";
  for (;;) {
    delimiter += scanner.take(LITERAL);
    const char = scanner.peek();
    if (char === undefined || (endsWord(char) && !delimiter.endsWith("$"))) return delimiter;
    scanner.at += 1;
    if (char === "\\") {
      const hidden = scanner.peek() ?? "";
      scanner.at += 1;
      if (hidden !== "\n") delimiter += hidden;
    } else if (char === "'" || char === '"') {
      if (delimiter.endsWith("$")) reader.doubt("a here-document whose end is written in an unusual way");
      const end = scanner.text.indexOf(char, scanner.at);
      if (end < 0) reader.doubt("a quote is not closed");
      const quoted = scanner.text.slice(scanner.at, end < 0 ? undefined : end);
      if (quoted.includes("\\") && char === '"') reader.doubt("a here-document whose end is written in an unusual way");
      delimiter += quoted;
      scanner.at = end < 0 ? scanner.text.length : end + 1;
    } else {
      if (char !== "$") reader.doubt("a here-document whose end is written in an unusual way");
      delimiter += char;
    }
  }
}
