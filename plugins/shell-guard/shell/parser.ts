// Walks a shell text command by command. It is more tolerant than a shell: it has to find every command that may run,
// not to refuse what would not. Only where it cannot be sure what the text says does it give up.

import { AMPERSAND, CLOSE_PAREN, END, GREATER, HASH, LESS, NEWLINE, OPEN_PAREN, PIPE, SEMICOLON } from "../chars";
import { enterDirectory, leaveDirectory } from "../paths/directory";
import { countDownloads } from "../rules/effects";
import { judge } from "../rules/judge";
import { deny, giveUp } from "../verdict";
import { Command, Pipeline } from "./command";
import { definedFunction, parseFunction, parseParentheses } from "./groups";
import { readBodies } from "./heredoc";
import { isKeyword, parseKeyword } from "./keywords";
import { readWord } from "./read-word";
import { atRedirection, readRedirection } from "./redirection";
import { enter, leave, Scanner } from "./scanner";
import { readArray } from "./variables";

export const UNTIL_END: i32 = 0;
export const UNTIL_PAREN: i32 = 1;
export const UNTIL_BRACE: i32 = 2;
export const UNTIL_ESAC: i32 = 3;

/** Judges a text that a shell will run: `sh -c`, `eval`, a here-document for a shell. */
export function runScript(text: string): void {
  if (!enter()) return giveUp("nested too deeply");
  const directory = enterDirectory();
  parseList(new Scanner(text), UNTIL_END, false);
  leaveDirectory(directory);
  leave();
}

/**
 * Reads commands to the end of the text or of the group. A parenthesis or `;;` that ends it is left for the caller; a
 * keyword is taken and shows as `closed`. `fetched` says that what the group reads comes from the network.
 */
export function parseList(scanner: Scanner, until: i32, fetched: bool): void {
  while (true) {
    skipLines(scanner);
    const unit = scanner.peek();
    if (unit === END) return;
    if (unit === CLOSE_PAREN) {
      if (until === UNTIL_END) giveUp("a closing parenthesis without an opening one");
      return;
    }
    if (unit === SEMICOLON && until === UNTIL_ESAC && (scanner.peek(1) === SEMICOLON || scanner.peek(1) === AMPERSAND))
      return;
    if (endsCommand(unit) && !atRedirection(scanner, unit)) scanner.pos++;
    else parsePipeline(scanner, until, fetched);
    if (scanner.closed) return;
  }
}

/** Skips to the next word or operator; after each newline the here-documents of the line before are taken out. */
export function skipLines(scanner: Scanner): void {
  while (true) {
    scanner.skipBlanks();
    const unit = scanner.peek();
    if (unit === HASH) skipComment(scanner);
    else if (unit === NEWLINE) {
      scanner.pos++;
      readBodies(scanner);
    } else return;
  }
}

function skipComment(scanner: Scanner): void {
  while (scanner.peek() !== NEWLINE && scanner.peek() !== END) scanner.pos++;
}

function parsePipeline(scanner: Scanner, until: i32, fetched: bool): void {
  const pipeline = new Pipeline();
  pipeline.fetched = fetched;
  while (true) {
    const downloads = countDownloads();
    parseCommand(scanner, until, pipeline);
    if (scanner.closed) return;
    if (countDownloads() !== downloads) pipeline.fetched = true;
    if (scanner.peek() !== PIPE || scanner.peek(1) === PIPE) break;
    scanner.pos += scanner.peek(1) === AMPERSAND ? 2 : 1;
    skipLines(scanner);
  }
  const inBackground = scanner.peek() === AMPERSAND && scanner.peek(1) !== AMPERSAND;
  if (pipeline.selfCalls > 1 || (pipeline.selfCalls > 0 && inBackground)) {
    deny("fork bomb: a function that starts copies of itself without end");
  }
}

export function parseCommand(scanner: Scanner, until: i32, pipeline: Pipeline): void {
  const command = new Command();
  const words = command.words;
  while (true) {
    scanner.skipBlanks();
    const unit = scanner.peek();
    if (atRedirection(scanner, unit)) readRedirection(scanner, command);
    else if (unit === HASH) skipComment(scanner);
    else if (unit === OPEN_PAREN) {
      if (words.length === 1 && parseFunction(scanner, words[0], until)) return;
      parseParentheses(scanner, pipeline);
    } else if (endsCommand(unit)) break;
    else {
      const before = words.length;
      const plain = readWord(scanner, words);
      if (words.length === before + 1 && readArray(scanner, words)) continue;
      if (plain && words.length === before + 1 && isDescriptor(scanner, words[before])) words.pop();
      else if (plain && words.length === 1 && isKeyword(words[0])) {
        parseKeyword(scanner, words.pop(), until, pipeline);
        if (scanner.closed) return;
      }
    }
  }
  command.mustWork = scanner.peek() === AMPERSAND && scanner.peek(1) === AMPERSAND;
  judge(command, pipeline);
  if (words.length > 0 && words[0].length > 0 && words[0] === definedFunction()) pipeline.selfCalls++;
}

function endsCommand(unit: i32): bool {
  switch (unit) {
    case END:
    case NEWLINE:
    case SEMICOLON:
    case AMPERSAND:
    case PIPE:
    case CLOSE_PAREN:
      return true;
    default:
      return false;
  }
}

/** The `2` of `2>file`. */
function isDescriptor(scanner: Scanner, word: string): bool {
  const next = scanner.peek();
  if (next !== LESS && next !== GREATER) return false;
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  return true;
}
