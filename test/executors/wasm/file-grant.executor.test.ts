import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { PathGrant } from "../../../src/grants.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { Rule } from "../../../src/rule.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { wat } from "../../helpers/guests.ts";
import { LIMITS, run, runToFailure, runToReply, wasmRule } from "./wasm-rule.ts";

/**
 * Outputs the content of the file that its configuration names, or "absent" if the file does not exist; first writes a
 * file if its configuration names one.
 */
const READER = wat(`(module
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
  (import "extism:host/env" "output_set" (func $output (param i64 i64)))
  (import "hookbox:host/env" "file_read" (func $read (param i64) (result i64)))
  (import "hookbox:host/env" "file_write" (func $write (param i64 i64)))
  (memory 1)
  (func $value (param $key i64) (result i64) (local $block i64)
    (local.set $block (call $alloc (i64.const 8)))
    (call $store (local.get $block) (local.get $key))
    (call $config (local.get $block)))
  (func (export "handle") (result i32) (local $file i64) (local $to i64)
    (local.set $to (call $value (i64.const ${key("write-to")})))
    (if (i64.ne (local.get $to) (i64.const 0)) (then
      (call $write (local.get $to) (call $value (i64.const ${key("contents")})))))
    (local.set $file (call $read (call $value (i64.const ${key("readfile")}))))
    (if (i64.eqz (local.get $file)) (then (local.set $file (call $value (i64.const ${key("ifabsent")})))))
    (call $output (local.get $file) (call $length (local.get $file)))
    (if (i64.ne (call $value (i64.const ${key("thentrap")})) (i64.const 0)) (then unreachable))
    (i32.const 0)))`);

/** Returns a key of eight letters as the number with these bytes. */
function key(letters: string): bigint {
  return Buffer.from(letters).readBigInt64LE();
}

const reply = (reason: string): string => JSON.stringify({ decision: "deny", reason });
const ABSENT = reply("absent");
const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

function rule(paths: readonly PathGrant[] | undefined, config: JsonObject): Rule {
  const grants = paths === undefined ? {} : { grants: { paths } };
  const limits = { ...LIMITS, fuel: 10_000_000 };
  return wasmRule(READER, { handler: { config: { ifabsent: ABSENT, ...config }, limits, ...grants } });
}

const grant = (name: string, path: string, access: "read" | "write" = "read"): PathGrant => ({ name, path, access });
const reasonOf = async (one: Rule): Promise<string | undefined> => (await runToReply(one, { executor })).reply.reason;

