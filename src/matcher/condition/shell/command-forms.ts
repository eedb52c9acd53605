import { isOpen } from "../../../shell/marks.ts";
import { programName } from "../../../shell/programs.ts";
import { HOLE, OPTIONAL } from "../../../star-pattern.ts";
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

const VALUED = [
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--config-env",
  "--super-prefix",
  "--attr-source",
];

/**
 * Removes the options before git's subcommand: `git -C folder push` becomes `git push`. Returns `undefined` if there
 * are no options, or if the subcommand cannot be determined.
 */
function withoutGitOptions(words: readonly string[]): readonly string[] | undefined {
  const [name, ...rest] = words;
  if (name === undefined || programName(name) !== "git") return undefined;
  let at = 0;
  for (let word = rest[at]; word?.startsWith("-") && !isOpen(word); word = rest[at]) {
    at += VALUED.includes(word) ? 2 : 1;
  }
  return at === 0 || at >= rest.length ? undefined : [name, ...rest.slice(at)];
}
