import { describe, expect, test } from "vitest";
import { MAX_MODULE_BYTES } from "../../src/sandbox/admission/module-limits.ts";
import { HOST_FUNCTIONS } from "../../src/sandbox/guest/guest-abi.ts";
import { guest, HANDLE, moduleWith, wat } from "../helpers/guests.ts";
import { admitted, MIB, refused, sha256 } from "./module-requirements.ts";

const HOST = "extism:host/env";
const importing = (name: string, type: string, from: string = HOST): Uint8Array<ArrayBuffer> =>
  wat(`(module (import "${from}" "${name}" ${type}) ${HANDLE})`);

describe("a module is admitted", () => {
  test("with the digest of its bytes, and a key that distinguishes digest and limit", async () => {
    const module = guest("denies");
    const small = await admitted(module, { memoryBytes: 2 * MIB });
    const large = await admitted(module, { memoryBytes: 4 * MIB });
    expect(small.digest).toBe(sha256(module));
    expect(large.digest).toBe(small.digest);
    expect(large.key).not.toBe(small.key);
    expect((await admitted(module, { memoryBytes: 2 * MIB })).key).toBe(small.key);
    expect((await admitted(guest("asks"), { memoryBytes: 2 * MIB })).key).not.toBe(small.key);
  });

  test("if it imports every function that needs no grant, with its exact type", async () => {
    const granted = Object.entries(HOST_FUNCTIONS).filter(([, { capability }]) =>
      ["core", "config", "log"].includes(capability),
    );
    expect(granted.length).toBeGreaterThan(15);
    const imports = granted.map(
      ([name, { params, results }]) =>
        `(import "${HOST}" "${name}" (func (param ${params.join(" ")}) (result ${results.join(" ")})))`,
    );
    await admitted(wat(`(module ${imports.join("\n")} ${HANDLE})`));
  });

  test("without a memory", async () => {
    const module = await admitted(moduleWith(""));
    expect(module.memoryBytes).toBe(16 * MIB);
  });

  test("if its entry point has another name, and the rule says so", async () => {
    const module = wat('(module (func (export "judge") (result i32) (i32.const 0)))');
    await admitted(module, { function: "judge" });
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_ABI",
      message: expect.stringContaining('"handle"'),
    });
  });

  test("at the largest allowed size, and refused one byte above it", async () => {
    const module = moduleWith("");
    const padded = (size: number): Uint8Array<ArrayBuffer> => {
      const content = size - module.byteLength - 5;
      const header = [
        0,
        (content & 0x7f) | 0x80,
        ((content >> 7) & 0x7f) | 0x80,
        ((content >> 14) & 0x7f) | 0x80,
        content >> 21,
      ];
      const file = new Uint8Array(size);
      file.set(module);
      file.set([...header, 4, ...Buffer.from("fill")], module.byteLength);
      return file;
    };
    await admitted(padded(MAX_MODULE_BYTES));
    expect(await refused(padded(MAX_MODULE_BYTES + 1))).toMatchObject({
      code: "HOOK_MODULE_LIMIT",
      kind: "memory",
      limit: MAX_MODULE_BYTES,
      value: MAX_MODULE_BYTES + 1,
    });
  });
});

describe("the digest that a rule pins", () => {
  const module = guest("denies");
  const digest = sha256(module);

  test.each([
    ["in lower case", digest],
    ["in upper case", digest.toUpperCase()],
  ])("is accepted %s", async (_, pinned) => {
    expect((await admitted(module, { sha256: pinned })).digest).toBe(digest);
  });

  test.each([
    ["of another file", sha256(guest("asks"))],
    ["that is one digit short", digest.slice(0, -1)],
    ["that is one digit long", `${digest}0`],
    ["that is empty", ""],
    ["with a space behind it", `${digest} `],
    ["with its algorithm before it", `sha256:${digest}`],
  ])("refuses every module if it is %s", async (_, pinned) => {
    expect(await refused(module, { sha256: pinned })).toMatchObject({
      code: "HOOK_MODULE_DIGEST",
      kind: "integrity",
      message: expect.stringContaining(digest),
    });
  });

  test("is compared before the file is examined in any other way", async () => {
    expect(await refused(Uint8Array.of(1, 2, 3), { sha256: digest })).toMatchObject({ code: "HOOK_MODULE_DIGEST" });
  });

  // The bytes that are digested, read and compiled must be the same.
  test("is that of the view, not of the buffer behind it, if the bytes are part of a larger buffer", async () => {
    const pool = new Uint8Array(16_384).fill(0xaa);
    pool.set(module, 4_321);
    const view = pool.subarray(4_321, 4_321 + module.byteLength);
    const admission = await admitted(view, { sha256: digest });
    expect(admission.key).toBe((await admitted(module)).key);
    expect(WebAssembly.Module.exports(admission.module.compiled)).toEqual(
      WebAssembly.Module.exports((await admitted(module)).module.compiled),
    );
  });
});

describe("a file that is not a module is refused as HOOK_MODULE_INVALID:", () => {
  const module = guest("denies");

  test.each([
    ["an empty file", new Uint8Array(0)],
    ["text", Uint8Array.from(Buffer.from("(module)"))],
    ["a header alone with the wrong version", Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0)],
    ["a module that is cut off", module.slice(0, -1)],
    ["a module with a byte behind it", Uint8Array.from([...module, 0])],
    ["two modules in one file", Uint8Array.from([...module, ...module])],
    ["a function body that does not type-check", wrongBody()],
  ])("%s", async (_, file) => {
    expect(await refused(file)).toMatchObject({ code: "HOOK_MODULE_INVALID", kind: "unavailable" });
  });

  function wrongBody(): Uint8Array<ArrayBuffer> {
    const bytes = moduleWith("");
    // i32.const 0 -> i64.const 0
    bytes[bytes.lastIndexOf(0x41)] = 0x42;
    return bytes;
  }
});

