import { BACKSLASH, DOUBLE_QUOTE, REPLACEMENT, SPACE } from "./chars";
import { writeOutput } from "./host";
import { cut, mark, push, pushText } from "./text";
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
  for (let i = 0; i < text.length; i++) {
    let unit = text.charCodeAt(i);
    if (unit === DOUBLE_QUOTE || unit === BACKSLASH) push(BACKSLASH);
    if (unit >= SPACE && unit < 0x7f) {
      push(unit);
      continue;
    }
    if (isLoneSurrogate(text, i)) unit = REPLACEMENT;
    push(BACKSLASH);
    push(0x75);
    for (let shift = 12; shift >= 0; shift -= 4) push(HEX.charCodeAt((unit >> shift) & 15));
  }
}

function isLoneSurrogate(text: string, at: i32): bool {
  const unit = text.charCodeAt(at) & 0xfc00;
  if (unit === 0xd800) return (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00;
  return unit === 0xdc00 && (at === 0 || (text.charCodeAt(at - 1) & 0xfc00) !== 0xd800);
}
