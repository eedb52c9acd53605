// What a shell works out is no longer text: it cannot be a quote, an operator or a keyword any more. So in a word that
// has been read, an expansion stands as one character of the private use area. Text from outside cannot contain these.

/** The user's home directory: an unquoted `~`, or `$HOME`. */
export const HOME = "\ue000";
/** The working directory: `$PWD`, `$(pwd)`. */
export const HERE = "\ue001";
/** An unquoted `*`. */
export const STAR = "\ue002";
/** An unquoted `?`. */
export const ANY = "\ue003";
/** An unquoted `[`. */
export const SET = "\ue004";
/** Whatever a variable or a command may give, nothing at all included. */
export const UNKNOWN = "\ue005";
/** The same, and at least one character: `${x:?}`, `$(mktemp)`. */
export const GIVEN = UNKNOWN + ANY;
/** The output of a command that downloads. */
export const FETCHED = "\ue006";
/** The unquoted `{` of a brace expansion. */
export const BRACE = "\ue007";
/** The comma of a brace expansion; its closing brace is found by counting. */
export const CHOICE = "\ue008";

const MARKS = /[\ue000-\ue008]/g;

/** How marks look to a reader, in their order. */
const SPELLINGS = "~.*?[$${,";

/** Whether a text from outside spells marks. One look at each character: nearly all text is plain. */
export function hasMarks(text: string): boolean {
  return !/^[\0-\xff]*$/.test(text) && /[\ue000-\ue008]/.test(text);
}

/** Text from outside, with which nobody can spell a mark. */
export function withoutMarks(text: string): string {
  return hasMarks(text) ? text.replace(MARKS, "\ufffd") : text;
}

export function isMark(char: string): boolean {
  return char >= HOME && char <= CHOICE;
}

/** A word as people would write it. */
export function spelled(word: string): string {
  return word.replace(MARKS, (mark) => SPELLINGS.charAt(mark.charCodeAt(0) - 0xe000));
}

export function isGlob(char: string | undefined): boolean {
  return char === STAR || char === ANY || char === SET;
}

const OPEN = /[\ue001-\ue006]/;

/** Whether a part of the word is not known before the command runs. */
export function isOpen(word: string): boolean {
  return OPEN.test(word);
}

/** Whether the word begins with an expansion, so that it may turn out to be none, several, or an option. */
export function startsOpen(word: string): boolean {
  return word[0] === UNKNOWN || word[0] === FETCHED;
}
