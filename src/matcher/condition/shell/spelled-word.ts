import type { Assignment, CommandArgument, Word, WordPart } from "unbash";
import { HOLE, withoutMarks } from "../star-pattern.ts";

/** A word as the command gets to see it, as far as that can be told before it runs. */
export interface SpelledWord {
  /** Quotes and escapes undone; {@link HOLE} where only the shell will know. */
  readonly text: string;
  /** Has variables or the output of commands in it. */
  readonly expands: boolean;
  /** Nothing of it is known; it may even turn out to be no word, or several. */
  readonly unknown: boolean;
  readonly pos: number;
  readonly end: number;
}

export function spell(argument: CommandArgument): SpelledWord {
  if (argument.type === "Assignment") return spellAssignment(argument);
  return finish(textOf(argument), argument, expandsIn(argument.parts));
}

function spellAssignment(assignment: Assignment): SpelledWord {
  const { name, value } = assignment;
  const head = assignment.index === undefined ? name : `${name}${HOLE}`;
  const text = value.type === "Word" ? `${head}=${textOf(value)}` : `${head}=${HOLE}`;
  return finish(text, assignment, value.type === "ArrayValue" || expandsIn(value.parts));
}

function finish(text: string, { pos, end }: CommandArgument, expands: boolean): SpelledWord {
  return { text, expands, unknown: text !== "" && text.replaceAll(HOLE, "") === "", pos, end };
}

function textOf(word: Word): string {
  return word.parts === undefined ? withoutMarks(word.value) : word.parts.map(partText).join("");
}

function partText(part: WordPart): string {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return withoutMarks(part.value);
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.map(partText).join("");
    default:
      // Variables, substitutions, and what the shell makes of braces and of patterns for file names.
      return HOLE;
  }
}

function expandsIn(parts: readonly WordPart[] | undefined): boolean {
  return (parts ?? []).some((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return false;
      case "DoubleQuoted":
      case "LocaleString":
      case "Glob":
      case "ExtendedGlob":
      case "BraceExpansion":
        return expandsIn(part.parts);
      default:
        return true;
    }
  });
}
