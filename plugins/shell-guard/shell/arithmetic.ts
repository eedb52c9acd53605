// `((…))` is arithmetic, where `<<`, `|` and `#` mean something else. Only expansions inside can run anything.

import { BACKSLASH, BACKTICK, CLOSE_PAREN, DOLLAR, END, OPEN_PAREN } from "../chars";
import { giveUp } from "../verdict";
import { readBackticks, readDollar } from "./expansions";
import { enter, leave, Scanner } from "./scanner";
import { Word } from "./word";

/** Behind one `(`: does a second one follow, and do both close together? If not it is a group inside of a group. */
export function isArithmetic(scanner: Scanner): bool {
  if (scanner.peek() !== OPEN_PAREN) return false;
  const text = scanner.text;
  let open = 0;
  for (let at = scanner.pos; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) at++;
    else if (unit === OPEN_PAREN) open++;
    else if (unit === CLOSE_PAREN && --open === 0) return text.charCodeAt(at + 1) === CLOSE_PAREN;
  }
  return false;
}

/** Reads up to and with both closing parentheses; the first opening one has been taken. */
export function readArithmetic(scanner: Scanner): void {
  if (!enter()) return giveUp("nested too deeply");
  const ignored = new Word([]);
  let open = 1;
  while (open > 0) {
    const unit = scanner.peek();
    if (unit === END) {
      giveUp("arithmetic is not closed");
      break;
    }
    scanner.pos++;
    if (unit === OPEN_PAREN) open++;
    else if (unit === CLOSE_PAREN) open--;
    else if (unit === BACKSLASH) scanner.pos++;
    else if (unit === DOLLAR) readDollar(scanner, ignored, true);
    else if (unit === BACKTICK) readBackticks(scanner, ignored, true);
  }
  ignored.finish();
  leave();
}
