// The variables that the text itself sets, so that `d=/etc; rm -rf $d` is seen for what it is. All others are unknown.

import { CLOSE_PAREN, END, EQUALS, isNameStart, isNameUnit, OPEN_PAREN, PLUS } from "../chars";
import { spend } from "../text";
import { giveUp } from "../verdict";
import { HERE, HOME, SET, UNKNOWN } from "./marks";
import { skipLines } from "./parser";
import { endsWord, readWord } from "./read-word";
import { Scanner } from "./scanner";
import { Word } from "./word";
import { same } from "../units";

// More than a command line has by far, and few enough to look through for every `$`.
const MAX_VARIABLES: i32 = 64;

// Most texts set none: they share these, to which nothing may be added.
const NO_NAMES: Array<string> = [];
const NO_VALUES: Array<Array<string>> = [];

let names: Array<string> = changetype<Array<string>>(0);
let values: Array<Array<string>> = changetype<Array<Array<string>>>(0);

export function forgetVariables(): void {
  names = NO_NAMES;
  values = NO_VALUES;
}

/** A list is what a `for` loop or an array holds: the text is then judged as if it ran for all of them at once. */
export function assign(name: string, list: Array<string>): void {
  const at = names.indexOf(name);
  if (at >= 0) values[at] = list;
  else if (names.length < MAX_VARIABLES) {
    if (names === NO_NAMES) {
      names = [];
      values = [];
    }
    names.push(name);
    values.push(list);
  }
}

export function isKnown(name: string): bool {
  return isBuiltIn(name) || names.includes(name);
}

export function addVariable(word: Word, name: string, quoted: bool): void {
  word.plain = false;
  // An assignment to HOME may not even run, so it never makes home a harmless place.
  if (same(name, "HOME")) return word.add(HOME);
  if (same(name, "PWD")) return word.add(HERE);
  if (same(name, "IFS") && !quoted) return word.split();
  const at = names.indexOf(name);
  if (at < 0) return word.add(UNKNOWN);
  const list = values[at];
  for (let i = 0; i < list.length; i++) {
    if (i > 0) word.split();
    spend(1);
    word.addValue(list[i], quoted);
  }
}

/** `NAME=(…)`, once the word has been read; false when it is something else. */
export function readArray(scanner: Scanner, words: Array<string>): bool {
  const word = words[words.length - 1];
  if (scanner.peek() !== OPEN_PAREN || !word.endsWith("=") || assignmentValue(word) !== word.length) return false;
  words.pop();
  scanner.pos++;
  const list = new Array<string>();
  while (true) {
    skipLines(scanner);
    const unit = scanner.peek();
    if (unit === END) {
      giveUp("an array is not closed");
      return true;
    }
    if (unit !== CLOSE_PAREN && !endsWord(unit)) readWord(scanner, list);
    else scanner.pos++;
    if (unit === CLOSE_PAREN) break;
  }
  assign(variableName(word), list);
  return true;
}

/** The name of an assignment. */
export function variableName(word: string): string {
  let at = 0;
  while (isNameUnit(word.charCodeAt(at))) at++;
  return word.slice(0, at);
}

/** `NAME=…`, `NAME+=…` and `NAME[…]=…`: the place of the value, or 0. */
export function assignmentValue(word: string): i32 {
  if (!isNameStart(word.charCodeAt(0))) return 0;
  let at = 1;
  while (isNameUnit(word.charCodeAt(at))) at++;
  if (word.charCodeAt(at) === SET) at = word.indexOf("]", at) + 1;
  if (word.charCodeAt(at) === PLUS) at++;
  return word.charCodeAt(at) === EQUALS ? at + 1 : 0;
}

function isBuiltIn(name: string): bool {
  return same(name, "HOME") || same(name, "PWD") || same(name, "IFS");
}
