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
 * Removes the options before git's subcommand: `git -C folder push` becomes `git push`. Returns `undefined` if there
 * are no options, or if the subcommand cannot be determined.
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
