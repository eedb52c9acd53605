// Splits a program in another language into names, texts, numbers and signs, in one pass.

import { withoutEscapes } from "./escapes.ts";
import type { Language } from "./languages.ts";

export interface Token {
  readonly kind: "line" | "name" | "number" | "run" | "sign" | "text";
  /** The name without its sigil, the sign, or the text without escapes. */
  readonly value: string;
  readonly start: number;
  /** The pieces of a text with expressions in it: texts and, at odd places, code. `undefined` for most texts. */
  parts?: readonly string[] | undefined;
  /** Whether the name has a sigil, so that it is no function. */
  readonly isVariable?: boolean;
}

/** Words that quote in Perl: `qw(a b)`, `s/a/b/`. */
const PERL_QUOTES: ReadonlySet<string> = new Set(["q", "qq", "qw", "qx", "qr", "m", "s", "tr", "y"]);
const RUBY_QUOTE = /%([qQwWiIxr]?)(?=[{([<|!/])/y;
const HEREDOC = /<<<?[~-]?(["'`]?)([A-Za-z_]\w*)\1/y;
const PATTERN = /\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const CLOSERS: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };
const LONG_SIGNS: ReadonlySet<string> = new Set("?. -> => :: .. |> <> == != && || ** >>".split(" "));
/** Words after which a pattern or a quote may start. */
const CONTINUES: ReadonlySet<string> = new Set(
  (
    "return if unless and or not when while until in split grep print puts p typeof case else do then system exec eval " +
    "spawn unlink raise yield rm_rf rm_r"
  ).split(" "),
);

/** Whether a character may be a part of a name. Marks of the shell reader may. */
function isWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || isDigit(code) || code === 95 || code >= 0xe000;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Reads character by character, because each use of a pattern costs as much as forty characters. */
export class Tokenizer {
  readonly #text: string;
  readonly #language: Language;
  readonly #spend: () => void;
  readonly #tokens: Token[] = [];
  /** Whether `$`, `@` and `%` start names. */
  readonly #hasSigils: boolean;
  /** Tokens whose here-document follows the end of the line. */
  #documents: { readonly token: Token; readonly end: string; readonly quote: string }[] = [];
  #at = 0;

  /** `spend` is called for each token. */
  constructor(text: string, language: Language, spend: () => void) {
    this.#spend = spend;
    this.#text = text;
    this.#language = language;
    this.#hasSigils = language.name === "perl" || language.name === "php" || language.name === "ruby";
  }

  read(): readonly Token[] {
    const { length } = this.#text;
    while (this.#at < length) this.#readOne(this.#text.charCodeAt(this.#at));
    return this.#tokens;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #add(kind: Token["kind"], value: string, start: number, parts?: readonly string[], isVariable = false): Token {
    this.#spend();
    const token: Token = { kind, value, start, parts, isVariable };
    this.#tokens.push(token);
    return token;
  }

  #readOne(code: number): void {
    const start = this.#at;
    // A blank
    if (code === 32 || code === 9 || code === 13 || code === 12) {
      this.#at += 1;
      return;
    }
    if (isWord(code)) {
      if (isDigit(code)) this.#readNumber(start);
      else this.#readName(start, start);
      return;
    }
    const char = this.#text.charAt(start);
    if (char === "\n") {
      this.#at += 1;
      this.#add("line", "", start);
      if (this.#documents.length > 0) this.#readDocuments();
      return;
    }
    const { comment, name, quotes, runs } = this.#language;
    if ((char === "#" || char === "/" || char === "-") && this.#take(comment) !== "") return;
    if (quotes.includes(char)) this.#readText(char, runs.includes(char) ? "run" : "text", false);
    else if (char === "$" && name === "js") this.#readName(start, start);
    else if (!(this.#hasSigils && this.#readSpecial(char, start)) && !this.#readPattern(char, start)) {
      const two = this.#text.slice(start, start + 2);
      const sign = LONG_SIGNS.has(two) ? two : char;
      this.#at += sign.length;
      if (two !== "\\\n") this.#add("sign", sign, start);
    }
  }

  /** Reads what only Perl, PHP and Ruby have: variables with sigils, quotes of their own, here-documents, symbols. */
  #readSpecial(char: string, start: number): boolean {
    if (char === "$" || char === "@" || char === "%" || char === "&") {
      if (this.#readVariable(start)) return true;
      return char === "%" && this.#language.name === "ruby" && !this.#followsValue() && this.#readRubyQuote();
    }
    if (char === "<") return this.#text.charAt(start + 1) === "<" && !this.#followsValue() && this.#readHeredoc();
    if (char !== ":" || this.#language.name !== "ruby" || !isWord(this.#text.charCodeAt(start + 1))) return false;
    if (this.#followsValue()) return false;
    this.#skipWord(start + 1);
    this.#add("text", this.#text.slice(start + 1, this.#at), start);
    return true;
  }

  #readPattern(char: string, start: number): boolean {
    if (char !== "/" || !this.#language.patterns || this.#followsValue() || this.#take(PATTERN) === "") return false;
    this.#add("number", "", start);
    return true;
  }

  #skipWord(from: number): void {
    let at = from;
    while (isWord(this.#text.charCodeAt(at))) at += 1;
    this.#at = at;
  }

  #readNumber(start: number): void {
    const text = this.#text;
    this.#skipWord(start);
    if (text.charAt(this.#at) === "." && isDigit(text.charCodeAt(this.#at + 1))) this.#skipWord(this.#at + 1);
    this.#add("number", text.slice(start, this.#at), start);
  }

  /** Reads a name from `from` on. A sigil may be between `start` and `from`. */
  #readName(start: number, from: number): void {
    const text = this.#text;
    const { name } = this.#language;
    this.#skipWord(text.charAt(from) === "$" ? from + 1 : from);
    const word = text.slice(from, this.#at);
    const next = text.charAt(this.#at);
    if (start === from) {
      if ((next === '"' || next === "'") && name === "python" && word.length < 3) {
        const kind = word.toLowerCase();
        this.#readText(next, "text", kind.includes("r"), kind.includes("f") ? "{" : "");
        return;
      }
      if (name === "perl" && PERL_QUOTES.has(word) && this.#readPerlQuote(word, start)) return;
      const mayEnd = (next === "!" || next === "?") && (name === "ruby" || name === "elixir");
      // A name of Ruby and Elixir may end with a sign.
      if (mayEnd && text.charAt(this.#at + 1) !== "=") this.#at += 1;
    }
    this.#add("name", word, start, undefined, start !== from);
  }

  /** Reads `$name`, `@name` and the special variables of Perl. */
  #readVariable(start: number): boolean {
    const text = this.#text;
    const { name } = this.#language;
    let from = start + 1;
    while (from < text.length && "$@%#".includes(text.charAt(from))) from += 1;
    if (isWord(text.charCodeAt(from))) {
      // In Ruby and PHP `a %b` is a remainder.
      if (name !== "perl" && text.charAt(start) === "%") return false;
      this.#readName(start, from);
      return true;
    }
    if (name !== "perl" || text.charAt(start) !== "$" || text.charAt(from) === "{") return false;
    this.#at = start + 2;
    this.#add("name", "", start, undefined, true);
    return true;
  }

  /** Whether the token before is a value, so that `/` divides and `%` is an operator. */
  #followsValue(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined || last.kind === "line") return false;
    if (last.kind === "sign") return last.value === ")" || last.value === "]" || last.value === "}";
    return last.kind !== "name" || last.isVariable === true || !CONTINUES.has(last.value);
  }

  #readText(quote: string, kind: "run" | "text", isRaw: boolean, hole = this.#language.hole): void {
    const { name, raw } = this.#language;
    const start = this.#at;
    const isTriple = this.#text.charAt(start + 1) === quote && this.#text.charAt(start + 2) === quote;
    const end = isTriple && (name === "python" || name === "julia" || name === "elixir") ? quote.repeat(3) : quote;
    this.#at += end.length;
    const isPlain = isRaw || raw.includes(quote);
    this.#finish(kind, start, end, "", isPlain, isPlain || (name === "js" && quote !== "`") ? "" : hole);
  }

  /** Reads a text up to its end. An opening delimiter nests. */
  #finish(kind: "run" | "text", start: number, end: string, open: string, isRaw: boolean, hole: string): Token {
    const text = this.#text;
    const from = this.#at;
    let close = text.indexOf(end, from);
    let backslash = text.indexOf("\\", from);
    let opening = open === "" ? -1 : text.indexOf(open, from);
    for (let depth = 0; close >= 0; ) {
      let at: number;
      if (backslash >= 0 && backslash < close && (opening < 0 || backslash < opening)) at = backslash + 2;
      else if (opening >= 0 && opening < close) {
        depth += 1;
        at = opening + 1;
      } else if (depth > 0) {
        depth -= 1;
        at = close + 1;
      } else break;
      // Each search starts only behind the last find, so that all of them together read the text once.
      if (close < at) close = text.indexOf(end, at);
      if (backslash >= 0 && backslash < at) backslash = text.indexOf("\\", at);
      if (opening >= 0 && opening < at) opening = text.indexOf(open, at);
    }
    const stop = close < 0 ? text.length : close;
    this.#at = Math.min(stop + end.length, text.length);
    return this.#addText(kind, start, text.slice(from, stop), isRaw, hole);
  }

  #addText(kind: "run" | "text", start: number, body: string, isRaw: boolean, hole: string): Token {
    const parts = hole !== "" && body.includes(hole) ? partsOf(body, hole) : undefined;
    const plain = (text: string): string => (isRaw ? text.replace(/\\(['\\])/g, "$1") : withoutEscapes(text));
    if (parts === undefined) return this.#add(kind, plain(body), start);
    return this.#add(
      kind,
      "",
      start,
      parts.map((part, at) => (at % 2 === 0 ? plain(part) : part)),
    );
  }

  /** Reads a quote of Perl after its word. Returns `false` if the word is a name. */
  #readPerlQuote(word: string, start: number): boolean {
    const last = this.#tokens.at(-1);
    if (last?.kind === "sign" && (last.value === "->" || last.value === "{")) return false;
    let from = this.#at;
    while (this.#text.charAt(from) === " ") from += 1;
    const open = this.#text.charAt(from);
    if (open === "" || "\n,;=)>".includes(open) || isWord(open.charCodeAt(0))) return false;
    this.#at = from;
    const end = CLOSERS[open] ?? open;
    this.#at += 1;
    const nests = end === open ? "" : open;
    if (word === "m" || word === "qr" || word === "s" || word === "tr" || word === "y") {
      this.#finish("text", start, end, nests, true, "");
      this.#tokens.pop();
      if (word === "s" || word === "tr" || word === "y") {
        if (nests !== "") {
          while (" \n\t".includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) this.#at += 1;
          this.#at += 1;
        }
        const replacement = this.#finish("text", start, end, nests, true, "");
        this.#tokens.pop();
        // The replacement is code.
        const flags = this.#at;
        this.#skipWord(flags);
        if (word === "s" && this.#text.slice(flags, this.#at).includes("e")) {
          this.#add("text", "", start, ["", replacement.value, ""]);
        }
      } else this.#skipWord(this.#at);
      this.#add("number", "", start);
      return true;
    }
    this.#finish(
      word === "qx" ? "run" : "text",
      start,
      end,
      nests,
      word === "q",
      word === "q" || word === "qw" ? "" : "$",
    );
    if (word === "qw") this.#splitWords();
    return true;
  }

  #readRubyQuote(): boolean {
    const start = this.#at;
    const word = this.#take(RUBY_QUOTE);
    if (word === "") return false;
    const kind = word.charAt(1);
    const open = this.#text.charAt(this.#at);
    const end = CLOSERS[open] ?? open;
    this.#at += 1;
    this.#finish(
      kind === "x" ? "run" : "text",
      start,
      end,
      end === open ? "" : open,
      kind === "q",
      kind === "q" ? "" : "#{",
    );
    if (/[wWiI]/.test(kind)) this.#splitWords();
    return true;
  }

  /** Replaces the last text by a list of its words. */
  #splitWords(): void {
    const { value, start } = this.#tokens.pop() as Token;
    this.#add("sign", "[", start);
    for (const word of value.trim().split(/\s+/)) {
      this.#add("text", word, start);
      this.#add("sign", ",", start);
    }
    this.#add("sign", "]", start);
  }

  #readHeredoc(): boolean {
    HEREDOC.lastIndex = this.#at;
    const found = HEREDOC.exec(this.#text);
    if (found === null) return false;
    const [all, quote = "", end = ""] = found;
    const token = this.#add(quote === "`" ? "run" : "text", "", this.#at);
    this.#at += all.length;
    this.#documents.push({ token, end, quote });
    return true;
  }

  #readDocuments(): void {
    for (const { token, end, quote } of this.#documents.splice(0)) {
      this.#spend();
      const last = new RegExp(`^[ \\t]*${end}\\b`, "gm");
      last.lastIndex = this.#at;
      const found = last.exec(this.#text);
      const body = this.#text.slice(this.#at, found?.index);
      this.#at = found === null ? this.#text.length : last.lastIndex;
      this.#addText("text", token.start, body, quote === "'", quote === "'" ? "" : this.#language.hole);
      const { value, parts } = this.#tokens.pop() as Token;
      Object.assign(token, { value, parts });
    }
  }
}

/** Splits a text into texts and, at odd places, the code of its holes. */
function partsOf(body: string, hole: string): string[] | undefined {
  const parts: string[] = [];
  let from = 0;
  for (let at = body.indexOf(hole); at >= 0; at = body.indexOf(hole, at)) {
    if (body[at - 1] === "\\" || (hole === "{" && body[at + 1] === "{")) {
      at += hole.length + (hole === "{" ? 1 : 0);
      continue;
    }
    let end: number;
    let code: string;
    if (hole === "$") {
      const [name] = /^\$(?:\{\w+\}|\(\w+\)|\w+(?:(?:->)?[[{]\w+[\]}])?)|^\$./.exec(body.slice(at, at + 200)) ?? ["$"];
      end = at + name.length;
      code = name.replace(/^\$[{(](\w+)[})]$/, "$1");
      // An address such as `a$` ends with the sign.
      if (name === "$") break;
    } else {
      const start = at + hole.length;
      end = start;
      for (let depth = 1; end < body.length; end++) {
        if (body[end] === "{") depth += 1;
        else if (body[end] === "}" && --depth === 0) break;
      }
      code = body.slice(start, end);
      end += 1;
    }
    parts.push(body.slice(from, at), code);
    from = at = end;
  }
  if (parts.length === 0) return undefined;
  return [...parts, body.slice(from)];
}
