/** A part of a path pattern that had another meaning before picomatch read patterns. */
interface Change {
  readonly part: RegExp;
  /** Whether the part is inside brackets. */
  readonly inSet?: true;
  readonly meant: string;
  readonly means: string;
  /** How to write the old meaning. */
  readonly hint: string;
}

const CHANGES: readonly Change[] = [
  {
    part: /(?<![?*+@])\([^)]*\)/,
    meant: "this text",
    means: "this text and a group of alternatives",
    hint: "write [(] and [)] for the text alone",
  },
  {
    part: /\{\w\.\.\w\}/,
    meant: "this text",
    means: "one character of the range",
    hint: "write [{] for the brace in the text",
  },
  {
    part: /\}\*{2,}/,
    meant: "any folders after an alternative that ends with a slash",
    means: "any characters without a slash",
    hint: "write the ** inside the braces: {src/**,lib/**}",
  },
  {
    part: /(?<=[^/{,(|])\{(?:[^{}/]*,)?\*\*[^/{}]*\}/,
    meant: "any characters without a slash",
    means: "any folders",
    hint: "write * instead of **",
  },
  {
    part: /(?<!\\)\[(?![!^])[^\]*+?.^${}(|)[\\:-]+\]/,
    inSet: true,
    meant: "one of these characters",
    means: "one of these characters and the text with its brackets",
    hint: "write {a,b} for one of the characters a and b",
  },
  {
    part: /\[:\w+:\]/,
    inSet: true,
    meant: "these characters",
    means: "a class of characters",
    hint: "write the characters without : next to the brackets",
  },
  {
    part: /(?<!\\)\[[^\]\\]*\\./s,
    inSet: true,
    meant: "a backslash in a set",
    means: "the character after it",
    hint: "leave out the backslash",
  },
];

/** Returns a message and a hint for each part of a pattern that had another meaning. */
export function changedMeanings(pattern: string): readonly { readonly message: string; readonly hint: string }[] {
  const spaces = (text: string): string => " ".repeat(text.length);
  const outside = pattern.replace(/\\.|\[[^\]]*\]/gs, spaces);
  return CHANGES.flatMap(({ part, inSet, meant, means, hint }) => {
    const found = part.exec(inSet ? pattern : outside);
    if (found === null) return [];
    const text = pattern.slice(found.index, found.index + found[0].length);
    return { message: `"${text}" in the path pattern "${pattern}" meant ${meant}; it now means ${means}`, hint };
  });
}
