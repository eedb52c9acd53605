import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GuardScriptError, type Snapshot, snapshotGuard } from "../../../src/authoring/typescript/snapshot.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Capability } from "../../../src/sandbox/grants/grants.ts";
import { capabilityOf } from "../../../src/sandbox/guest/guest-abi.ts";
import { openModule, readModule } from "../../../src/wasm-binary/module-binary.ts";
import { LIMITS, runToFailure, runToReply, toolEvent, wasmRule } from "../../executors/wasm/wasm-rule.ts";
import { wat } from "../../helpers/guests.ts";
import { sampleOf } from "../../helpers/tier.ts";
import { admitted, MIB } from "../../sandbox/module-requirements.ts";
import { buildScript, resultOf, ScriptTable, saying, scriptOf, snapshotOf } from "./script-guard.ts";

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

describe("a snapshot", () => {
  let small: Snapshot;
  beforeAll(async () => {
    small = await snapshotOf("return {};");
  });

  test("has the same bytes for the same script", async () => {
    expect(sha256((await snapshotOf("return {};")).wasm)).toBe(sha256(small.wasm));
    expect(sha256((await snapshotOf("return [];")).wasm)).not.toBe(sha256(small.wasm));
  });

  test("contains the manifest, byte for byte", async () => {
    const manifest = JSON.stringify({ name: "größe", description: "日本語 \u{1f600}" });
    const script = scriptOf("return {};").replace('"{}"', JSON.stringify(manifest));
    expect((await buildScript(script)).manifest).toBe(manifest);
  });

  test("exports its memory and handle, imports host functions only, and is admitted", async () => {
    const { wasm, memoryBytes } = small;
    const { exports, imports, mutableGlobals, memory } = openModule(wasm).outline;
    expect(exports.map(({ name }) => name)).toEqual(["memory", "handle"]);
    expect(new Set(imports.map(({ module }) => module))).toEqual(
      new Set(["extism:host/env", "hookbox:host/absent", "hookbox:host/env"]),
    );
    expect(new Set(imports.map(capabilityOf))).toEqual(new Set(["core", "config", "log"]));
    expect(mutableGlobals).toHaveLength(1);
    expect((memory?.initialPages ?? 0) * 65_536).toBe(memoryBytes);
    await admitted(wasm);
  });

  test("can be restored after a call: nothing in it changes what JavaScript cannot restore", () => {
    const { lastingOperator, onlyNumbers } = readModule(small.wasm);
    expect(lastingOperator).toBeUndefined();
    expect(onlyNumbers).toBe(true);
  });

  test("starts with less than a megabyte of memory", () => {
    expect(small.memoryBytes).toBeLessThan(MIB);
  });

  test("keeps nothing that the build has discarded", async () => {
    const garbage = "let all = []; for (let i = 0; i < 2e4; i++) all.push({ text: `number ${i}` }); all = undefined;";
    const { wasm, memoryBytes } = await snapshotOf("return {};", garbage);
    expect(wasm.byteLength).toBeLessThan(small.wasm.byteLength * 1.1);
    expect(Buffer.from(wasm).includes("number 19999")).toBe(false);
    expect(memoryBytes).toBeLessThan(8 * MIB);
  });

  test.each<[Capability, readonly string[]]>([
    ["state", ["extism:host/env var_get", "extism:host/env var_set"]],
    ["hosts", ["extism:host/env http_request", "extism:host/env http_status_code", "extism:host/env http_headers"]],
    ["paths", ["hookbox:host/env file_read", "hookbox:host/env file_write"]],
    ["clock", ["hookbox:host/env clock_now"]],
    ["random", ["hookbox:host/env random_bits"]],
  ])("of a guard that wants %s imports only its functions", async (want, names) => {
    const { wasm } = await snapshotOf("return {};", "", [want]);
    const reaching = openModule(wasm).outline.imports.filter((entry) => capabilityOf(entry) === want);
    expect(reaching.map(({ module, name }) => `${module} ${name}`).sort()).toEqual([...names].sort());
    const others = new Set(openModule(wasm).outline.imports.map(capabilityOf));
    expect(others).toEqual(new Set(["core", "config", "log", want]));
  });
});

