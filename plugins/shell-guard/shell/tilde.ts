import { COLON, DASH, EQUALS, PLUS, SLASH, TILDE } from "../chars";
import { cut, mark, push, pushText } from "../text";
import { HERE, HOME, UNKNOWN } from "./marks";
import { endsWord } from "./read-word";
import { Scanner } from "./scanner";
import { Word } from "./word";
import { same } from "../units";

/** Reads what follows an unquoted `~`. */
export function readTilde(scanner: Scanner, word: Word): void {
  if (word.isBegun() && !followsAssignment(scanner)) {
    word.add(TILDE);
    return;
  }
  const next = scanner.peek();
  if (next === SLASH || next === COLON || endsWord(next)) {
    word.add(HOME);
  } else if (next === PLUS) {
    scanner.pos++;
    word.add(HERE);
  } else if (next === DASH) {
    scanner.pos++;
    word.add(UNKNOWN);
  } else {
    // Somebody else's home. Its usual place is as good as its name: paths know that place.
    word.addValue(homeOf(readUser(scanner)), true);
  }
}

function followsAssignment(scanner: Scanner): bool {
  const before = scanner.text.charCodeAt(scanner.pos - 2);
  return before === EQUALS || before === COLON;
}

function readUser(scanner: Scanner): string {
  const start = mark();
  while (true) {
    const unit = scanner.peek();
    const isName = (unit >= 0x30 && unit <= 0x39) || <u32>((unit | 0x20) - 0x61) < 26;
    if (!isName && unit !== 0x2d && unit !== 0x2e && unit !== 0x5f) return cut(start);
    push(unit);
    scanner.pos++;
  }
}

function homeOf(user: string): string {
  if (same(user, "root")) return "/root";
  const start = mark();
  pushText("/home/");
  pushText(user);
  return cut(start);
}
