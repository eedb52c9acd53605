// Texts that are data where they were read, and that a shell may run in a way which the guard cannot follow.

import type { ShellReader } from "../../src/shell/reader.ts";
import type { Heredoc } from "../../src/shell/scanner.ts";

/** Variables that Bash runs or expands, or whose values Bash evaluates. */
const RUN: ReadonlySet<string> = new Set(
  "PROMPT_COMMAND BASH_ALIASES BASH_CMDS BASH_ENV ENV OPTIND PS0 PS1 PS2 PS3 PS4".split(" "),
);
/** Matches texts that arithmetic may evaluate: the index of an array with a substitution, or a part of an index. */
const INDEX = /[[\]]/;
const SUBSTITUTION = /[$`(]/;
/** Splits a text that is only a part of a command, such as `b[@(rm x)0]`. */
const SIGNS = /[\n;&|()`]+/;

/** Matches a short text that begins with the name of a variable or an option. */
const VALUE = /^-*\w[^\s=]*=[\s\S]{2,500}$/;
const WORK_PER_CHARACTER = 2;

/** Whether a word is, or begins with, the name of a variable whose value Bash runs, expands or evaluates. */
export function runsValueOf(word: string): boolean {
  // Most names begin with another letter, and a pattern costs ten times as much.
  if (!"BEOP".includes(word.charAt(0))) return false;
  const [name = ""] = /^\w+/.exec(word) ?? [];
  return RUN.has(name) || name.startsWith("BASH_FUNC_");
}

/** Collects the texts of a call, and the first reason why one of them may run. */
export class Stored {
  /** Quoted words, bodies of here-documents and parts of expansions. Reading one of them may add more. */
  readonly texts = new Set<string>();
  /** The words of arrays. */
  readonly lists: (readonly string[])[] = [];
  /** Programs under other names: `cp /bin/rm c; ./c x`. */
  readonly programs = new Map<string, string>();
  /** Files that the text writes, without their folders. */
  readonly written = new Set<string>();
  /** The known contents of files that the text writes, or the here-documents that will be written. */
  readonly #contents = new Map<string, string | Heredoc>();
  why: string | undefined;

  /** Records what a file contains. Earlier contents stay, because the text may only add to the file. */
  keepContent(file: string, content: string | Heredoc): void {
    const before = this.#contents.get(file);
    this.#contents.set(
      file,
      typeof before === "string" && typeof content === "string" ? `${before}\n${content}` : content,
    );
  }

  /** Passes the content of a file to `judge`, now or when it is read. Returns `false` if the content is not known. */
  takeContent(file: string, judge: (content: string) => void): boolean {
    const content = this.#contents.get(file);
    if (content === undefined) return false;
    if (typeof content === "string") judge(content);
    else {
      const { takeBody } = content;
      content.takeBody = (body) => {
        takeBody?.(body);
        judge(body);
      };
    }
    return true;
  }

  /** Records that the text evaluates the values of variables as numbers. */
  takeArithmetic(): void {
    for (const text of this.texts) {
      if (INDEX.test(text) && SUBSTITUTION.test(text)) this.why ??= "arithmetic may evaluate a text";
    }
  }

  /** Returns the texts in a text that may be a command: the value of an assignment, the parts of an index. */
  partsOf(reader: ShellReader, text: string): readonly string[] {
    reader.spend(text.length * WORK_PER_CHARACTER);
    const value = VALUE.test(text) ? text.indexOf("=") + 1 : 0;
    const parts = INDEX.test(text) ? text.split(SIGNS).filter((part) => part.length > 1) : [];
    return value > 0 ? [text.slice(value), ...parts] : parts;
  }
}