describe("building refuses", () => {
  const REFUSED: readonly (readonly [string, string, RegExp])[] = [
    ["a script that throws", "null.x", /TypeError[\s\S]*guard\.js:1:/],
    ["a script that is not one", "const = 1;", /SyntaxError[\s\S]*guard\.js:1:/],
    ["a script without a guard", "1", /did not define a guard/],
    ["half a guard", "globalThis.__hookbox_guard = { manifest: '{}' }", /lacks handle/],
    ["a top level that never ends", "for (;;) {}", /too long/],
    [
      "a top level that searches for ever, in turns that the engine does not count",
      "const text = 'a'.repeat(500000); for (;;) globalThis.at = text.indexOf('b');",
      /takes too long/,
    ],
    ["a top level that takes all memory", "const a = []; for (;;) a.push(Array(1e4).fill(a.length));", /out of memory/],
    ["endless recursion", "(function again() { again(); })()", /stack overflow/],
    [
      "a rejection that nobody looks at",
      scriptOf("return {};", 'Promise.reject(new Error("lost"));'),
      /rejected without a handler[\s\S]*lost/,
    ],
    ["reading configuration at the top level", '__hookbox_host.config("a")', /config is read in handle, not while/],
    ["logging at the top level", '__hookbox_host.log(2, "a")', /in handle, not while the guard is built/],
    ["reading state at the top level", '__hookbox_host.getVar("a")', /state is read in handle, not while/],
    ["writing state at the top level", '__hookbox_host.setVar("a", "b")', /state is written in handle, not while/],
    ["reading a file at the top level", '__hookbox_host.readFile("a")', /files are read in handle, not while/],
    ["writing a file at the top level", '__hookbox_host.writeFile("a", "b")', /files are written in handle, not while/],
    ["a request at the top level", '__hookbox_host.request("{}")', /requests are made in handle, not while/],
    ["reading the clock at the top level", "__hookbox_host.now()", /the clock is read in handle, not while/],
    ["drawing lots at the top level", "__hookbox_host.random()", /random numbers are drawn in handle, not while/],
  ];
  // Both endless scripts take seconds.
  test.each(sampleOf(REFUSED, 2, ([, , message]) => String(message)))("%s", async (_, script, message) => {
    const error = await buildScript(script).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GuardScriptError);
    expect((error as Error).message).toMatch(message);
  });

  test.each([
    ["clock", "\nconst began = Date.now();", /the clock is read in handle, not while.*\n[\s\S]*guard\.js:2:/],
    ["clock", "\nconst began = new Date();", /the clock is read in handle/],
    ["random", "\nconst lot = Math.random();", /random numbers are drawn in handle, not while.*\n[\s\S]*guard\.js:2:/],
  ])("a guard that wants %s and has used it at the top level: %s", async (want, before, message) => {
    await expect(snapshotOf("return {};", before, [want])).rejects.toThrow(message);
    // A guard that does not want it keeps the default value.
    await snapshotOf("return {};", before, ["state"]);
  });

  test("an engine that is not the built one", async () => {
    const module = wat('(module (memory 1 2) (func (export "handle") (result i32) (i32.const 0)))');
    const parts = { engine: module, script: "1", fileName: "a.js", wantsOf: () => [] };
    await expect(snapshotGuard(parts)).rejects.toThrow();
  });
});

describe("a call", () => {
  const table = new ScriptTable("const { config, log } = __hookbox_host;");
  const counting = table.add(saying("(globalThis.n = (globalThis.n ?? 0) + 1, globalThis.n)"));
  const configured = table.add(saying('[config("a"), config("b"), config("")]'));
  const logging = table.add('for (let i = 0; i < 5; i++) log(i, "line " + i); return {};');
  const namesOfTheEngine = table.add(saying("[typeof __hookbox_host, typeof __hookbox_guard]"));
  const lengthOfTheCommand = table.add(saying("event.tool_input.command.length"));
  const nameOfTheTool = table.add(saying("event.tool_name"));
  const lateCatch = table.add(
    "const p = Promise.reject(new Error('x')); return Promise.resolve().then(() => p.catch(() => ({})))",
  );

  test("leaves nothing behind for the next", async () => {
    for (let call = 0; call < 3; call += 1) expect(await resultOf(counting, executor)).toBe(1);
  });

  test("sees its configuration, and undefined if there is none", async () => {
    const { handler, ...parts } = await configured.rule();
    if (handler.type !== "wasm") throw new Error("not a guard");
    const rule = { ...parts, handler: { ...handler, config: { a: "größe" } } };
    const { reply } = await runToReply(rule, { executor, event: configured.event });
    expect(reply.reason).toBe('{"value":["größe",null,null]}');
  });

  test("logs at the level that it names", async () => {
    const { receipt } = await runToReply(await logging.rule(), { executor, event: logging.event });
    expect(receipt.log).toEqual(["trace: line 0", "debug: line 1", "info: line 2", "warn: line 3", "error: line 4"]);
  });

  test("does not see the engine's own names", async () => {
    expect(await resultOf(namesOfTheEngine, executor)).toEqual(["undefined", "undefined"]);
  });

  test("takes an event of a megabyte, in any alphabet", async () => {
    const rule = await lengthOfTheCommand.rule();
    for (const text of ["x".repeat(MIB), "é".repeat(MIB / 2), "日".repeat(MIB / 4), "\u{1f600}".repeat(MIB / 4)]) {
      const event = toolEvent({ ...lengthOfTheCommand.event.payload, tool_input: { command: text } });
      expect((await runToReply(rule, { executor, event })).reply.reason).toBe(`{"value":${text.length}}`);
    }
  });

  test("costs the same each time", async () => {
    const rule = await nameOfTheTool.rule();
    const fuels: unknown[] = [];
    for (let call = 0; call < 3; call += 1)
      fuels.push((await runToReply(rule, { executor, event: nameOfTheTool.event })).receipt.fuel);
    expect(new Set(fuels).size).toBe(1);
  });

  test("may handle a rejection later than it happens", async () => {
    const { reply } = await runToReply(await lateCatch.rule(), { executor, event: lateCatch.event });
    expect(reply.decision).toBeUndefined();
  });
});

