/**
 * A second parser of a guard's output, from its bytes, that shares no code with the one under test. It is for
 * `PreToolUse` only, and stricter where that does not matter.
 */

type Value = null | boolean | number | string | readonly Value[] | ReadonlyMap<string, Value>;

const MAX_DEPTH = 32;

class Reader {
  readonly #points: readonly number[];
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#points = codePoints(bytes);
  }

  whole(): Value {
    const value = this.#value(1);
    this.#space();
    if (this.#at !== this.#points.length) throw new SyntaxError("more text");
    return value;
  }

  #peek(): string {
    const point = this.#points[this.#at];
    return point === undefined ? "" : String.fromCodePoint(point);
  }

  #next(): string {
    const found = this.#peek();
    if (found === "") throw new SyntaxError("the end");
    this.#at += 1;
    return found;
  }

  #expect(text: string): void {
    for (const one of text) if (this.#next() !== one) throw new SyntaxError(`not ${text}`);
  }

  #space(): void {
    while (this.#peek() !== "" && " \t\n\r".includes(this.#peek())) this.#at += 1;
  }

  #value(depth: number): Value {
    this.#space();
    switch (this.#peek()) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      case "t":
        this.#expect("true");
        return true;
      case "f":
        this.#expect("false");
        return false;
      case "n":
        this.#expect("null");
        return null;
      default:
        return this.#number();
    }
  }

  #items(close: string, depth: number, item: () => void): void {
    if (depth > MAX_DEPTH) throw new SyntaxError("too deep");
    this.#next();
    this.#space();
    if (this.#peek() === close) {
      this.#next();
      return;
    }
    for (;;) {
      item();
      this.#space();
      const found = this.#next();
      if (found === close) return;
      if (found !== ",") throw new SyntaxError("not a comma");
    }
  }

  #object(depth: number): Value {
    const entries = new Map<string, Value>();
    this.#items("}", depth, () => {
      this.#space();
      const key = this.#string();
      if (entries.has(key)) throw new SyntaxError("a key twice");
      this.#space();
      this.#expect(":");
      entries.set(key, this.#value(depth + 1));
    });
    return entries;
  }

  #array(depth: number): Value {
    const items: Value[] = [];
    this.#items("]", depth, () => void items.push(this.#value(depth + 1)));
    return items;
  }

  #string(): string {
    this.#expect('"');
    let text = "";
    for (;;) {
      const found = this.#next();
      if (found === '"') return text;
      if (found < " ") throw new SyntaxError("a control character");
      text += found === "\\" ? this.#escape() : found;
    }
  }

  #escape(): string {
    const letter = this.#next();
    const at = 'bfnrt"\\/'.indexOf(letter);
    if (at >= 0) return '\b\f\n\r\t"\\/'.charAt(at);
    if (letter !== "u") throw new SyntaxError("no such escape");
    let unit = 0;
    for (let digit = 0; digit < 4; digit += 1) {
      const value = "0123456789abcdef".indexOf(this.#next().toLowerCase());
      if (value < 0) throw new SyntaxError("no digit");
      unit = unit * 16 + value;
    }
    return String.fromCharCode(unit);
  }

  #digits(): string {
    let digits = "";
    while (this.#peek() !== "" && "0123456789".includes(this.#peek())) digits += this.#next();
    if (digits === "") throw new SyntaxError("no digit");
    return digits;
  }

  #number(): number {
    let text = "";
    if (this.#peek() === "-") text += this.#next();
    const whole = this.#digits();
    if (whole.length > 1 && whole.startsWith("0")) throw new SyntaxError("a zero in front");
    text += whole;
    if (this.#peek() === ".") text += this.#next() + this.#digits();
    if (this.#peek() !== "" && "eE".includes(this.#peek())) {
      text += this.#next();
      if (this.#peek() !== "" && "+-".includes(this.#peek())) text += this.#next();
      text += this.#digits();
    }
    return Number(text);
  }
}

/**
 * UTF-8 without overlong forms, surrogates and code points beyond Unicode. A byte order mark is an ordinary character.
 */
function codePoints(bytes: Uint8Array): readonly number[] {
  const points: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at++] ?? 0;
    const more = first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : -1;
    if (more < 0) throw new SyntaxError("not UTF-8");
    let point = more === 0 ? first : first & (0x3f >> more);
    for (let index = 0; index < more; index += 1) {
      const byte = bytes[at++] ?? 0;
      if (byte >> 6 !== 2) throw new SyntaxError("not UTF-8");
      point = (point << 6) | (byte & 0x3f);
    }
    const least = [0, 0x80, 0x800, 0x10000][more] ?? 0;
    if (point < least || point > 0x10ffff || (point >> 11 === 0x1b && more === 2)) throw new SyntaxError("not UTF-8");
    points.push(point);
  }
  return points;
}

const TEXTS = ["reason", "stopReason", "systemMessage", "permissionDecisionReason", "additionalContext"];
const TOP = ["continue", "stopReason", "suppressOutput", "systemMessage", "decision", "reason", "hookSpecificOutput"];
const WORDS = new Map([
  ["allow", "allow"],
  ["approve", "allow"],
  ["ask", "ask"],
  ["defer", "defer"],
  ["block", "deny"],
  ["deny", "deny"],
]);
const WEAKEST_FIRST = ["none", "allow", "ask", "defer", "deny"];

const isMap = (value: unknown): value is ReadonlyMap<string, Value> => value instanceof Map;

/** What the output decides, or `invalid`. */
export function secondOpinion(bytes: Uint8Array): string {
  let root: Value;
  try {
    root = new Reader(bytes).whole();
  } catch (error) {
    if (error instanceof SyntaxError) return "invalid";
    throw error;
  }
  if (!isMap(root)) return "invalid";
  const details = root.get("hookSpecificOutput") ?? (root.has("hookSpecificOutput") ? null : new Map<string, Value>());
  if (!isMap(details)) return "invalid";
  if (root.has("hookSpecificOutput") && details.get("hookEventName") !== "PreToolUse") return "invalid";
  if ([...root.keys()].some((key) => !TOP.includes(key) && key !== "terminalSequence")) return "invalid";
  for (const object of [root, details]) {
    if (TEXTS.some((key) => object.has(key) && typeof object.get(key) !== "string")) return "invalid";
  }
  const general = root.get("decision");
  const permission = details.get("permissionDecision");
  const words = [general, permission].filter((word) => word !== undefined);
  if (words.some((word) => typeof word !== "string" || !WORDS.has(word))) return "invalid";
  // A permission counts only in the words and the place where the agent itself reads one.
  const counted = [
    general === "allow" ? "none" : (WORDS.get(general as string) ?? "none"),
    permission === "approve" ? "none" : (WORDS.get(permission as string) ?? "none"),
    isMap(details.get("decision") ?? null)
      ? behaviourOf(details.get("decision") as ReadonlyMap<string, Value>)
      : "none",
  ];
  const said = counted.reduce((best, word) =>
    WEAKEST_FIRST.indexOf(word) > WEAKEST_FIRST.indexOf(best) ? word : best,
  );
  // A misspelt one makes the reply invalid for the agent, including the other one.
  return said === "allow" && (general === "allow" || permission === "approve") ? "none" : said;
}

/** `PermissionRequest`'s form, whose refusal counts anywhere. */
function behaviourOf(decision: ReadonlyMap<string, Value>): string {
  return decision.get("behavior") === "deny" ? "deny" : "none";
}
