// What the tokenizer and the reader of programs need to know about each language.

export type LanguageName = "python" | "js" | "ruby" | "perl" | "php" | "lua" | "awk" | "r" | "julia" | "elixir";

export interface Language {
  readonly name: LanguageName;
  /** Matches a comment at the place of the scanner. */
  readonly comment: RegExp;
  /** Quotes of texts. */
  readonly quotes: string;
  /** Quotes of texts without escapes and holes. */
  readonly raw: string;
  /** Quotes of texts that a shell runs. */
  readonly runs: string;
  /** What starts an expression in a text: `#{`, `${`, `$`. Python marks such texts with `f`. */
  readonly hole: string;
  /** Whether `/` may start a pattern. */
  readonly patterns: boolean;
  /** Whether a function may be called without parentheses. */
  readonly bareCalls: boolean;
  /** Whether several words are one command: `system("rm", "-rf", dir)`. */
  readonly variadic: boolean;
  /** The sign between two texts that become one. A blank means that the texts follow each other. */
  readonly joins: string;
}

const HASH = /#[^\n]*/y;
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;

const BASE = {
  comment: HASH,
  quotes: `'"`,
  raw: "",
  runs: "",
  hole: "",
  patterns: false,
  bareCalls: false,
  variadic: false,
  joins: "+",
} as const;

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  python: { ...BASE, name: "python" },
  js: { ...BASE, name: "js", comment: SLASHES, quotes: "'\"`", hole: "${", patterns: true },
  ruby: {
    ...BASE,
    name: "ruby",
    quotes: "'\"`",
    raw: "'",
    runs: "`",
    hole: "#{",
    patterns: true,
    bareCalls: true,
    variadic: true,
  },
  perl: {
    ...BASE,
    name: "perl",
    quotes: "'\"`",
    raw: "'",
    runs: "`",
    hole: "$",
    patterns: true,
    bareCalls: true,
    variadic: true,
    joins: ".",
  },
  php: {
    ...BASE,
    name: "php",
    comment: /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y,
    quotes: "'\"`",
    raw: "'",
    runs: "`",
    hole: "$",
    joins: ".",
  },
  lua: { ...BASE, name: "lua", comment: /--[^\n]*/y, joins: "..", bareCalls: true },
  awk: { ...BASE, name: "awk", quotes: '"', patterns: true, joins: " " },
  r: { ...BASE, name: "r" },
  julia: { ...BASE, name: "julia", quotes: '"`', runs: "`", hole: "$", joins: "*" },
  elixir: { ...BASE, name: "elixir", hole: "#{", joins: "<>", bareCalls: true },
};
