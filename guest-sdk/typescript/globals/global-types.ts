// biome-ignore-all lint/suspicious/noTsIgnore: whether the types of Node are there is up to the author
/**
 * Types of the globals in a guard, for editors without other types. The types of browsers or of Node take precedence if
 * they are loaded too, because interfaces merge.
 */
/** @ts-ignore: without Node's types this module does not exist, and the type is not used. */
type NodeTextEncoder = typeof import("node:util").TextEncoder;
/** @ts-ignore: as above. */
type NodeTextDecoder = typeof import("node:util").TextDecoder;
/** @ts-ignore: as above. */
type NodeURL = typeof import("node:url").URL;
/** @ts-ignore: as above. */
type NodeURLSearchParams = typeof import("node:url").URLSearchParams;

declare global {
  interface Console {
    assert(condition?: unknown, ...values: unknown[]): void;
    debug(...values: unknown[]): void;
    error(...values: unknown[]): void;
    info(...values: unknown[]): void;
    log(...values: unknown[]): void;
    trace(...values: unknown[]): void;
    warn(...values: unknown[]): void;
  }
  // biome-ignore-start lint/suspicious/noVar: a global that others declare, too
  var console: Console;

  interface TextEncoder {
    readonly encoding: string;
    encode(input?: string): Uint8Array<ArrayBuffer>;
    encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
  }
  var TextEncoder: typeof globalThis extends { onmessage: unknown; TextEncoder: infer Theirs }
    ? Theirs
    : typeof globalThis extends { process: unknown }
      ? NodeTextEncoder
      : { prototype: TextEncoder; new (): TextEncoder };

  interface TextDecoder {
    readonly encoding: string;
    readonly fatal: boolean;
    readonly ignoreBOM: boolean;
    decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
  }
  var TextDecoder: typeof globalThis extends { onmessage: unknown; TextDecoder: infer Theirs }
    ? Theirs
    : typeof globalThis extends { process: unknown }
      ? NodeTextDecoder
      : {
          prototype: TextDecoder;
          new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder;
        };

  interface URL {
    hash: string;
    host: string;
    hostname: string;
    href: string;
    readonly origin: string;
    password: string;
    pathname: string;
    port: string;
    protocol: string;
    search: string;
    readonly searchParams: URLSearchParams;
    username: string;
    toJSON(): string;
    toString(): string;
  }
  var URL: typeof globalThis extends { onmessage: unknown; URL: infer Theirs }
    ? Theirs
    : typeof globalThis extends { process: unknown }
      ? NodeURL
      : {
          prototype: URL;
          new (url: string | URL, base?: string | URL): URL;
          canParse(url: string | URL, base?: string | URL): boolean;
          parse(url: string | URL, base?: string | URL): URL | null;
        };

  interface URLSearchParams {
    readonly size: number;
    append(name: string, value: string): void;
    delete(name: string, value?: string): void;
    get(name: string): string | null;
    getAll(name: string): string[];
    has(name: string, value?: string): boolean;
    set(name: string, value: string): void;
    sort(): void;
    toString(): string;
    // biome-ignore lint/suspicious/noExplicitAny: as the others declare it
    forEach(callback: (value: string, name: string, params: URLSearchParams) => void, self?: any): void;
    entries(): IterableIterator<[string, string]>;
    keys(): IterableIterator<string>;
    values(): IterableIterator<string>;
    [Symbol.iterator](): IterableIterator<[string, string]>;
  }
  var URLSearchParams: typeof globalThis extends { onmessage: unknown; URLSearchParams: infer Theirs }
    ? Theirs
    : typeof globalThis extends { process: unknown }
      ? NodeURLSearchParams
      : {
          prototype: URLSearchParams;
          new (
            init?: string | Iterable<readonly [string, string]> | Readonly<Record<string, string>> | URLSearchParams,
          ): URLSearchParams;
        };
  // biome-ignore-end lint/suspicious/noVar: a global that others declare, too

  function structuredClone<T>(value: T): T;
  function queueMicrotask(callback: () => void): void;
  function atob(data: string): string;
  function btoa(data: string): string;
}

export {};
