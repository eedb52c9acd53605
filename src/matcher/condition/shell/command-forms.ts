import { HOLE, OPTIONAL } from "../star-pattern.ts";
import { withoutGitOptions } from "./git-options.ts";
import { spell } from "./spelled-word.ts";

/** The spellings of one command that a pattern is held against; `takesMore` if it gets more words than these. */
export function formsOf(words: readonly string[], takesMore: boolean): readonly string[] {
  const bare = withoutGitOptions(words);
  const forms = spellingsOf(words, takesMore);
  return bare === undefined ? forms : [...forms, ...spellingsOf(bare, takesMore)];
}

/** Single spaces between words, quotes undone; and the same without the folder that the command is taken from. */
function spellingsOf([name = "", ...others]: readonly string[], takesMore: boolean): string[] {
  // A space in a command's name does not end it.
  const first = spell(name).text.replace(/\s/g, "\u0000");
  const words = others.map(spell);
  const rest = words.map((word) => (word.unknown ? `${OPTIONAL} ${HOLE}` : ` ${word.text}`)).join("");
  const more = takesMore ? `${OPTIONAL} ${HOLE}` : "";
  const short = baseName(first);
  return [...new Set([first, short, short.toLowerCase()])].map((one) => `${one}${rest}${more}`);
}

function baseName(text: string): string {
  const base = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1);
  return base.replace(/^=/, "").replace(/\.exe$/i, "");
}
