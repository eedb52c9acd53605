import type { Host } from "../../../guest-sdk/typescript/host.ts";
import { type InstalledGuard, installGuard, type LineTable } from "../../../guest-sdk/typescript/runtime.ts";

/** What the engine puts around a guard, in Node. */
export interface TestHost extends Host {
  readonly lines: [level: number, text: string][];
  readonly vars: Map<string, string>;
}

const globals = globalThis as { __hookbox_host?: Host; __hookbox_guard?: InstalledGuard };

/** `config` as a rule has it; the host makes texts of it as for every guest. */
export function makeHost(config: Readonly<Record<string, unknown>> = {}): TestHost {
  const lines: [number, string][] = [];
  const vars = new Map<string, string>();
  return {
    lines,
    vars,
    config: (key) => {
      if (!Object.hasOwn(config, key)) return undefined;
      const value = config[key];
      return typeof value === "string" ? value : JSON.stringify(value);
    },
    log: (level, text) => void lines.push([level, text]),
    getVar: (key) => vars.get(key),
    setVar: (key, text) => void (text === undefined ? vars.delete(key) : vars.set(key, text)),
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