describe("a guard in its thread", () => {
  test("reads the current content of a granted file", async () => {
    const root = makeFolder({ "policy.json": reply("one") });
    const one = rule([grant("policy.json", join(root, "policy.json"))], { readfile: "policy.json" });
    expect(await reasonOf(one)).toBe("one");
    writeFileSync(join(root, "policy.json"), reply("two"));
    expect(await reasonOf(one)).toBe("two");
    expect(await reasonOf(rule([grant("a", join(root, "a"))], { readfile: "a" }))).toBe("absent");
  });

  test("does not load without the grant", async () => {
    const failure = await runToFailure(rule(undefined, { readfile: "a" }), { executor });
    expect(failure).toMatchObject({ code: "HOOK_MODULE_IMPORT", message: expect.stringContaining("file_read") });
  });

  test("fails by name if it reads a file without a grant, and the failure lists the grants", async () => {
    const root = makeFolder({ secret: reply("secret"), policy: reply("policy") });
    symlinkSync("../secret", join(root, "link"));
    for (const [name, why] of [
      ["secret", "is not granted"],
      ["../secret", "is not granted"],
      [join(root, "secret"), "is not granted"],
      ["POLICY", "is not granted"],
      ["folder/../secret", 'the part ".."'],
      ["folder/link", "is a symbolic link"],
    ] as const) {
      const paths = [grant("policy", join(root, "policy")), grant("folder", root)];
      const { receipt, ...failure } = await runToFailure(rule(paths, { readfile: name }), { executor });
      expect(failure).toMatchObject({ kind: "capability", message: expect.stringContaining(why) });
      expect(failure.message).toContain('the rule grants "policy", "folder"');
      expect(receipt).toMatchObject({ grants: ["paths: policy (read), folder (read)"], deterministic: false });
    }
  });

  test("has its file written after it has answered, and reads it in the next call", async () => {
    const root = makeFolder({ cache: null });
    const paths = [grant("cache", join(root, "cache"), "write")];
    const config = { "write-to": "cache/seen", contents: reply("written"), readfile: "cache/seen" };
    expect(await reasonOf(rule(paths, config))).toBe("written");
    expect(readFileSync(join(root, "cache/seen"), "utf8")).toBe(reply("written"));
    expect(await reasonOf(rule(paths, { readfile: "cache/seen" }))).toBe("written");
  });

  test("has nothing written if it fails in any way", async () => {
    const root = makeFolder({ cache: null, bad: "no answer" });
    const paths = [grant("cache", join(root, "cache"), "write"), grant("bad", join(root, "bad"))];
    const config = { "write-to": "cache/seen", contents: reply("written"), readfile: "cache/seen" };
    for (const ending of [{ thentrap: "yes" }, { readfile: "secret" }, { readfile: "bad" }]) {
      await runToFailure(rule(paths, { ...config, ...ending }), { executor });
      expect(readdirSync(join(root, "cache"))).toEqual([]);
    }
  });

  test("has failed if its file cannot be written", async () => {
    const root = makeFolder({ "cache/seen": "old" });
    chmodSync(join(root, "cache/seen"), 0o444);
    const paths = [grant("cache", join(root, "cache"), "write"), grant("none", join(root, "none"), "write")];
    for (const [name, kind, why] of [
      ["cache/seen", "capability", "is read-only"],
      ["none/x", "unavailable", "its folder does not exist"],
    ] as const) {
      const config = { "write-to": name, contents: reply("written"), readfile: name };
      const failure = await runToFailure(rule(paths, config), { executor });
      expect(failure).toMatchObject({ kind, message: expect.stringContaining(why) });
    }
    expect(readFileSync(join(root, "cache/seen"), "utf8")).toBe("old");
  });

  test("does not access the real disk in a fixture's world", async () => {
    const root = makeFolder({ cache: null, policy: reply("real") });
    const paths = [grant("cache", join(root, "cache"), "write"), grant("policy", join(root, "policy"))];
    const given = { files: { policy: reply("given") } };
    const ask = async (config: JsonObject): Promise<unknown> => {
      const signal = new AbortController().signal as never;
      const result = await executor.run(
        rule(paths, config),
        { name: "PreToolUse", dialect: "hookbox", payload: {} },
        {
          signal,
          timeLeftMs: 5_000,
          given,
        },
      );
      return result.ok ? result.reply.reason : result.failure;
    };
    expect(await ask({ readfile: "policy" })).toBe("given");
    expect(await ask({ readfile: "cache/x" })).toBe("absent");
    expect(await ask({ "write-to": "cache/x", contents: reply("kept"), readfile: "cache/x" })).toBe("kept");
    expect(existsSync(join(root, "cache/x"))).toBe(false);
  });
});

test("calls at the same time leave one whole file, and no draft", async () => {
  const root = makeFolder({ cache: null });
  const paths = [grant("cache", join(root, "cache"), "write")];
  const several = new WasmExecutor({ threads: 2 });
  try {
    const results = await Promise.all(
      Array.from({ length: 24 }, (_, at) => {
        const contents = JSON.stringify({ decision: "deny", reason: `${at}`.padEnd(5_000, "x") });
        return run(rule(paths, { "write-to": "cache/seen", contents, readfile: "cache/seen" }), { executor: several });
      }),
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(readdirSync(join(root, "cache"))).toEqual(["seen"]);
    expect(JSON.parse(readFileSync(join(root, "cache/seen"), "utf8")).reason).toHaveLength(5_000);
  } finally {
    await several.close();
  }
});
