import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { QuickJS } from "quickjs-wasi";
import { beforeAll, describe, expect, test } from "vitest";
import type { EventName } from "../../../guest-sdk/typescript/events.ts";
import type { Fixture } from "../../../src/sandbox/admission/manifest-schema.ts";
import { replyOf } from "../../events/read-reply.ts";
import { makeHost } from "./installed-guard.ts";
import { NASTY_URLS } from "./nasty-urls.ts";

/** The example, and the globals, as a bundle: in Node, and in a QuickJS without a browser's globals and Intl. */

const ROOT = join(import.meta.dirname, "../../..");
const SDK = join(ROOT, "guest-sdk/typescript");
const fixtures = JSON.parse(readFileSync(join(SDK, "example/fixtures.json"), "utf8")) as readonly Fixture[];

/** What the engine does with the input and the answer, so that both go through JSON. */
const ENTRY = `
import { installGuard } from "./runtime.ts";
import guard from "./example/guard.ts";
import * as base64 from "./globals/base64.ts";
import { structuredClone } from "./globals/structured-clone.ts";
import { TextDecoder } from "./globals/text-decoder.ts";
import { TextEncoder } from "./globals/text-encoder.ts";
import { URL } from "./globals/url.ts";

let config = {};
globalThis.__hookbox_host = { config: (key) => config[key], log: () => undefined };
installGuard(guard);
const installed = globalThis.__hookbox_guard;

globalThis.judge = (event, texts) => {
  config = JSON.parse(texts);
  try {
    return JSON.stringify(installed.handle(JSON.parse(event)));
  } catch (error) {
    return "failed: " + installed.describeError(error);
  }
};

globalThis.readUrl = (text) => {
  try {
    const url = new URL(text);
    url.searchParams.append("a b", "\\u{1f680}");
    return JSON.stringify([url, url.origin, url.host, url.pathname, url.hash, url.username, url.password]);
  } catch (error) {
    return String(error);
  }
};

globalThis.roundTrip = (text) => {
  const bytes = new TextEncoder().encode(text);
  const { list } = structuredClone({ list: [new Map([[text, bytes]])] });
  const [[key, value]] = list[0];
  return JSON.stringify([key, new TextDecoder("utf-8", { fatal: true }).decode(value), base64.btoa(String.fromCharCode(...bytes))]);
};
`;

type Run = (name: "judge" | "readUrl" | "roundTrip", ...args: string[]) => string;
const runs = {} as Record<"node" | "quickjs", Run>;

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: SDK },
    alias: { "hookbox/guest": join(SDK, "index.ts") },
    bundle: true,
    write: false,
    format: "iife",
    target: "es2023",
  });
  const text = outputFiles[0]?.text ?? "";
  new Function(text)();
  runs.node = (name, ...args) =>
    (globalThis as unknown as Record<string, (...args: string[]) => string>)[name]!(...args);
  const vm = await QuickJS.create(readFileSync(join(ROOT, "node_modules/quickjs-wasi/quickjs.wasm")));
  vm.evalCode(`${text};0`);
  runs.quickjs = (name, ...args) =>
    vm.evalCode(`${name}(${args.map((one) => JSON.stringify(one)).join(",")})`).consume((handle) => handle.toString());
});

/** Values as the ABI has them. */
function textsOf(config: Readonly<Record<string, unknown>> = {}): string {
  const host = makeHost(config);
  return JSON.stringify(Object.fromEntries(Object.keys(config).map((key) => [key, host.config(key)])));
}

describe.each(["node", "quickjs"] as const)("the example in %s", (where) => {
  test.each(fixtures)("$name", ({ event, config, decision, reason }) => {
    const output = runs[where]("judge", JSON.stringify(event), textsOf(config));
    expect(output).not.toMatch(/^failed/);
    const name = event.hook_event_name as EventName;
    const reply = replyOf(name, JSON.parse(output));
    expect(reply.decision ?? "none").toBe(decision);
    if (reason !== undefined) expect(reply.reason).toContain(reason);
  });

  test("fails for a config that is not a list of texts", () => {
    const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    for (const words of [5, "production", ["a", 1], null, { 0: "a" }]) {
      expect(runs[where]("judge", JSON.stringify(event), textsOf({ words }))).toMatch(
        /^failed: TypeError: config\.words(\[1\])?: expected /,
      );
    }
  });
});

test("the examples of all languages have the same fixtures", () => {
  expect(fixtures).toEqual(JSON.parse(readFileSync(join(ROOT, "guest-sdk/example-fixtures.json"), "utf8")));
  expect(fixtures.length).toBeGreaterThan(20);
});

test("the globals do the same in QuickJS as in Node", () => {
  for (const url of NASTY_URLS) {
    const wellFormed = url.replace(/[\ud800-\udfff]/gu, "");
    expect([url, runs.quickjs("readUrl", wellFormed)]).toEqual([url, runs.node("readUrl", wellFormed)]);
  }
  for (const text of ["", "abc", "äöü", "\u{1f680}", "\0", "\ufeffx", "a".repeat(5_000)]) {
    expect(runs.quickjs("roundTrip", text)).toBe(runs.node("roundTrip", text));
    expect(JSON.parse(runs.node("roundTrip", text))[0]).toBe(text);
  }
});
