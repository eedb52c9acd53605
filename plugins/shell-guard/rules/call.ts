import { SLASH } from "../chars";
import { FETCHED, UNKNOWN } from "../shell/marks";
import { cut, mark, push, spend } from "../text";
import { findUnit, same, startsWith } from "../units";

/** A program and its arguments, with everything that only runs it (`sudo`, `env`, `xargs`) taken off. */
export class Call {
  /** More arguments come from the command's input. */
  takesInput: bool = false;

  constructor(
    public name: string,
    public args: Array<string>,
  ) {}

  /** Is an option given, long or short? A short one that is `valued` ends its cluster: the rest is its value. */
  has(long: string, short: i32, valued: string = ""): bool {
    for (let i = 0; i < this.args.length; i++) {
      const arg = this.args[i];
      if (same(arg, "--")) return false;
      if (isLong(arg, long) || hasFlag(arg, short, valued)) return true;
    }
    return false;
  }

  /** The arguments that are no options. */
  operands(): Array<string> {
    const found = new Array<string>();
    let options = true;
    for (let i = 0; i < this.args.length; i++) {
      const arg = this.args[i];
      if (options && same(arg, "--")) options = false;
      else if (!options || !startsWith(arg, "-") || arg.length === 1) found.push(arg);
    }
    return found;
  }
}

/** `--force`, and what GNU tools take for it: any beginning of it. */
export function isLong(arg: string, long: string): bool {
  return startsWith(arg, "--") && arg.length > 2 && long.startsWith(arg);
}

export function isCluster(arg: string): bool {
  return arg.length > 1 && startsWith(arg, "-") && !startsWith(arg, "--");
}

export function hasFlag(arg: string, short: i32, valued: string): bool {
  if (!isCluster(arg)) return false;
  for (let i = 1; i < arg.length; i++) {
    const unit = arg.charCodeAt(i);
    if (unit === short) return true;
    if (hasUnit(valued, unit)) return false;
  }
  return false;
}

export function hasUnit(text: string, unit: i32): bool {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === unit) return true;
  return false;
}

/** The name of the program: no directory, and no variables in it, which may well be empty. */
export function programName(word: string): string {
  if (word.length === 1 && word.charCodeAt(0) === FETCHED) return word;
  // Most are names already, and cost as much as if they were copied.
  if (findUnit(word, SLASH, 0) < 0 && findUnit(word, UNKNOWN, 0) < 0) {
    spend(word.length);
    return word;
  }
  const start = mark();
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    if (unit === SLASH) cut(start);
    else if (unit !== UNKNOWN) push(unit);
  }
  return cut(start);
}
