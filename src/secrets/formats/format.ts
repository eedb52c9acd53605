/**
 * Formats of tokens whose issuer gives them a prefix. The tables in this folder are data: a test makes examples from each
 * row, and fails for a row that its own examples do not match.
 */

/**
 * A row: the kind of secret, the prefixes separated by spaces, the pattern of the text after the prefix, and a check.
 * In a pattern, `{w20}` stands for at least 20 characters of the class `w`, and `{w20=}` for exactly 20 that end
 * there. After `{w20!}` any text may follow. All other text stands for itself.
 */
export type FormatRow = readonly [kind: string, prefixes: string, body: string, check?: Check];

/** Whether a token that matches a pattern may be real: a checksum, or characters that cannot be chance. */
export type Check = (token: string) => boolean;

/** The classes of characters that a pattern names by one letter. */
export const CLASSES: Readonly<Record<string, string>> = {
  a: "A-Za-z\\d",
  b: "A-Za-z\\d+/",
  d: "\\d",
  h: "\\da-f",
  H: "\\dA-Fa-f",
  l: "\\da-z",
  p: "\\w.-",
  s: "\\w.~+/=-",
  u: "\\dA-Z",
  w: "\\w-",
};

const UUID = "[\\dA-Fa-f]{8}-[\\dA-Fa-f]{4}-[\\dA-Fa-f]{4}-[\\dA-Fa-f]{4}-[\\dA-Fa-f]{12}";

/** Matches a placeholder of a manual in the place of a token. */
const PLACEHOLDER = /x{8}|X{8}|\*{3}|\.{3}|your[_-]|[_-]here|example|placeholder|redacted|changeme/i;

export interface Format {
  readonly kind: string;
  readonly prefix: string;
  /** Matches the text after the prefix. Sticky. */
  readonly body: RegExp;
  readonly check: Check | undefined;
}

/** Returns the regular expression of a pattern in a row, as text. */
function patternOf(body: string): string {
  const parts = body.split(/(\{\w+[=!]?\})/);
  return parts
    .map((part, at) => {
      const [, name = "", count, exactly] = /^\{([A-Za-z])(\d*)([=!]?)\}$/.exec(part) ?? [];
      if (name === "") return part.replace(/[.$+|*?()]/g, "\\$&");
      if (name === "U") return UUID;
      const end = exactly === "=" && parts.slice(at + 1).join("") === "" ? "(?![A-Za-z\\d])" : "";
      return `[${CLASSES[name]}]{${count}${exactly === "" ? "," : ""}}${end}`;
    })
    .join("");
}

/** The formats of rows. A prefix is at least two characters long, because formats are looked up by two. */
export function formatsOf(rows: readonly FormatRow[]): Format[] {
  return rows.flatMap(([kind, prefixes, body, check]) => {
    const pattern = new RegExp(patternOf(body), "y");
    return prefixes.split(" ").map((prefix) => ({ kind, prefix, body: pattern, check }));
  });
}

/** Returns the end of the token whose prefix is at a place in a text. Returns -1 if the rest is not of this format. */
export function endOfToken({ prefix, body, check }: Format, text: string, at: number): number {
  body.lastIndex = at + prefix.length;
  if (!body.test(text)) return -1;
  const end = body.lastIndex;
  const token = text.slice(at, end);
  return check === undefined ? (PLACEHOLDER.test(token) ? -1 : end) : check(token) ? end : -1;
}
