// The result of an expansion is not shell text: it cannot be a quote, an operator or a keyword. Therefore a mark, a
// character of the private use area, represents an expansion in a word that was read. Text from outside cannot contain
// marks.

/** Marks the user's home directory: an unquoted `~`, or `$HOME`. */
export const HOME = "\ue000";
/** Marks the working directory: `$PWD`, `$(pwd)`. */
export const HERE = "\ue001";
/** Marks an unquoted `*`. */
export const STAR = "\ue002";
/** Marks an unquoted `?`. */
export const ANY = "\ue003";
/** Marks an unquoted `[`. */
export const SET = "\ue004";
/** Marks any output of a variable or a command, including none. */
export const UNKNOWN = "\ue005";
/** Marks output of at least one character: `${x:?}`, `$(mktemp)`. */
export const GIVEN = UNKNOWN + ANY;
/** Marks the output of a command that downloads. */
export const FETCHED = "\ue006";
/** Marks the unquoted `{` of a brace expansion. */
export const BRACE = "\ue007";
/** Marks the comma of a brace expansion. The closing brace has no mark, because counting finds it. */
export const CHOICE = "\ue008";

const MARKS = /[\ue000-\ue008]/g;

/** The displayed characters of the marks, in the order of the marks. */
const SPELLINGS = "~.*?[$${,";

/** Whether a text from outside contains marks. The first pattern is a fast test, because nearly all text is plain. */
export function hasMarks(text: string): boolean {
  return !/^[\0-\xff]*$/.test(text) && /[\ue000-\ue008]/.test(text);
}

/** Replaces marks in text from outside, so that an attacker cannot forge a mark. */
export function withoutMarks(text: string): string {
  return hasMarks(text) ? text.replace(MARKS, "\ufffd") : text;
}

export function isMark(char: string): boolean {
  return char >= HOME && char <= CHOICE;
}

/** Returns a word with its marks as a user would write them. */
export function spelled(word: string): string {
  return word.replace(MARKS, (mark) => SPELLINGS.charAt(mark.charCodeAt(0) - 0xe000));
}

export function isGlob(char: string | undefined): boolean {
  return char === STAR || char === ANY || char === SET;
}

const OPEN = /[\ue001-\ue006]/;

/** Whether a part of the word is unknown before the command runs. */
export function isOpen(word: string): boolean {
  return OPEN.test(word);
}

/** Whether the word begins with an expansion, so that it may become no word, several words, or an option. */
export function startsOpen(word: string): boolean {
  return word[0] === UNKNOWN || word[0] === FETCHED;
}
