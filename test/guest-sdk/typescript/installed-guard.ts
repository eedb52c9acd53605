import type { Host, HostResponse } from "../../../guest-sdk/typescript/host.ts";
import { type InstalledGuard, installGuard, type LineTable } from "../../../guest-sdk/typescript/runtime.ts";

/** What the engine adds around a guard, in Node. */
export interface TestHost extends Host {
  readonly lines: [level: number, text: string][];
  readonly vars: Map<string, string>;
  readonly files: Map<string, string>;
  /** Answers by URL. All other URLs get none. */
  readonly answers: Map<string, HostResponse>;
  readonly requests: [request: unknown, body: string | undefined][];
  /** What `random` returns next, from the front; 0 at the end. */
  readonly draws: number[];
}

const globals = globalThis as { __hookbox_host?: Host; __hookbox_guard?: InstalledGuard };

/** `config` as in a rule; the host converts it to texts as for every guest. */
export function makeHost(config: Readonly<Record<string, unknown>> = {}): TestHost {
  const lines: [number, string][] = [];
  const vars = new Map<string, string>();
  const files = new Map<string, string>();
  const answers = new Map<string, HostResponse>();
  const requests: TestHost["requests"] = [];
  const draws: number[] = [];
  return {
    lines,
    vars,
    files,
    answers,
    requests,
    draws,
    config: (key) => {
      if (!Object.hasOwn(config, key)) return undefined;
      const value = config[key];
      return typeof value === "string" ? value : JSON.stringify(value);
    },
    log: (level, text) => void lines.push([level, text]),
    getVar: (key) => vars.get(key),
    setVar: (key, text) => void (text === undefined ? vars.delete(key) : vars.set(key, text)),
    readFile: (path) => files.get(path),
    writeFile: (path, text) => void files.set(path, text),
    request: (text, body) => {
      const request = JSON.parse(text) as { readonly url: string };
      requests.push([request, body]);
      return answers.get(request.url);
    },
    now: () => Date.UTC(2026, 10, 27, 18, 30),
    random: () => draws.shift() ?? 0,
  };
}

export function install(guard: unknown, host: Host = makeHost(), lines?: LineTable): InstalledGuard {
  globals.__hookbox_host = host;
  try {
    installGuard(guard, lines);
    return globals.__hookbox_guard as InstalledGuard;
  } finally {
    // As the engine does.
    delete globals.__hookbox_host;
    delete globals.__hookbox_guard;
  }
}
