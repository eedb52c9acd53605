import type { ShellReader } from "./reader.ts";
import type { Scanner } from "./scanner.ts";

const WORK_PER_PARENTHESIS = 200;

/**
 * Whether a second `(` follows an opening parenthesis and both close together. If not, the text is a group inside of a
 * group. Records a doubt if the answer depends on quotes around parentheses.
 */
export function isArithmetic(reader: ShellReader, scanner: Scanner): boolean {
  if (scanner.text[scanner.at] !== "(") return false;
  const plain = closesTwice(reader, scanner, /\\[\s\S]|[()]/g);
  if (plain && closesTwice(reader, scanner, /\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|[()]/g) !== plain) {
    reader.readDifferently("parentheses that may be arithmetic or commands", scanner.text.slice(scanner.at));
  }
  return plain;
}

function closesTwice(reader: ShellReader, { text, at }: Scanner, signs: RegExp): boolean {
  signs.lastIndex = at;
  let open = 0;
  for (let found = signs.exec(text); found !== null; found = signs.exec(text)) {
    reader.spend(WORK_PER_PARENTHESIS);
    if (found[0] === "(") open += 1;
    else if (found[0] === ")" && --open === 0) return text[signs.lastIndex] === ")";
  }
  reader.spend((text.length - at) * 5);
  return false;
}
