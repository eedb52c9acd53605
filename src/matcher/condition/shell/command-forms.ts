import { HOLE, OPTIONAL } from "../../../star-pattern.ts";
import { withoutGitOptions } from "./git-options.ts";
import { spell } from "./spelled-word.ts";

/** A simple command and the commands that it wraps, in the spellings that a pattern is matched against. */
export interface ReadCommand {
  /** The command as the user wrote it. */
  readonly shown: string;
  readonly forms: readonly string[];
  /** Whether the command contains variables or command substitutions. */
  readonly expands: boolean;
}

/** Returns the spellings of a command for pattern matching. `takesMore` means that unknown words follow. */
export function formsOf(words: readonly string[], takesMore: boolean): readonly string[] {
  const bare = withoutGitOptions(words);
  const forms = spellingsOf(words, takesMore);
  return bare === undefined ? forms : [...forms, ...spellingsOf(bare, takesMore)];
}

/** Returns the command with single spaces, without quotes; also without the folder of the command's name. */
function spellingsOf([name = "", ...others]: readonly string[], takesMore: boolean): string[] {
  // A space inside a command's name is replaced, because a pattern's separator must not match this space.
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
