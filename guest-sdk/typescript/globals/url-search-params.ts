import { FORM, percentDecode, percentEncode } from "./percent-encoding.ts";
import { toScalars } from "./url-parser.ts";

type Pair = [name: string, value: string];
type Init = string | Iterable<readonly [string, string]> | Readonly<Record<string, string>> | URLSearchParams;

/** The fields of a query, encoded as in forms. */
export class URLSearchParams {
  #pairs: Pair[];
  #changed: ((query: string) => void) | undefined;

  constructor(init: Init = "") {
    if (typeof init === "string") this.#pairs = parse(init.startsWith("?") ? init.slice(1) : init);
    else if (typeof init === "object" && init !== null) this.#pairs = pairsOf(init);
    else this.#pairs = parse(String(init));
  }

  /** Creates the parameters of a URL. `changed` is called with the new query after every change. */
  static of(query: string, changed: (query: string) => void): URLSearchParams {
    const params = new URLSearchParams();
    params.#pairs = parse(query);
    params.#changed = changed;
    return params;
  }

  /** Updates the parameters after the URL's own query was changed. */
  static refresh(params: URLSearchParams, query: string): void {
    params.#pairs = parse(query);
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(name: string, value: string): void {
    this.#pairs.push([scalars(name), scalars(value)]);
    this.#tell();
  }

  delete(name: string, value?: string): void {
    const [key, wanted] = [scalars(name), value === undefined ? undefined : scalars(value)];
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== key || (wanted !== undefined && pair[1] !== wanted));
    this.#tell();
  }

  get(name: string): string | null {
    const key = scalars(name);
    return this.#pairs.find((pair) => pair[0] === key)?.[1] ?? null;
  }

  getAll(name: string): string[] {
    const key = scalars(name);
    return this.#pairs.filter((pair) => pair[0] === key).map((pair) => pair[1]);
  }

  has(name: string, value?: string): boolean {
    const [key, wanted] = [scalars(name), value === undefined ? undefined : scalars(value)];
    return this.#pairs.some((pair) => pair[0] === key && (wanted === undefined || pair[1] === wanted));
  }

  set(name: string, value: string): void {
    const [key, wanted] = [scalars(name), scalars(value)];
    const first = this.#pairs.findIndex((pair) => pair[0] === key);
    if (first < 0) this.#pairs.push([key, wanted]);
    else {
      this.#pairs = this.#pairs.filter((pair, index) => index <= first || pair[0] !== key);
      this.#pairs[first] = [key, wanted];
    }
    this.#tell();
  }

  /** Sorts fields by code units. Fields with the same name keep their order. */
  sort(): void {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#tell();
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: unknown): void {
    for (const [name, value] of this) callback.call(self, value, name, this);
  }

  *entries(): Generator<Pair, undefined> {
    // The loop uses indices, because the list may change during the iteration.
    for (let index = 0; index < this.#pairs.length; index++) yield [...(this.#pairs[index] as Pair)];
  }

  *keys(): Generator<string, undefined> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): Generator<string, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): Generator<Pair, undefined> {
    return this.entries();
  }

  toString(): string {
    return this.#pairs.map((pair) => pair.map(encode).join("=")).join("&");
  }

  #tell(): void {
    this.#changed?.(this.toString());
  }
}

function parse(query: string): Pair[] {
  return query
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const at = part.indexOf("=");
      return at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
}

function pairsOf(init: Exclude<Init, string>): Pair[] {
  if (!(Symbol.iterator in init)) return Object.entries(init).map(([name, value]) => [scalars(name), scalars(value)]);
  return [...(init as Iterable<readonly [string, string]>)].map((pair) => {
    const [name, value, ...rest] = pair;
    if (name === undefined || value === undefined || rest.length > 0) {
      throw new TypeError("URLSearchParams: each query pair must be an iterable [name, value] tuple");
    }
    return [scalars(name), scalars(value)];
  });
}

function scalars(value: unknown): string {
  return toScalars(String(value));
}

function decode(text: string): string {
  return toScalars(percentDecode(text.replaceAll("+", " ")));
}

function encode(text: string): string {
  return percentEncode(text, FORM).replaceAll("%20", "+");
}
