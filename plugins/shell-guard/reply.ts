import { BACKSLASH, DOUBLE_QUOTE, REPLACEMENT, SPACE } from "./chars";
import { writeOutput } from "./host";
import { cut, mark, push, pushText, pushUnits } from "./text";
import { addressOf, unitAt } from "./units";
import { decisionName, hasVerdict, verdictReason } from "./verdict";

const HEX: string = "0123456789abcdef";

export function reply(eventName: string): void {
  if (!hasVerdict()) {
    writeOutput("{}");
    return;
  }
  const start = mark();
  pushText('{"hookSpecificOutput":{"hookEventName":"');
  pushEscaped(eventName);
  pushText('","permissionDecision":"');
  pushText(decisionName());
  pushText('","permissionDecisionReason":"');
  pushEscaped(verdictReason());
  pushText('"}}');
  writeOutput(cut(start));
}

/** Pure ASCII, so neither a lone surrogate nor a control character in a command can spoil the answer. */
function pushEscaped(text: string): void {
  const size = text.length;
  let at = 0;
  while (true) {
    const start = at;
    while (at < size && isOrdinary(unitAt(text, at))) at++;
    pushUnits(addressOf(text) + ((<usize>start) << 1), at - start);
    if (at === size) return;
    pushEscape(text, at++);
  }
}

// @ts-ignore: decorator
@inline
function isOrdinary(unit: i32): bool {
  return unit >= SPACE && unit < 0x7f && unit !== DOUBLE_QUOTE && unit !== BACKSLASH;
}

function pushEscape(text: string, at: i32): void {
  let unit = unitAt(text, at);
  push(BACKSLASH);
  if (unit === DOUBLE_QUOTE || unit === BACKSLASH) return push(unit);
  if (isLoneSurrogate(text, at)) unit = REPLACEMENT;
  push(0x75);
  for (let shift = 12; shift >= 0; shift -= 4) push(HEX.charCodeAt((unit >> shift) & 15));
}

function isLoneSurrogate(text: string, at: i32): bool {
  const unit = text.charCodeAt(at) & 0xfc00;
  if (unit === 0xd800) return (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00;
  return unit === 0xdc00 && (at === 0 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800);
}
