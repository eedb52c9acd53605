import { ANY, FETCHED, HERE, HOME, SET, STAR, UNKNOWN } from "../../../shell/marks.ts";
import { HOLE } from "../../../star-pattern.ts";

/** A word as the command receives it, if the word can be determined before the command runs. */
interface SpelledWord {
  /** The word without quotes and escapes. {@link HOLE} stands for parts that only the shell knows. */
  readonly text: string;
  /** Whether the word contains variables or command substitutions. */
  readonly expands: boolean;
  /** Whether the whole word is unknown. Such a word may expand to no word, or to several words. */
  readonly unknown: boolean;
}

const MARKED = /[\ue000-\ue008]/;
const HOLES = new RegExp(`[${STAR}${ANY}${UNKNOWN}${FETCHED}]+`, "g");

export function spell(word: string): SpelledWord {
  if (!MARKED.test(word)) return { text: word, expands: false, unknown: false };
  const open = word.indexOf(SET);
  const close = word.lastIndexOf("]");
  const flat = open >= 0 && close > open ? word.slice(0, open) + STAR + word.slice(close + 1) : word;
  const text = flat.replace(HOLES, HOLE).replaceAll(SET, "[");
  return {
    text: withoutPlaces(text),
    expands: word.includes(UNKNOWN) || word.includes(FETCHED),
    unknown: text !== "" && text.replaceAll(HOLE, "") === "",
  };
}

/** Replaces the marks for `~` and `~+` by the text as written. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(HOME, "~").replaceAll(HERE, "~+");
}
