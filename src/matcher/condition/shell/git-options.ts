import { HOLE } from "../star-pattern.ts";
import type { SpelledWord } from "./spelled-word.ts";
import { lowerNameOf } from "./wrappers.ts";

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
 * `git -C folder push` is a `git push`: the words without the options before git's own command. `undefined` where there
 * are none, or where it cannot be told which word is the command.
 */
export function withoutGitOptions(words: readonly SpelledWord[]): readonly SpelledWord[] | undefined {
  const [name, ...rest] = words;
  if (name === undefined || lowerNameOf(name) !== "git") return undefined;
  let at = 0;
  for (let word = rest[at]; word?.text.startsWith("-") && !word.text.includes(HOLE); word = rest[at]) {
    at += VALUED.includes(word.text) ? 2 : 1;
  }
  return at === 0 || at >= rest.length ? undefined : [name, ...rest.slice(at)];
}
