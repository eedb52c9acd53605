import { CLOSE_BRACE } from "../chars";
import { cut, mark, push, spend } from "../text";
import { findUnit } from "../units";
import { giveUp, stopped } from "../verdict";
import { BRACE, CHOICE, spelling } from "./marks";

const MAX_GROUPS: i32 = 8;
const MAX_WORDS: i32 = 512;

/** `a{b,c}` is two words. `{}`, `{x}` and an open brace that nobody closes are text. */
export function expandBraces(text: string, hasChoices: bool, out: Array<string>): void {
  const open = findUnit(text, BRACE, 0);
  if (open < 0) {
    out.push(text);
    return;
  }
  if (!hasChoices) {
    out.push(withoutBraces(text));
    return;
  }
  let groups = 0;
  for (let i = open; i < text.length; i++) if (text.charCodeAt(i) === BRACE) groups++;
  if (groups > MAX_GROUPS) return giveUp("too many brace expansions");
  expandFrom(text, open, out, out.length + MAX_WORDS);
}

function expandFrom(text: string, from: i32, out: Array<string>, limit: i32): void {
  const open = findUnit(text, BRACE, from);
  if (open < 0) {
    if (out.length < limit) out.push(withoutBraces(text));
    else giveUp("too many brace expansions");
    return;
  }
  const close = closingBrace(text, open);
  const choices = close < 0 ? 0 : countChoices(text, open, close);
  if (choices === 0) return expandFrom(text, open + 1, out, limit);
  let start = open + 1;
  for (let i = 0; i <= choices && !stopped(); i++) {
    const end = endOfChoice(text, start, close);
    expandFrom(text.slice(0, open) + text.slice(start, end) + text.slice(close + 1), open, out, limit);
    spend(text.length);
    start = end + 1;
  }
}

function closingBrace(text: string, open: i32): i32 {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BRACE) depth++;
    else if (unit === CLOSE_BRACE && --depth === 0) return i;
  }
  return -1;
}

function countChoices(text: string, open: i32, close: i32): i32 {
  let choices = 0;
  for (let at = endOfChoice(text, open + 1, close); at < close; at = endOfChoice(text, at + 1, close)) choices++;
  return choices;
}

/** The next comma of this very group, or its closing brace. */
function endOfChoice(text: string, start: i32, close: i32): i32 {
  let depth = 0;
  for (let i = start; i < close; i++) {
    const unit = text.charCodeAt(i);
    if (unit === BRACE) depth++;
    else if (unit === CLOSE_BRACE) depth--;
    else if (unit === CHOICE && depth === 0) return i;
  }
  return close;
}

function withoutBraces(text: string): string {
  const start = mark();
  for (let i = 0; i < text.length; i++) push(spelledBrace(text.charCodeAt(i)));
  return cut(start);
}

function spelledBrace(unit: i32): i32 {
  return unit === BRACE || unit === CHOICE ? spelling(unit) : unit;
}
