// The notation of a rule, and whether a command matches it.
//
//   kubectl,oc delete !--dry-run        programs, words in this order, an option that makes the command harmless
//   docker volume rm|prune -f|--force   `|` separates alternatives; every group of options must occur
//   gcloud ** delete                    `**` is any number of words, `*` in a word any characters
//   psql ~drop table                    `~` starts a regular expression for the arguments, up to the end of the rule

/** Options that show help or only a plan, whatever the program. */
const HARMLESS = ["--help", "--dry-run", "--dryrun", "--what-if"];

/** Splits a rule at its first blank. */
export function splitPrograms(rule: string): readonly [programs: readonly string[], text: string] {
  const end = rule.indexOf(" ");
  return end < 0 ? [rule.split(","), ""] : [rule.slice(0, end).split(","), rule.slice(end + 1)];
}

/** A word of a command that is no option. */
interface Operand {
  readonly word: string;
  /** Whether the word may be the value of the option before it. */
  readonly isValue: boolean;
}

/** The arguments of a command, read once for all rules of its program. */
export class Arguments {
  readonly operands: Operand[] = [];
  readonly #args: readonly string[];
  /** Options whose value is the next word, each between blanks. */
  readonly #valued: string;
  /** Whether long options may be shortened. */
  readonly #abbreviates: boolean;

  #hasOptions = false;

  constructor(args: readonly string[], valued: string, abbreviates = false) {
    this.#args = args;
    this.#valued = valued;
    this.#abbreviates = abbreviates;
    let isValue = false;
    for (let at = 0; at < args.length; at++) {
      const word = args[at] ?? "";
      if (word === "--") {
        this.#hasOptions = true;
        for (const rest of args.slice(at + 1)) this.operands.push({ word: rest, isValue: false });
        break;
      }
      if (word[0] !== "-" || word === "-") {
        this.operands.push({ word, isValue });
        isValue = false;
        continue;
      }
      this.#hasOptions = true;
      if (valued.includes(` ${word} `)) {
        at += 1;
        isValue = false;
      } else isValue = !word.includes("=");
    }
  }

  match(text: string): boolean {
    const start = text[0] === "~" ? 0 : text.indexOf(" ~") + 1;
    if (!this.#hasOptions) {
      // Most commands of a rule with options fail here.
      const option = text[0] === "-" ? 0 : text.indexOf(" -");
      if (option >= 0 && (option < start || start === 0)) return false;
    }
    const hasPattern = start > 0 || text[0] === "~";
    const words = (hasPattern ? text.slice(0, start) : text).split(" ").filter((word) => word !== "");
    if (!this.#startsWith(words.filter((word) => word[0] !== "-" && word[0] !== "!"))) return false;
    for (const word of words) {
      if (word[0] === "-" && !word.split("|").some((option) => this.has(option))) return false;
      if (
        word[0] === "!" &&
        word
          .slice(1)
          .split("|")
          .some((option) => this.has(option))
      )
        return false;
    }
    if (hasPattern && !new RegExp(text.slice(start + 1), "i").test(this.#args.join(" "))) return false;
    return !HARMLESS.some((option) => this.has(option)) && !(this.operands.length === 0 && this.has("--version"));
  }

  #startsWith(verb: readonly string[]): boolean {
    let at = 0;
    let isAnywhere = false;
    for (const token of verb) {
      if (token === "**") {
        isAnywhere = true;
        continue;
      }
      for (; ; at++) {
        const operand = this.operands[at];
        if (operand === undefined) return false;
        if (fits(token, operand.word)) break;
        if (!isAnywhere && !operand.isValue) return false;
      }
      at += 1;
      isAnywhere = false;
    }
    return true;
  }

  /** Whether an option is given and not switched off. `-f` is also found in `-rf`. */
  has(option: string): boolean {
    const isShort = option.length === 2;
    for (const arg of this.#args) {
      if (arg[0] !== "-") continue;
      if (arg === "--") return false;
      if (isShort) {
        if (arg[1] !== "-" && this.#inCluster(arg, option.charAt(1))) return true;
        continue;
      }
      // `-destroy` and `--destroy` are the same option for many programs.
      const start = option[1] !== "-" && arg[1] === "-" ? 1 : 0;
      if (!arg.startsWith(option, start)) {
        if (this.#abbreviates && arg.length > 4 && arg !== "--force" && option.startsWith(arg)) return true;
        continue;
      }
      const rest = arg.slice(start + option.length);
      if (rest === "" || (rest[0] === "=" && !/^=(?:false|no|none)$/.test(rest))) return true;
    }
    return false;
  }

  #inCluster(arg: string, letter: string): boolean {
    for (let at = 1; at < arg.length; at++) {
      const char = arg.charAt(at);
      if (char === letter) return true;
      if (char === "=" || this.#valued.includes(` -${char} `)) return false;
    }
    return false;
  }
}

/** Matches a token in which a star follows nothing or a letter. */
const FREE_STAR = /(?:^|\|)\*|[^-_|]\*/;

/** Whether a word is one of the alternatives of a token. */
function fits(token: string, word: string): boolean {
  if (token === word || token === "*") return true;
  const list = `|${token}|`;
  if (list.includes(`|${word}|`)) return true;
  if (!token.includes("*")) return false;
  const end = word.search(/[-_]/) + 1;
  if (end > 0 && list.includes(`|${word.slice(0, end)}*|`)) return true;
  return FREE_STAR.test(token) && token.split("|").some((one) => fitsStar(one, word));
}

function fitsStar(one: string, word: string): boolean {
  const star = one.indexOf("*");
  if (star < 0 || word.length < one.length - 1) return false;
  return word.startsWith(one.slice(0, star)) && word.endsWith(one.slice(star + 1));
}
