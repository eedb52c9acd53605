// Text that a shell runs later, because it evaluates the value of a variable.

const COMMAND = /\$[({]|`|\$$/;
/** Their values are run, or name the file that is run. */
const RUN = /^(?:PROMPT_COMMAND|PS[0-4]|BASH_FUNC_[^=]*|BASH_ALIASES[^=]*|BASH_CMDS[^=]*)\+?=/;
const FILE = /^(?:BASH_ENV|ENV)=/;

/** Whether a literal text has a command substitution in it. */
export function holdsCommand(text: string): boolean {
  return COMMAND.test(text);
}

/** The same where arithmetic would run it: in the index of an array. */
export function holdsIndex(text: string): boolean {
  const index = text.indexOf("[");
  return index >= 0 && /\$[({]|`/.test(text.slice(index));
}

/** Whether an assignment, also one among the arguments of `env` or `export`, is to a variable that a shell runs. */
export function runsItself(word: string, raw: string): boolean {
  if (RUN.test(word)) return !/^PS[0-4]/.test(word) || COMMAND.test(word);
  return FILE.test(word) && (raw.includes("<(") || /=\/(?:dev|proc)\//.test(word));
}
