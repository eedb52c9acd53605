import { AMPERSAND, CLOSE_PAREN, DASH, GREATER, isDigit, LESS, OPEN_PAREN, PIPE } from "../chars";
import { giveUp } from "../verdict";
import { Command } from "./command";
import { Heredoc } from "./heredoc";
import { readWord } from "./read-word";
import { Scanner } from "./scanner";
import { outputOf } from "./substitution";
import { same } from "../units";

/** `<`, `>` or `&>`. */
export function atRedirection(scanner: Scanner, unit: i32): bool {
  return unit === LESS || unit === GREATER || (unit === AMPERSAND && scanner.peek(1) === GREATER);
}

export function readRedirection(scanner: Scanner, command: Command): void {
  if (scanner.peek() === AMPERSAND) scanner.pos++;
  const writes = scanner.peek() === GREATER;
  scanner.pos++;
  const next = scanner.peek();
  if (next === OPEN_PAREN) return readProcess(scanner, command);
  if (!writes && next === LESS) return readInline(scanner, command);
  if (next === GREATER || next === PIPE || next === AMPERSAND) scanner.pos++;
  const target = readTarget(scanner);
  // `<>` opens for writing too.
  const opens = writes || next === GREATER;
  if (target !== null && opens && !(next === AMPERSAND && isCopy(target))) command.addWrite(target);
}

/** `<(…)` and `>(…)`: the shell puts the name of a pipe in its place. */
function readProcess(scanner: Scanner, command: Command): void {
  scanner.pos++;
  command.words.push(outputOf(scanner));
  if (scanner.peek() === CLOSE_PAREN) scanner.pos++;
  else giveUp("a process substitution is not closed");
}

/** `<<` and `<<<`; the scanner stands at the second sign. */
function readInline(scanner: Scanner, command: Command): void {
  scanner.pos++;
  if (scanner.peek() === LESS) {
    scanner.pos++;
    command.hereString = readTarget(scanner);
    return;
  }
  const dropsTabs = scanner.peek() === DASH;
  if (dropsTabs) scanner.pos++;
  scanner.skipBlanks();
  const words = new Array<string>();
  const plain = readWord(scanner, words);
  if (words.length === 0) return;
  const document = new Heredoc(words[0], plain, dropsTabs);
  command.addDocument(document);
  scanner.announce(document);
}

function readTarget(scanner: Scanner): string | null {
  const words = new Array<string>();
  scanner.skipBlanks();
  readWord(scanner, words);
  return words.length > 0 ? words[0] : null;
}

/** The `1` of `2>&1`, or the `-` that closes. */
function isCopy(target: string): bool {
  return isDigit(target.charCodeAt(0)) || same(target, "-");
}
