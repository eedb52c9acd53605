// Reads a program in another language and judges what its calls do. Follows constants, and no control flow: every call
// in the text counts as run.

import { newCommand, newPipeline } from "../../../src/shell/command.ts";
import { UNKNOWN } from "../../../src/shell/marks.ts";
import { damageOf } from "../rules/table.ts";
import type { Shell } from "../shell.ts";
import { effectOf, needlesOf } from "./effects.ts";
import { LANGUAGES, type Language, type LanguageName } from "./languages.ts";
import { relevantLines } from "./relevant-lines.ts";
import { type Token, Tokenizer } from "./tokens.ts";
import {
  Choice,
  compute,
  environment,
  filled,
  isList,
  joinPath,
  Module,
  reversed,
  textOf,
  type Value,
} from "./values.ts";

const WORK_PER_CHARACTER = 45;
const WORK_PER_TOKEN = 1_250;
const WORK_PER_OPERAND = 20;
const WORK_PER_EFFECT = 600;
const WORK_PER_HOLE = 4_000;
const MAX_DEPTH = 24;
const MAX_TEXT = 1_024;

const UNSEEN = damageOf("fs-delete-unseen");
const BY_CODE = damageOf("fs-delete-code");

/** Words before an expression. */
const PREFIXES: ReadonlySet<string> = new Set(
  (
    "await new return yield not my our local const let var do then else begin if unless while until elsif elif and or " +
    "try typeof void scalar throw print puts p echo say die raise end BEGIN END with as lambda case when in of async else defer " +
    "warn"
  ).split(" "),
);
const LOOPS: ReadonlySet<string> = new Set(["each", "forEach", "map", "each_with_index", "flatMap", "filter"]);
const ENDS = ";)]}:,";

/** The arguments of a call. Named arguments and the members of an object are in `named`. */
interface Arguments {
  readonly values: Value[];
  readonly named: Map<string, Value>;
  /** The text of the arguments. */
  text: string;
}

/** Judges a program. `args` are its arguments; `variables` are known variables. */
export function judgeProgram(
  shell: Shell,
  language: LanguageName,
  text: string,
  args: readonly string[],
  variables: Iterable<readonly [string, Value]> = [],
): void {
  const needles = needlesOf(language);
  shell.spend((text.length + WORK_PER_CHARACTER) * needles.length);
  // Most programs only print or compute.
  if (!needles.some((needle) => text.includes(needle))) return;
  const relevant = relevantLines(text, LANGUAGES[language], (work) => shell.spend(work));
  const { current } = shell.places.directories;
  shell.enter();
  const outer = shell.within;
  shell.within = outer === "" ? `${language}: ` : outer;
  new Program(shell, LANGUAGES[language], relevant, args, new Map(variables)).judge();
  shell.within = outer;
  shell.leave();
  shell.places.directories.current = current;
}

class Program {
  readonly #shell: Shell;
  readonly #language: Language;
  readonly #text: string;
  readonly #args: readonly string[];
  readonly #variables: Map<string, Value>;
  readonly #tokens: readonly Token[];
  /** Modules all of whose functions are imported. */
  readonly #stars: string[] = [];
  #at = 0;
  #depth = 0;
  /** Where named arguments belong. */
  #named = new Map<string, Value>();
  /** Whether the program has loaded something from the network. */
  #fetches = false;

  constructor(shell: Shell, language: Language, text: string, args: readonly string[], variables: Map<string, Value>) {
    this.#shell = shell;
    this.#language = language;
    this.#text = text;
    this.#args = args;
    this.#variables = variables;
    shell.spend(text.length * WORK_PER_CHARACTER);
    this.#tokens = new Tokenizer(text, language, () => shell.spend(WORK_PER_TOKEN)).read();
  }

  judge(): void {
    while (this.#at < this.#tokens.length) {
      if (this.#tokens[this.#at]?.kind === "line") this.#at += 1;
      else this.#statement();
    }
  }

  #peek(offset = 0): Token | undefined {
    return this.#tokens[this.#at + offset];
  }

