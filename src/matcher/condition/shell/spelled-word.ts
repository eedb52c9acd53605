import { ANY, FETCHED, HERE, HOME, SET, STAR, UNKNOWN } from "../../../shell/marks.ts";
import { HOLE } from "../star-pattern.ts";

/** A word as the command gets to see it, as far as that can be told before it runs. */
export interface SpelledWord {
  /** Quotes and escapes undone; {@link HOLE} where only the shell will know. */
  readonly text: string;
  /** Has variables or the output of commands in it. */
  readonly expands: boolean;
  /** Nothing of it is known; it may even turn out to be no word, or several. */
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

/** Marks for places in the words that they were written as. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(HOME, "~").replaceAll(HERE, "~+");
}
