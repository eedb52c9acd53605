import type { Random } from "../helpers/random.ts";

/** Bytes that are close to a decision: a well-formed one, changed in ways about which parsers differ. */

const WORDS = [
  "allow",
  "approve",
  "deny",
  "block",
  "ask",
  "defer",
  "ALLOW",
  "Allow",
  "allow ",
  " allow",
  "allow\u0000",
  "alłow",
  "",
  "yes",
  "true",
  "permit",
  "аllow",
  "allow\u200b",
]; // prettier-ignore
const KEYS = [
  "decision",
  "permissionDecision",
  "permissionDecisionReason",
  "hookEventName",
  "hookSpecificOutput",
  "reason",
  "continue",
  "stopReason",
  "systemMessage",
  "suppressOutput",
  "additionalContext",
  "updatedInput",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "Decision",
  "permissiondecision",
  "decision ",
  "",
  "behavior",
  "terminalSequence",
]; // prettier-ignore
const ODD_VALUES = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "1e999",
  "-1e-999",
  "9007199254740993",
  "1.0000000000000000000001",
  "[]",
  "{}",
  '["allow"]',
  '{"behavior":"allow"}',
  '{"behavior":"deny"}',
  '{"valueOf":"allow"}',
  '"\\u0061llow"',
  '"\\ud800"',
  "NaN",
  "Infinity",
  "01",
  "+1",
  "1.",
  ".5",
  "0x10",
  "'allow'",
  "allow",
  "undefined",
  '"\t"',
  "[1,]",
  "{,}",
  '{"a":1,}',
]; // prettier-ignore
const JUNK = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "//x\n",
  "/*x*/",
  "\u0000",
  "\ufeff",
  "\u2028",
  "\u00a0",
  "\f",
  "\v",
  "'",
  "\\u",
  "\\x61",
  "#",
  ";",
  "{}",
  "null",
  '{"decision":"approve"}',
  "\n",
  "\u001e",
]; // prettier-ignore
const BAD_BYTES = [
  [0xff],
  [0xfe, 0xff],
  [0xc0, 0xa2],
  [0xe0, 0x80, 0xa2],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0x80],
  [0xc3],
  [0xef, 0xbb, 0xbf],
  [0xf4, 0x90, 0x80, 0x80],
  [0xef, 0xbf, 0xbd],
  [0],
]; // prettier-ignore

class Writer {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** A string, some characters of which may be escaped. */
  #string(text: string): string {
    if (!this.#random.chance(5)) return JSON.stringify(text);
    const units = Array.from({ length: text.length }, (_, at) => {
      const hex = text.charCodeAt(at).toString(16).padStart(4, "0");
      return this.#random.chance(3)
        ? `\\u${this.#random.chance(2) ? hex : hex.toUpperCase()}`
        : JSON.stringify(text.charAt(at)).slice(1, -1);
    });
    return `"${units.join("")}"`;
  }

  #word(): string {
    return this.#random.chance(6)
      ? this.#random.pick(ODD_VALUES)
      : this.#string(this.#random.pick(this.#random.chance(3) ? WORDS : WORDS.slice(0, 6)));
  }

  #value(key: string): string {
    const random = this.#random;
    if (random.chance(12)) return random.pick(ODD_VALUES);
    if (key === "decision" || key === "permissionDecision") return this.#word();
    if (key === "hookEventName") return this.#string(random.chance(8) ? "PostToolUse" : "PreToolUse");
    if (key === "hookSpecificOutput") return this.#specific();
    if (key === "continue" || key === "suppressOutput") return random.pick(["true", "false"]);
    if (key === "updatedInput" || key === "__proto__") return `{${this.#entry("decision")},${this.#entry("command")}}`;
    return this.#string(random.pick(["because", "", "\u202e", "😀", "a\nb"]));
  }

  #entry(key: string): string {
    const gap = this.#random.chance(9) ? this.#random.pick([" ", "\n", "\t\r"]) : "";
    return `${gap}${this.#string(key)}${gap}:${gap}${this.#value(key)}${gap}`;
  }

  #object(keys: readonly string[]): string {
    const extra = this.#random.chance(4) ? [this.#random.pick(KEYS)] : [];
    const twice = this.#random.chance(6) && keys.length > 0 ? [this.#random.pick(keys)] : [];
    return `{${this.#random
      .shuffled([...keys, ...extra, ...twice])
      .map((key) => this.#entry(key))
      .join(",")}}`;
  }

  #specific(): string {
    const keys = ["hookEventName", "permissionDecision"];
    if (this.#random.chance(2)) keys.push("permissionDecisionReason");
    if (this.#random.chance(12)) keys.push("decision");
    return this.#object(keys);
  }

  whole(): string {
    const random = this.#random;
    switch (random.below(8)) {
      case 0:
        return this.#object(["decision", "reason"]);
      case 1:
        return this.#object(["decision", "hookSpecificOutput"]);
      case 2: {
        const levels = 28 + random.below(8);
        const [open, close] = random.pick([
          ["[", "]"],
          ['{"a":', "}"],
        ] as const);
        return `{"hookSpecificOutput":${this.#specific()},"reason":${open.repeat(levels)}0${close.repeat(levels)}}`;
      }
      default:
        return this.#object(["hookSpecificOutput"]);
    }
  }
}

export function nearDecision(random: Random): Uint8Array {
  let text = new Writer(random).whole();
  const damages = random.pick([0, 0, 0, 1, 1, 2]);
  for (let damage = 0; damage < damages; damage += 1) {
    const at = random.below(text.length + 1);
    const removed = random.pick([0, 0, 1, 3]);
    text = text.slice(0, at) + (random.chance(3) ? "" : random.pick(JUNK)) + text.slice(at + removed);
    if (random.chance(8)) text = text.slice(0, random.below(text.length + 1));
  }
  const bytes = [...new TextEncoder().encode(text)];
  if (random.chance(8)) bytes.splice(random.below(bytes.length + 1), random.below(2), ...random.pick(BAD_BYTES));
  if (random.chance(30) && bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
  return Uint8Array.from(bytes);
}
