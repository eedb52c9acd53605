import {
  ASTERISK,
  AT,
  BANG,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  DASH,
  DOUBLE_QUOTE,
  END,
  EQUALS,
  HASH,
  isNameStart,
  OPEN_BRACKET,
  PLUS,
  QUESTION,
  SINGLE_QUOTE,
} from "../chars";
import { giveUp } from "../verdict";
import { isSpecialParameter, readName } from "./expansions";
import { UNKNOWN } from "./marks";
import { readDouble, readQuotedUnit, readSingle } from "./quotes";
import { enter, leave, Scanner } from "./scanner";
import { addVariable, isKnown } from "./variables";
import { Word } from "./word";
import { same } from "../units";

/** Reads `${…}`; the opening brace has been taken. */
export function readParameter(scanner: Scanner, word: Word, quoted: bool): void {
  word.plain = false;
  const first = scanner.peek();
  const indirect = first === BANG || (first === HASH && scanner.peek(1) !== CLOSE_BRACE);
  if (indirect) scanner.pos++;
  let name = "";
  if (isNameStart(scanner.peek())) name = readName(scanner);
  else if (isSpecialParameter(scanner.peek())) scanner.pos++;
  if (isWholeArray(scanner)) scanner.pos += 3;

  const operator = scanner.peek() === COLON ? scanner.peek(1) : scanner.peek();
  const operand = readOperand(scanner, quoted);
  if (indirect) {
    word.add(UNKNOWN);
  } else if (operator === DASH || operator === EQUALS || operator === PLUS) {
    // The default is the one value in sight.
    if (isKnown(name) && operator !== PLUS) addVariable(word, name, quoted);
    else word.addValue(operand, quoted);
  } else if (operator === CLOSE_BRACE || operator === QUESTION || same(operand, "%/")) {
    addVariable(word, name, quoted);
  } else {
    word.add(UNKNOWN);
  }
}

function isWholeArray(scanner: Scanner): bool {
  if (scanner.peek() !== OPEN_BRACKET || scanner.peek(2) !== CLOSE_BRACKET) return false;
  return scanner.peek(1) === AT || scanner.peek(1) === ASTERISK;
}

/** Reads to the closing brace and gives what follows the operator; a text with `%` is given with its operator. */
function readOperand(scanner: Scanner, quoted: bool): string {
  if (!enter()) {
    giveUp("nested too deeply");
    return "";
  }
  if (scanner.peek() === COLON) scanner.pos++;
  const operator = scanner.peek();
  if (operator === DASH || operator === EQUALS || operator === PLUS || operator === QUESTION) scanner.pos++;
  const found = new Array<string>();
  const operand = new Word(found);
  while (true) {
    const unit = scanner.peek();
    if (unit === END) {
      giveUp("a parameter expansion is not closed");
      break;
    }
    scanner.pos++;
    if (unit === CLOSE_BRACE) break;
    if (unit === SINGLE_QUOTE && !quoted) readSingle(scanner, operand);
    else if (unit === DOUBLE_QUOTE) readDouble(scanner, operand);
    else readQuotedUnit(scanner, operand, unit);
  }
  operand.finish();
  leave();
  return found.length > 0 ? found[0] : "";
}
