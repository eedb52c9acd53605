/** What the engine gives a guard: `globalThis.__hookbox_host`, while the bundle is evaluated. */
export interface Host {
  /** One value of the rule's `config`: a string as it is, everything else as JSON. */
  config(key: string): string | undefined;
  log(level: LogLevel, text: string): void;
  // What follows fails the call where the guard does not say that it wants it, or its rule does not grant it.
  getVar(key: string): string | undefined;
  /** `undefined` removes. */
  setVar(key: string, text: string | undefined): void;
  readFile(path: string): string | undefined;
  writeFile(path: string, text: string): void;
  /** `request` is JSON: url, method, headers. `undefined`: nobody answered. */
  request(request: string, body: string | undefined): HostResponse | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  /** From 0, included, to 1, excluded. */
  random(): number;
}

export interface HostResponse {
  readonly status: number;
  /** JSON: an object of texts. */
  readonly headers: string;
  readonly body: string;
}

/** trace, debug, info, warn, error */
export type LogLevel = 0 | 1 | 2 | 3 | 4;

let bound: Host | undefined;

/** The engine removes the global once the bundle is evaluated, so it is kept here. */
export function bindHost(host: Host | undefined): void {
  bound = host;
}

/** The engine's functions, or nothing outside of an engine. */
export function currentHost(): Host | undefined {
  return bound ?? (globalThis as { __hookbox_host?: Host }).__hookbox_host;
}
