/** Text from a hook that a model, a terminal or a log will read. */

/** Claude Code's limit for each text field of each hook, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 10_000;

// C0 and C1 control characters except tab and newline (terminal escapes, forged log lines), bidirectional marks that
// change the reading order, and invisible characters that only models see.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Removes control, bidirectional and invisible characters. Cuts at `maxLength` and names the missing number. */
export function cleanText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  // The fast path, because `cleanText` runs for every text of every verdict and most texts are plain ASCII.
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cleaned = text.replace(/\r\n?/g, "\n").replace(UNSAFE, "");
  if (cleaned.length <= maxLength) return cleaned;
  // A cut between the halves of a surrogate pair is avoided.
  const end = /[\ud800-\udbff]/.test(cleaned.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${cleaned.slice(0, end)}… [${cleaned.length - end} more characters]`;
}

/**
 * Shows a text on one line with nothing hidden, for a user who approves exactly this text: line breaks, control,
 * bidirectional and invisible characters are escaped, also letters of other scripts in a word with Latin letters.
 */
export function visibleText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .replace(UNSAFE, escaped)
    .replace(/[^\S ]|\p{Zs}(?<! )/gu, escaped)
    .replace(/\S+/g, (word) =>
      /[a-z]/i.test(word) ? word.replace(/(?![\u00c0-\u017f])[^\x00-\x7f]/gu, escaped) : word,
    );
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Like {@link cleanText}, on one line, for reasons and logs. */
export function cleanLine(text: string, maxLength?: number): string {
  return cleanText(text.replace(/\s+/g, " ").trim(), maxLength);
}
