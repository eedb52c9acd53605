/** The functions that the engine gives a guard in `globalThis.__hookbox_host`, while the bundle is evaluated. */
export interface Host {
  /** Returns one value of the rule's `config`: a string unchanged, any other value as JSON. */
  config(key: string): string | undefined;
  log(level: LogLevel, text: string): void;
  // The functions below fail the call unless the guard wants the grant and its rule grants it.
  getVar(key: string): string | undefined;
  /** Sets a variable. `undefined` removes the value. */
  setVar(key: string, text: string | undefined): void;
  readFile(path: string): string | undefined;
  writeFile(path: string, text: string): void;
  /** Sends a request. `request` is JSON with url, method and headers. `undefined`: there was no answer. */
  request(request: string, body: string | undefined): HostResponse | undefined;
  /** Returns milliseconds since 1970. */
  now(): number;
  /** Returns a number from 0 (included) to 1 (excluded). */
  random(): number;
}

export interface HostResponse {
  readonly status: number;
  /** The headers as JSON: an object whose values are strings. */
  readonly headers: string;
  readonly body: string;
}

/** The levels trace, debug, info, warn and error. */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

let bound: Host | undefined;

/** Keeps the functions, because the engine removes the global after evaluating the bundle. */
export function bindHost(host: Host | undefined): void {
  bound = host;
}

/** Returns the engine's functions, or `undefined` outside of an engine. */
export function currentHost(): Host | undefined {
  return bound ?? (globalThis as { __hookbox_host?: Host }).__hookbox_host;
}
