import { isOpen } from "../../../shell/marks.ts";
import { programName } from "../../../shell/programs.ts";

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
export function withoutGitOptions(words: readonly string[]): readonly string[] | undefined {
  const [name, ...rest] = words;
  if (name === undefined || programName(name) !== "git") return undefined;
  let at = 0;
  for (let word = rest[at]; word?.startsWith("-") && !isOpen(word); word = rest[at]) {
    at += VALUED.includes(word) ? 2 : 1;
  }
  return at === 0 || at >= rest.length ? undefined : [name, ...rest.slice(at)];
}
