import { CLOSE_PAREN, OPEN_PAREN } from "../chars";
import { enterDirectory, leaveDirectory } from "../paths/directory";
import { giveUp } from "../verdict";
import { isArithmetic, readArithmetic } from "./arithmetic";
import { Pipeline } from "./command";
import { parseCommand, parseList, skipLines, UNTIL_BRACE, UNTIL_PAREN } from "./parser";
import { enter, leave, Scanner } from "./scanner";

/** The function whose body is being read, or nothing. */
let defining: string = "";

export function resetGroups(): void {
  defining = "";
}

export function definedFunction(): string {
  return defining;
}

/** `( … )` or `(( … ))`; the scanner stands at the first parenthesis. */
export function parseParentheses(scanner: Scanner, pipeline: Pipeline): void {
  scanner.pos++;
  if (isArithmetic(scanner)) return readArithmetic(scanner);
  if (!enter()) return giveUp("nested too deeply");
  const directory = enterDirectory();
  parseList(scanner, UNTIL_PAREN, pipeline.fetched);
  leaveDirectory(directory);
  leave();
  if (scanner.peek() === CLOSE_PAREN) scanner.pos++;
  else giveUp("a parenthesis is not closed");
}

/** `{ …; }`; the brace has been taken. */
export function parseBraces(scanner: Scanner, pipeline: Pipeline): void {
  if (!enter()) return giveUp("nested too deeply");
  parseList(scanner, UNTIL_BRACE, pipeline.fetched);
  scanner.closed = false;
  leave();
}

/** `name() …`, once the name has been read; false when these parentheses are something else. */
export function parseFunction(scanner: Scanner, name: string, until: i32): bool {
  const start = scanner.pos;
  scanner.pos++;
  scanner.skipBlanks();
  if (scanner.peek() !== CLOSE_PAREN) {
    scanner.pos = start;
    return false;
  }
  scanner.pos++;
  parseBody(scanner, name, until);
  return true;
}

/** `function name …`, once the keyword has been read. */
export function parseNamedFunction(scanner: Scanner, name: string, until: i32): void {
  scanner.skipBlanks();
  if (scanner.peek() !== OPEN_PAREN || !parseFunction(scanner, name, until)) parseBody(scanner, name, until);
}

function parseBody(scanner: Scanner, name: string, until: i32): void {
  if (!enter()) return giveUp("nested too deeply");
  const outer = defining;
  defining = name;
  skipLines(scanner);
  parseCommand(scanner, until, new Pipeline());
  defining = outer;
  leave();
}
