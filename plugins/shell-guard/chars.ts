export const END: i32 = -1;
export const TAB: i32 = 0x09;
export const NEWLINE: i32 = 0x0a;
export const RETURN: i32 = 0x0d;
export const SPACE: i32 = 0x20;
export const BANG: i32 = 0x21;
export const DOUBLE_QUOTE: i32 = 0x22;
export const HASH: i32 = 0x23;
export const DOLLAR: i32 = 0x24;
export const AMPERSAND: i32 = 0x26;
export const SINGLE_QUOTE: i32 = 0x27;
export const OPEN_PAREN: i32 = 0x28;
export const CLOSE_PAREN: i32 = 0x29;
export const ASTERISK: i32 = 0x2a;
export const PLUS: i32 = 0x2b;
export const COMMA: i32 = 0x2c;
export const DASH: i32 = 0x2d;
export const DOT: i32 = 0x2e;
export const SLASH: i32 = 0x2f;
export const COLON: i32 = 0x3a;
export const SEMICOLON: i32 = 0x3b;
export const LESS: i32 = 0x3c;
export const EQUALS: i32 = 0x3d;
export const GREATER: i32 = 0x3e;
export const QUESTION: i32 = 0x3f;
export const AT: i32 = 0x40;
export const OPEN_BRACKET: i32 = 0x5b;
export const BACKSLASH: i32 = 0x5c;
export const CLOSE_BRACKET: i32 = 0x5d;
export const UNDERSCORE: i32 = 0x5f;
export const BACKTICK: i32 = 0x60;
export const OPEN_BRACE: i32 = 0x7b;
export const PIPE: i32 = 0x7c;
export const CLOSE_BRACE: i32 = 0x7d;
export const TILDE: i32 = 0x7e;
export const REPLACEMENT: i32 = 0xfffd;

export function isDigit(unit: i32): bool {
  return <u32>(unit - 0x30) < 10;
}

export function isLetter(unit: i32): bool {
  return <u32>((unit | 0x20) - 0x61) < 26;
}

export function isNameStart(unit: i32): bool {
  return isLetter(unit) || unit === UNDERSCORE;
}

export function isNameUnit(unit: i32): bool {
  return isNameStart(unit) || isDigit(unit);
}

export function isBlank(unit: i32): bool {
  return unit === SPACE || unit === TAB || unit === RETURN;
}

/** The value of a hexadecimal digit, or -1. */
export function hexValue(unit: i32): i32 {
  if (isDigit(unit)) return unit - 0x30;
  const letter = (unit | 0x20) - 0x61;
  return <u32>letter < 6 ? letter + 10 : -1;
}
