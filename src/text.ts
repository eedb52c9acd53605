/** Text that came from a hook and that a model, a terminal or a log will read. */

/** Claude Code's cap for each text field of each hook, in UTF-16 units. */
export const MAX_TEXT_LENGTH = 10_000;

// C0 and C1 controls but tab and newline (terminal escapes, forged log lines), the bidi marks that make a text read
// differently from what it says, and everything that takes no room on a screen, which only models see.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Without control and direction characters, and cut at `maxLength` with a mark that says how much is missing. */
export function cleanText(text: string, maxLength: number = MAX_TEXT_LENGTH): string {
  // Most texts are plain, and every decision has some.
  if (text.length <= maxLength && PLAIN.test(text)) return text;
  const cleaned = text.replace(/\r\n?/g, "\n").replace(UNSAFE, "");
  if (cleaned.length <= maxLength) return cleaned;
  // Never between the halves of a surrogate pair.
  const end = /[\ud800-\udbff]/.test(cleaned.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${cleaned.slice(0, end)}… [${cleaned.length - end} more characters]`;
}

/** The same on one line, for reasons and logs. */
export function cleanLine(text: string, maxLength?: number): string {
  return cleanText(text.replace(/\s+/g, " ").trim(), maxLength);
}