describe("a failure is named, and the next call is right:", () => {
  const table = new ScriptTable();
  const sum = table.add(saying("1 + 1"));

  /** LINE is the line of the body. */
  const failures: readonly (readonly [string, string, string, RegExp])[] = [
    ["an error that is thrown", "null.x", "exit", /TypeError[\s\S]*handle \(guard\.js:LINE:/],
    ["something else that is thrown", "throw 'text'", "exit", /thrown: text/],
    ["a promise that never settles", "return new Promise(() => {})", "exit", /never settles/],
    ["a promise that is rejected", "return Promise.reject(new Error('no'))", "exit", /Error: no/],
    ["an async function that throws", "return (async () => { await null; null.x })()", "exit", /TypeError/],
    [
      "a rejection that nobody looks at",
      "Promise.reject(new Error('lost')); return {}",
      "exit",
      /rejected without a handler: Error: lost/,
    ],
    ["a microtask that throws", "queueMicrotask(() => { throw new Error('late') }); return {}", "exit", /Error: late/],
    ["an answer that is no object", "return 'deny'", "exit", /not an object/],
    ["an answer that has no JSON form", "return () => {}", "exit", /has no JSON form/],
    ["an answer that contains itself", "const a = {}; a.a = a; return a", "exit", /circular/],
    [
      "recursion",
      "return (function again(n) { return again(n + 1) + 1; })(0)",
      "exit",
      /stack overflow[\s\S]*again \(guard\.js:LINE:/,
    ],
    ["recursion through a built-in", "const f = () => [1].map(f); return f()", "exit", /stack overflow/],
    ["recursion of a getter", "const o = { get o() { return this.o; } }; return o.o", "exit", /stack overflow/],
    [
      "an answer that is nested too deep",
      "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o",
      "exit",
      /stack overflow/,
    ],
    ["JSON that is nested too deep", "JSON.parse('['.repeat(1e5))", "exit", /stack overflow/],
    [
      "a regular expression that is nested too deep",
      "let s = 'a'; for (let i = 0; i < 3e3; i++) s = `(?=${s})`; new RegExp(s)",
      "exit",
      /stack overflow/,
    ],
    [
      "objects without end",
      "const a = []; for (;;) a.push({ n: a.length })",
      "exit",
      /out of memory[\s\S]*guard\.js:LINE/,
    ],
    ["buffers without end", "const a = []; for (;;) a.push(new Uint8Array(65536))", "exit", /out of memory/],
    ["text without end", "let s = 'ab'; for (;;) s += s", "exit", /string too long|out of memory/],
    ["code that is made while it runs", "return eval('({})')", "exit", /eval is not supported/],
    ["a function that is made while it runs", "return new Function('return {}')()", "exit", /eval is not supported/],
  ];
  for (const [title, body, kind, message] of failures) {
    const entry = table.add(body);
    test(title, async () => {
      expect(await runToFailure(await entry.rule(), { executor, event: entry.event })).toMatchObject({
        kind,
        message: expect.stringMatching(message.source.replace("LINE", String(entry.line))),
      });
      expect(await resultOf(sum, executor)).toBe(2);
    });
  }

  for (const body of [
    "for (;;) {}",
    "return { a: /^(a+)+$/.test('a'.repeat(40) + 'b') }",
    "const f = async () => { for (;;) await null }; return f()",
  ]) {
    const entry = table.add(body);
    test(`no end: ${body}`, async () => {
      const { handler, ...parts } = await entry.rule();
      if (handler.type !== "wasm") throw new Error("not a guard");
      const rule = { ...parts, handler: { ...handler, limits: { ...LIMITS, fuel: 100_000_000 } } };
      expect(await runToFailure(rule, { executor, event: entry.event })).toMatchObject({ kind: "fuel" });
      expect(await resultOf(sum, executor)).toBe(2);
    });
  }

  test("a failing description has the engine's own message", async () => {
    const ways = "[() => { throw 1 }, () => 1, (e) => describeAgain(e)]";
    const body = "globalThis.way = event.way; throw new RangeError('original')";
    const script = scriptOf(body).replace(
      /describeError: .*/,
      `describeError: (error) => ${ways}[globalThis.way](error),`,
    );
    const rule = wasmRule((await buildScript(script)).wasm);
    for (const way of [0, 1, 2]) {
      const { message } = await runToFailure(rule, { executor, event: toolEvent({ way }) });
      expect(message).toMatch(/RangeError: original[\s\S]*guard\.js/);
    }
  });
});