  #sees(value: string, offset = 0): boolean {
    const token = this.#peek(offset);
    return token?.kind === "sign" && token.value === value;
  }

  #skipLines(): void {
    while (this.#peek()?.kind === "line") this.#at += 1;
  }

  #statement(): void {
    const before = this.#at;
    const token = this.#peek();
    if (token?.kind === "name" && (token.value === "import" || token.value === "from" || token.value === "use"))
      this.#import();
    else this.#expression();
    if (this.#at === before) this.#at += 1;
  }

  // Imports

  #import(): void {
    const { name } = this.#language;
    const start = this.#at;
    if (name === "python") this.#importPython();
    else if (name === "js" && !this.#sees("(", 1)) this.#importNames("from");
    if (this.#at === start) {
      this.#at += 1;
      if (name === "js") this.#at -= this.#sees("(") ? 1 : 0;
      if (this.#at === start) this.#expression();
    }
  }

  #importPython(): void {
    const isFrom = this.#peek()?.value === "from";
    this.#at += 1;
    let module = "";
    if (isFrom) {
      module = `${this.#dotted()}.`;
      if (this.#peek()?.value === "import") this.#at += 1;
    }
    let isOpen = false;
    for (;;) {
      if (this.#sees("(")) isOpen = true;
      const token = this.#peek();
      if (token === undefined || this.#sees(";") || this.#sees(")") || (token.kind === "line" && !isOpen)) return;
      if (this.#sees("*")) this.#stars.push(module);
      if (token.kind !== "name") {
        this.#at += 1;
        continue;
      }
      const imported = this.#dotted();
      if (imported === "") {
        this.#at += 1;
        continue;
      }
      let as = isFrom ? imported : (imported.split(".")[0] ?? "");
      let target = isFrom ? module + imported : as;
      if (this.#peek()?.value === "as") {
        as = this.#peek(1)?.value ?? as;
        target = module + imported;
        this.#at += 2;
      }
      this.#variables.set(as, new Module(target));
    }
  }

  #dotted(): string {
    let name = "";
    for (;;) {
      while (this.#sees(".") || this.#sees("..")) name += this.#tokens[this.#at++]?.value;
      if (this.#peek()?.kind !== "name" || this.#peek()?.value === "import") return name;
      name += this.#tokens[this.#at++]?.value;
      if (!this.#sees(".")) return name;
    }
  }

  /** Reads `import a, { b as c } from "m"` and `const { b: c } = require("m")`. */
  #importNames(until: "=" | "from"): void {
    const start = this.#at;
    const names: (readonly [as: string, member: string])[] = [];
    let inBraces = false;
    this.#at += 1;
    for (; ; this.#at++) {
      const token = this.#peek();
      if (token === undefined || token.kind === "run" || this.#sees(";") || this.#sees("(")) {
        this.#at = start;
        return;
      }
      if (token.value === until || token.kind === "text") break;
      if (this.#sees("{") || this.#sees("}")) inBraces = this.#sees("{");
      else if (token.kind === "name" && (this.#peek(-1)?.value === "as" || this.#sees(":", -1))) {
        const [, member = ""] = names.pop() ?? [];
        names.push([token.value, member]);
      } else if (token.kind === "name" && token.value !== "as") names.push([token.value, inBraces ? token.value : ""]);
    }
    if (this.#peek()?.kind !== "text") this.#at += 1;
    const value = this.#expression();
    const module = value instanceof Module ? value : until === "from" ? new Module(textOf(value)) : undefined;
    if (module === undefined) return;
    for (const [as, member] of names) {
      this.#variables.set(
        as,
        new Module(member === "" || member === "default" ? module.name : `${module.name}.${member}`),
      );
    }
  }

  // Expressions

  #expression(): Value {
    const { joins, name } = this.#language;
    let left = this.#operand();
    for (;;) {
      const token = this.#peek();
      if (token === undefined || token.kind === "line") return left;
      const before = this.#at;
      if (token.kind === "sign") {
        if (ENDS.includes(token.value)) return left;
        this.#at += 1;
        if (token.value === "=>") return left;
        // A call may follow on the next line.
        this.#skipLines();
        if (token.value === joins || (joins !== "+" && token.value === "+")) left = added(left, this.#operand());
        else if (token.value === "/" && name === "python") left = joinPath([left, this.#operand()], true);
        else if (token.value === "%") {
          const values = this.#operand();
          left = filled(textOf(left), isList(values) ? values : [values]);
        } else if (token.value === "|" || token.value === ">" || token.value === ">>")
          left = this.#awkRedirection(left, token.value);
        else if (token.value === "||" || token.value === "?") {
          const right = this.#expression();
          left = left === UNKNOWN ? right : left;
        } else {
          this.#operand();
          left = UNKNOWN;
        }
      } else if (joins === " " || (token.kind === "text" && this.#peek(-1)?.kind === "text"))
        left = added(left, this.#operand());
      else if (
        token.kind === "name" &&
        (token.value === "or" || token.value === "and" || token.value === "for" || token.value === "if")
      )
        return left;
      else this.#operand();
      if (this.#at === before) return left;
    }
  }

  /** Judges `print x | "command"`, `"command" | getline` and `print x > "file"` in awk. */
  #awkRedirection(left: Value, sign: string): Value {
    const right = this.#operand();
    if (this.#language.name !== "awk") return UNKNOWN;
    if (sign !== "|") this.#take(["tee", textOf(right)]);
    else if (right instanceof Module || this.#peek(-1)?.value === "getline") this.#runText(textOf(left));
    else this.#runText(textOf(right));
    return UNKNOWN;
  }

  #operand(): Value {
    const token = this.#peek();
    this.#shell.spend(WORK_PER_OPERAND);
    if (token === undefined || token.kind === "line") return UNKNOWN;
    if (token.kind === "sign") {
      if (token.value === "(" || token.value === "[") return this.#postfix("", this.#listOrValue(token.value));
      if (token.value === "{") return this.#block();
      if (ENDS.includes(token.value)) return UNKNOWN;
      this.#at += 1;
      if (token.value === "=>" || token.value === "->") return UNKNOWN;
      if (token.value === ">" || token.value === ">>" || token.value === "|")
        return this.#awkRedirection(UNKNOWN, token.value);
      const value = this.#operand();
      return token.value === "-" && typeof value === "string" ? `-${value}` : value;
    }
    this.#at += 1;
    switch (token.kind) {
      case "number":
        return token.value;
      case "run":
        this.#runText(this.#textOf(token));
        return UNKNOWN;
      case "text":
        return this.#member(this.#postfix("", this.#textOf(token)));
      default:
        return this.#name(token);
    }
  }

  /** Records the value after `name:` or `name =>`. */
  #member(key: Value): Value {
    if (this.#sees("=>") || (this.#sees(":") && this.#language.name !== "awk")) {
      if (typeof key !== "string") return key;
      this.#at += 1;
      this.#skipLines();
      const value = this.#expression();
      this.#named.set(key, value);
      return UNKNOWN;
    }
    return key;
  }

  #textOf(token: Token): string {
    const { parts } = token;
    if (parts === undefined) return token.value;
    return parts.map((part, at) => (at % 2 === 0 ? part : this.#hole(part))).join("");
  }

  /** Reads the code in a text. */
  #hole(code: string): string {
    const known = this.#variables.get(code.replace(/^\$/, ""));
    if (known !== undefined) return textOf(known);
    if (!/[\s({[.'"]/.test(code) || this.#depth > MAX_DEPTH) return UNKNOWN;
    this.#shell.spend(WORK_PER_HOLE);
    const inner = new Program(this.#shell, this.#language, code, this.#args, this.#variables);
    inner.#depth = this.#depth + 1;
    inner.#fetches = this.#fetches;
    const value = textOf(inner.#expression());
    inner.judge();
    return value;
  }

  #block(): Value {
    this.#depth += 1;
    this.#at += 1;
    while (this.#depth <= MAX_DEPTH) {
      this.#skipLines();
      if (this.#peek() === undefined || this.#sees("}")) break;
      this.#statement();
    }
    if (this.#sees("}")) this.#at += 1;
    this.#depth -= 1;
    return UNKNOWN;
  }

  #listOrValue(open: string): Value {
    const { values } = this.#arguments();
    return open === "(" && values.length === 1 ? (values[0] ?? UNKNOWN) : values;
  }

  /** Reads values up to the closing bracket. */
  #arguments(): Arguments {
    const outer = this.#named;
    const found: Arguments = { values: [], named: new Map(), text: "" };
    const start = this.#peek()?.start ?? 0;
    const close = this.#sees("[") ? "]" : ")";
    this.#named = found.named;
    this.#depth += 1;
    this.#at += 1;
    // A program that nests more is read as if the brackets were absent.
    while (this.#depth <= MAX_DEPTH) {
      this.#skipLines();
      const token = this.#peek();
      if (token === undefined || this.#sees(close) || this.#sees("}")) break;
      const before = this.#at;
      const value = this.#expression();
      if (this.#at === before || !this.#sees(",", -1)) {
        if (this.#at > before) found.values.push(value);
        this.#skipComprehension(found);
      }
      if (this.#sees(",")) this.#at += 1;
      else if (this.#at === before) this.#at += 1;
    }
    found.text = this.#text.slice(start, this.#peek()?.start);
    if (this.#sees(close)) this.#at += 1;
    this.#depth -= 1;
    this.#named = outer;
    // A list in the arguments shares their names.
    for (const [name, value] of found.named) outer.set(name, value);
    return found;
  }

  /** Reads the rest of `chr(c) for c in [114, 109]`, which has one value for each element. */
  #skipComprehension(found: Arguments): void {
    if (this.#peek()?.value !== "for") return;
    const element = found.values.pop();
    while (this.#peek() !== undefined && this.#peek()?.value !== "in" && !ENDS.includes(this.#peek()?.value ?? ";"))
      this.#at += 1;
    this.#at += 1;
    const values = this.#expression();
    const isChars = this.#text.includes("chr(") && isList(values);
    found.values.push(isChars ? values.map((one) => compute("chr", UNKNOWN, [one]) ?? UNKNOWN) : (element ?? UNKNOWN));
  }

  #name(token: Token): Value {
    const { name, bareCalls } = this.#language;
    const { value } = token;
    if (token.isVariable !== true) {
      if ((value === "const" || value === "let" || value === "var") && this.#sees("{")) {
        this.#at -= 1;
        const before = this.#at;
        this.#importNames("=");
        if (this.#at > before) return UNKNOWN;
        this.#at += 1;
      }
      if (value === "for" || value === "foreach") return this.#loop();
      if (PREFIXES.has(value)) return this.#operand();
    }
    const known = this.#variables.get(value);
    const next = this.#tokens[this.#at];
    if (next === undefined || (next.kind !== "sign" && next.kind !== "text" && !bareCalls))
      return known ?? this.#property(value);
    if (next.kind === "sign") {
      const isShort = next.value === "+" || next.value === ":";
      if (next.value === "=" || (isShort && name !== "awk" && this.#sees("=", 1))) return this.#assign(value);
      if (known !== undefined && !(known instanceof Module)) return this.#postfix("", known);
      if (next.value === ":" && (name === "js" || name === "ruby") && token.isVariable !== true)
        return this.#member(value);
    } else if (known !== undefined && !(known instanceof Module)) return this.#postfix("", known);
    const path = known instanceof Module ? known.name : value;
    return this.#postfix(path, undefined, bareCalls && token.isVariable !== true);
  }

  #assign(name: string): Value {
    while (!this.#sees("=")) this.#at += 1;
    const isAddition = this.#sees("+", -1);
    this.#at += 1;
    this.#skipLines();
    let value = this.#expression();
    if (isAddition) value = added(this.#variables.get(name) ?? UNKNOWN, value);
    // A name in the arguments of a call is also the name of an argument.
    this.#named.set(name, value);
    this.#variables.set(name, value);
    return value;
  }

  /** Reads `for x in list` and similar, and gives the variable all values of the list. */
  #loop(): Value {
    const isWrapped = this.#sees("(");
    if (isWrapped) this.#at += 1;
    while (PREFIXES.has(this.#peek()?.value ?? "")) this.#at += 1;
    const variable = this.#peek();
    if (variable?.kind !== "name") return UNKNOWN;
    const next = this.#peek(1);
    if (next?.value !== "in" && next?.value !== "of" && next?.value !== "(") return UNKNOWN;
    this.#at += next.value === "(" ? 1 : 2;
    const values = this.#expression();
    this.#variables.set(variable.value, isList(values) ? new Choice(values) : UNKNOWN);
    if (isWrapped && this.#sees(")")) this.#at += 1;
    return UNKNOWN;
  }

  /** Reads the members, calls and indices after a value. `path` is the name of the value. */
  #postfix(path: string, first: Value | undefined, mayBeBare = false): Value {
    let current: Value | undefined = first;
    let of: Value = first ?? UNKNOWN;
    let isBare = mayBeBare;
    for (;;) {
      let offset = 0;
      let token = this.#tokens[this.#at];
      // A chain of calls may continue on the next lines.
      while (token?.kind === "line") token = this.#tokens[this.#at + ++offset];
      if (token === undefined) break;
      const sign = token.kind === "sign" ? token.value : "";
      if (sign === "," || sign === ")" || (sign === "" && token.kind !== "text")) break;
      const isMember =
        (sign === "." && this.#language.joins !== ".") ||
        sign === "?." ||
        sign === "::" ||
        sign === "->" ||
        (sign === ":" && this.#language.name === "lua");
      const after = this.#peek(offset + 1);
      if (isMember && after?.kind === "name" && (offset === 0 || sign === "." || sign === "?.")) {
        this.#at += offset + 2;
        of = current ?? (path === "" ? UNKNOWN : this.#property(path));
        path =
          current instanceof Module
            ? `${current.name}.${after.value}`
            : current === undefined || path !== ""
              ? `${path}.${after.value}`
              : `.${after.value}`;
        current = undefined;
        isBare = this.#language.bareCalls;
        continue;
      }
      if (isMember && (after?.value === "(" || after?.value === "[" || after?.value === "{") && sign !== ".") {
        this.#at += offset + 1;
        continue;
      }
      if (offset > 0) break;
      if (sign === "(") {
        const args = this.#readCall(path, of);
        current = this.#call(path, current === undefined ? of : current, args);
        path = current instanceof Module ? current.name : "";
        of = current;
        isBare = false;
        continue;
      }
      if (
        sign === "[" ||
        (sign === "{" && this.#language.name === "perl" && path !== "" && this.#peek(2)?.value === "}")
      ) {
        if (this.#startsBareList(isBare, path)) break;
        current = this.#index(path, current ?? this.#property(path));
        path = current instanceof Module ? current.name : "";
        of = current;
        continue;
      }
      if (
        token?.kind === "text" &&
        this.#language.name === "js" &&
        this.#text[token.start] === "`" &&
        /\$$/.test(path)
      ) {
        this.#at += 1;
        this.#runText(this.#textOf(token));
        return UNKNOWN;
      }
      break;
    }
    if (current !== undefined) return current;
    if (isBare && this.#startsArgument(path)) return this.#call(path, of, this.#bareArguments(path, of));
    if (isBare && effectOf(this.#language.name, path) !== undefined && path !== "open") {
      return this.#call(path, of, { values: [], named: new Map(), text: "" });
    }
    return this.#property(path);
  }

  #startsBareList(isBare: boolean, path: string): boolean {
    // `system [a]` and `a[0]` differ only in the blank.
    return isBare && effectOf(this.#language.name, path) !== undefined;
  }

  /** Whether a call without parentheses begins here. */
  #startsArgument(path: string): boolean {
    const token = this.#peek();
    if (token === undefined || token.kind === "line") return false;
    if (token.kind === "sign")
      return (
        (token.value === "[" || token.value === "\\" || token.value === "*" || token.value === "-") &&
        effectOf(this.#language.name, path) !== undefined
      );
    if (token.kind === "name" && /^(?:if|unless|or|and|do|while|for|foreach|in|then|end|rescue)$/.test(token.value))
      return false;
    return true;
  }

  #bareArguments(path: string, of: Value): Arguments {
    const outer = this.#named;
    const found: Arguments = { values: [], named: new Map(), text: "" };
    this.#named = found.named;
    this.#bindLoop(path, of);
    const start = this.#peek()?.start ?? 0;
    for (;;) {
      const before = this.#at;
      found.values.push(this.#expression());
      if (!this.#sees(",") || this.#at === before) break;
      this.#at += 1;
      this.#skipLines();
    }
    found.text = this.#text.slice(start, this.#peek()?.start);
    this.#named = outer;
    return found;
  }

  #readCall(path: string, of: Value): Arguments {
    this.#bindLoop(path, of);
    return this.#arguments();
  }

  /** Gives the parameter of a block the values of the list: `dirs.each { |d| … }`, `dirs.forEach((d) => …)`. */
  #bindLoop(path: string, of: Value): void {
    if (!LOOPS.has(path.slice(path.lastIndexOf(".") + 1)) || !isList(of)) return;
    for (let offset = 0; offset < 4; offset++) {
      const token = this.#peek(offset);
      if (token?.kind !== "name" || token.value === "do") continue;
      this.#variables.set(token.value, new Choice(of));
      return;
    }
  }

  #index(path: string, of: Value): Value {
    const { name } = this.#language;
    const isHash = this.#sees("{");
    const start = this.#at;
    let keys: readonly Value[];
    if (isHash) {
      keys = [this.#peek(1)?.value ?? ""];
      this.#at += 3;
    } else keys = this.#arguments().values;
    const [key] = keys;
    if (/(?:^|\.)env(?:iron)?$/i.test(path) || path === "ENVIRON") return environment(textOf(key));
    const text = this.#text.slice(this.#tokens[start]?.start, this.#peek(-1)?.start);
    if (name === "python" && /^\[\s*:\s*:\s*-\s*1/.test(text)) return reversed(of);
    if (isList(of) && /^\d+$/.test(textOf(key))) return of[Number(key)] ?? UNKNOWN;
    if (typeof key === "string" && key !== UNKNOWN && !/^\d/.test(key) && path !== "")
      return new Module(`${path}.${key}`);
    return name === "ruby" && path === "Dir" ? (compute("glob", UNKNOWN, keys) ?? UNKNOWN) : UNKNOWN;
  }

  /** Returns the value of a name that is not called. */
  #property(path: string): Value {
    switch (path) {
      case "sys.argv":
        return ["-c", ...this.#args];
      case "process.argv":
        return ["node", ...this.#args];
      case "ARGV":
      case "argv":
      case "Deno.args":
        return this.#args;
      case "os.sep":
      case "path.sep":
        return "/";
      case "Path.home":
      case "Dir.home":
        return compute(path, UNKNOWN, []) ?? UNKNOWN;
    }
    if (!path.includes(".") && !this.#fetches && this.#language.name !== "ruby")
      return path === "" ? UNKNOWN : new Module(path);
    const env = path.includes("env.") ? /(?:^|\.)env\.(\w+)$/.exec(path)?.[1] : undefined;
    if (env !== undefined) return environment(env);
    if (path === "") return UNKNOWN;
    const dot = path.lastIndexOf(".");
    const last = path.slice(dot + 1);
    // In Ruby a method needs no parentheses.
    const simple =
      dot < 0 || this.#language.name !== "ruby"
        ? undefined
        : compute(path, this.#variables.get(path.slice(0, dot)) ?? UNKNOWN, []);
    if (this.#fetches && effectOf(this.#language.name, path) === "!eval")
      this.#shell.denyDownload(`${last} of downloaded text`);
    return simple ?? new Module(path);
  }

  // Effects

  #call(path: string, of: Value, args: Arguments): Value {
    const { name } = this.#language;
    const { values } = args;
    if (path === "getattr" && values.length > 1) {
      const [object, member] = values;
      return new Module(`${object instanceof Module ? object.name : ""}.${textOf(member)}`);
    }
    if (
      name === "ruby" &&
      /(?:^|\.)(?:send|public_send|__send__|method)$/.test(path) &&
      typeof values[0] === "string"
    ) {
      return this.#call(path.replace(/\w+$/, "") + values[0], of, { ...args, values: values.slice(1) });
    }
    if (path === "define" || path === "setattr") return UNKNOWN;
    const effect = this.#effectOf(path);
    if (effect !== undefined) return this.#effect(effect, path, of, args);
    const computed = compute(path, of, values);
    if (computed !== undefined) return computed;
    if (name === "php" && /^https?:/.test(textOf(values[0]))) this.#fetches = true;
    return UNKNOWN;
  }

  #effectOf(path: string): string | undefined {
    const { name } = this.#language;
    const own = effectOf(name, path);
    if (own !== undefined || path.includes(".")) return own;
    for (const star of this.#stars) {
      const imported = effectOf(name, star + path);
      if (imported !== undefined) return imported;
    }
    return undefined;
  }

  #effect(effect: string, path: string, of: Value, args: Arguments): Value {
    this.#shell.spend(WORK_PER_EFFECT);
    switch (effect) {
      case "!run":
        this.#run(args);
        return UNKNOWN;
      case "!rm":
        this.#take(["rm", ...args.values.map(textOf)]);
        return UNKNOWN;
      case "!eval":
        this.#evaluate(path, args.values.at(path.endsWith("Function") ? -1 : 0));
        return UNKNOWN;
      case "!open":
        return this.#open(args);
      case "!openpath":
        return this.#open({ ...args, values: [of, ...args.values] });
      case "!fetch":
        this.#fetches = true;
        return UNKNOWN;
    }
    const words: Value[] = [];
    for (const word of effect.split(" ")) {
      if (word === "*") words.push(...args.values.flatMap((value) => (isList(value) ? value : [value])));
      else if (word === "@") {
        if (typeof of === "string" && of !== UNKNOWN) words.push(of);
      } else if (/^\d$/.test(word))
        words.push(
          ...(isList(args.values[Number(word)])
            ? (args.values[Number(word)] as readonly Value[])
            : [args.values[Number(word)] ?? UNKNOWN]),
        );
      else if (word.endsWith("?")) {
        if (/recursive/.test(args.text)) words.push(word.slice(0, -1));
      } else words.push(word);
    }
    this.#takeEach(words);
    return UNKNOWN;
  }

  /** Judges a command for each value that one of its words may have. */
  #takeEach(words: readonly Value[]): void {
    const at = words.findIndex((word) => word instanceof Choice);
    if (at < 0) {
      const texts = words.map((word) => textOf(word).replace(/^0o?(?=[0-7]{3,4}$)/, ""));
      if (texts[1] === "-rf") this.#removeTrees(texts);
      else this.#take(texts);
      return;
    }
    for (const value of (words[at] as Choice).values)
      this.#takeEach([...words.slice(0, at), value, ...words.slice(at + 1)]);
  }

  #removeTrees(words: readonly string[]): void {
    this.#take(words);
    for (const target of words.slice(2)) {
      // Nothing is known of the folder, so that it may be any folder.
      if (target === UNKNOWN) this.#shell.report(UNSEEN, "a folder is removed with everything in it");
      this.#shell.report(BY_CODE, "a folder is removed with everything in it");
    }
    if (words.length === 2) this.#shell.report(UNSEEN, "folders are removed with everything in them");
  }

  #take(words: readonly string[]): void {
    this.#shell.take(newCommand([...words]), newPipeline());
  }

  #run({ values, named }: Arguments): void {
    const directory = named.get("cwd") ?? named.get("chdir");
    const { directories } = this.#shell.places;
    const { current } = directories;
    if (typeof directory === "string" && directory !== UNKNOWN) this.#take(["cd", directory]);
    const given = values.map((value) => (value instanceof Choice ? (value.values[0] ?? UNKNOWN) : value));
    const [first = named.get("cmd") ?? named.get("args") ?? UNKNOWN, other] = given;
    const second = isList(other) ? other : named.get("args");
    if (isList(first)) this.#take(first.map(textOf));
    else if (isList(second)) this.#take([textOf(first), ...second.map(textOf)]);
    else {
      if (given.length > 1 && (this.#language.variadic || given.every((value) => typeof value === "string")))
        this.#take(given.map(textOf));
      this.#runText(textOf(first));
    }
    directories.current = current;
  }

  #runText(text: string): void {
    const shell = this.#shell;
    if (text.includes(UNKNOWN)) {
      if (this.#fetches && text === UNKNOWN) shell.denyDownload("downloaded text is run");
      shell.mayRun("the text that a program runs is not known");
      for (const { kind, value } of this.#tokens)
        if (kind === "text" && value.length > 1) shell.store().texts.add(value);
    }
    shell.runScript(text);
  }

  /** Judges code that the program runs. */
  #evaluate(path: string, value: Value | undefined): void {
    if (value === undefined) return;
    const code = textOf(value);
    if (code === UNKNOWN) {
      if (value instanceof Module && value.name !== "" && !this.#fetches) return;
      const what = `${path} of a text that is not known`;
      if (this.#fetches) this.#shell.denyDownload(what);
      else this.#shell.reportUnseen(what);
    } else judgeProgram(this.#shell, this.#language.name, code, this.#args, this.#variables);
  }

  /** Judges a file that is opened for writing, and a command that Perl and Ruby open like a file. */
  #open({ values, named }: Arguments): Value {
    const { name } = this.#language;
    const texts = values.map(textOf);
    const from = name === "perl" ? 1 : 0;
    let [file = "", mode = textOf(named.get("mode") ?? "")] = texts.slice(from);
    if (name === "perl") {
      if (texts.length > 2) [mode, file] = [file, mode];
      else {
        [mode = ""] = /^\s*(?:[+<>|]*)|$/.exec(file) ?? [];
        file = file.slice(mode.length).trim();
        if (file.endsWith("|")) mode = "|";
      }
      if (mode.includes("|")) this.#runText([file.replace(/\|\s*$/, ""), ...texts.slice(3)].join(" "));
    } else if (file[0] === "|") this.#runText(file.slice(1));
    if (/[wax+>]/.test(mode) && mode !== UNKNOWN) this.#take(["tee", file]);
    if (/^https?:/.test(file)) this.#fetches = true;
    // The content of a file is like the file itself, which is not read either.
    return "";
  }
}

function added(left: Value, right: Value): Value {
  if (isList(left) && isList(right)) return [...left, ...right];
  const text = textOf(left);
  // Commands are shorter, and adding to a long text copies it each time.
  return text.length > MAX_TEXT ? UNKNOWN : text + textOf(right);
}