describe("an import is refused as HOOK_MODULE_IMPORT if", () => {
  test.each<[string, Uint8Array<ArrayBuffer>, RegExp]>([
    ["it is of WASI", guest("imports-wasi"), /wasi_snapshot_preview1 clock_time_get.*WASI/],
    ["it is of an older WASI", importing("proc_exit", "(func (param i32))", "wasi_unstable"), /WASI/],
    [
      "its namespace is unknown",
      importing("alloc", "(func (param i64) (result i64))", "extism:host/user"),
      /extism:host\/user alloc/,
    ],
    ["its namespace is that of common toolchains", importing("abort", "(func)", "env"), /env abort/],
    [
      "its namespace is the name that Extism gives to the module itself",
      importing("handle", "(func (result i32))", "main"),
      /main handle/,
    ],
    ["its namespace is empty", importing("alloc", "(func (param i64) (result i64))", ""), /alloc/],
    ["the host has no such function", importing("memory_bytes", "(func (result i64))"), /no such host function/],
    ["its name is one that every object has", importing("toString", "(func (result i64))"), /no such host function/],
    ["its name is __proto__", importing("__proto__", "(func (result i64))"), /no such host function/],
    [
      "a parameter is of another type",
      importing("alloc", "(func (param i32) (result i64))"),
      /must be \(i64\) -> i64, not \(i32\) -> i64/,
    ],
    [
      "a result is of another type",
      importing("alloc", "(func (param i64) (result i32))"),
      /must be \(i64\) -> i64, not \(i64\) -> i32/,
    ],
    ["it lacks a parameter", importing("alloc", "(func (result i64))"), /not \(\) -> i64/],
    ["it has a result too many", importing("free", "(func (param i64) (result i64))"), /must be \(i64\) -> nothing/],
    ["it is a memory", importing("memory", "(memory 1)"), /memory cannot be imported/],
    ["it is a table", importing("table", "(table 1 funcref)"), /table cannot be imported/],
    ["it is a global", importing("alloc", "(global i64)"), /global cannot be imported/],
    ["it is a tag", importing("alloc", "(tag)"), /tag cannot be imported/],
    ["it needs a grant of state", importing("var_get", "(func (param i64) (result i64))"), /grant of "state"/],
    // The grant is called "hosts" in a rule.
    ["it needs a grant of hosts", importing("http_request", "(func (param i64 i64) (result i64))"), /grant of "hosts"/],
  ])("%s", async (_, module, message) => {
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_IMPORT",
      kind: "capability",
      message: expect.stringMatching(message),
    });
  });

  test("only one of many is unknown", async () => {
    const module = wat(`(module
      (import "${HOST}" "alloc" (func (param i64) (result i64)))
      (import "${HOST}" "free" (func (param i64)))
      (import "${HOST}" "exec" (func (param i64) (result i64)))
      ${HANDLE})`);
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_IMPORT",
      message: expect.stringContaining("exec"),
    });
  });
});

describe("code that would run before a call is refused as HOOK_MODULE_ABI:", () => {
  test.each([
    ["a start function", guest("runs-before-its-call"), "handle", /start function/],
    ["_start", moduleWith('(func (export "_start"))'), "handle", /_start/],
    ["_initialize", moduleWith('(func (export "_initialize"))'), "handle", /_initialize/],
    ["hs_init", moduleWith('(func (export "hs_init") (param i32 i32))'), "handle", /hs_init/],
    ["_start that is no function", moduleWith('(global (export "_start") i32 (i32.const 1))'), "handle", /_start/],
    [
      "_start as the entry point itself",
      wat('(module (func (export "_start") (result i32) (i32.const 0)))'),
      "_start",
      /_start/,
    ],
  ])("%s", async (_, module, name, message) => {
    expect(await refused(module, { function: name })).toMatchObject({
      code: "HOOK_MODULE_ABI",
      kind: "capability",
      message: expect.stringMatching(message),
    });
  });
});

describe("an entry point is refused as HOOK_MODULE_ABI if it", () => {
  test.each([
    ["is missing", wat("(module)"), /has no export "handle"; it must be \(\) -> i32/],
    ["is not exported", wat("(module (func $handle (result i32) (i32.const 0)))"), /has no export "handle"/],
    [
      "is spelled differently",
      wat('(module (func (export "Handle") (result i32) (i32.const 0)))'),
      /has no export "handle"/,
    ],
    ["is a memory", wat('(module (memory (export "handle") 1))'), /as a memory/],
    ["is a global", wat('(module (global (export "handle") i32 (i32.const 0)))'), /as a global/],
    [
      "takes a parameter",
      wat('(module (func (export "handle") (param i32) (result i32) (i32.const 0)))'),
      /as \(i32\) -> i32/,
    ],
    ["returns nothing", wat('(module (func (export "handle")))'), /as \(\) -> nothing/],
    ["returns an i64", wat('(module (func (export "handle") (result i64) (i64.const 0)))'), /as \(\) -> i64/],
    [
      "returns two values",
      wat('(module (func (export "handle") (result i32 i32) (i32.const 0) (i32.const 0)))'),
      /i32, i32/,
    ],
  ])("%s", async (_, module, message) => {
    expect(await refused(module)).toMatchObject({
      code: "HOOK_MODULE_ABI",
      kind: "unavailable",
      message: expect.stringMatching(message),
    });
  });
});
