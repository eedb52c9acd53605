import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { usualLimits } from "../../../src/dialects/shipped-guards.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Rule } from "../../../src/rule.ts";
import { MAX_MODULE_BYTES } from "../../../src/sandbox/admission/module-limits.ts";
import { BUILTIN_GUARDS } from "../../../src/sandbox/modules/builtin-guards.ts";
import { folderWith } from "../../config/config-files.ts";
import { answering, guest, HANDLE, wat } from "../../helpers/guests.ts";
import { MIB, sha256 } from "../../sandbox/module-requirements.ts";
import { fileOf, LIMITS, openExecutor, run, runToFailure, runToReply, wasmRule } from "./wasm-rule.ts";

const executor = new WasmExecutor({ threads: 1 });
afterAll(() => executor.close());

const ruleFor = (module: string, handler: object = {}, parts: Partial<Rule> = {}): Rule =>
  wasmRule(new Uint8Array(0), { ...parts, handler: { ...handler, module } } as never);

describe("a module that cannot be read closes the gate by name:", () => {
  test("a file that does not exist", async () => {
    const rule = ruleFor("./nowhere.wasm", {}, { baseDir: "/no/such/folder" });
    const { kind, code, message, receipt } = await runToFailure(rule, { executor });
    expect([kind, code]).toEqual(["unavailable", "HOOK_MODULE_NOT_FOUND"]);
    expect(message).toContain("/no/such/folder/nowhere.wasm");
    expect(receipt).toMatchObject({ inputBytes: expect.any(Number), abi: 1 });
    expect(receipt).not.toHaveProperty("module");
  });

  test.each([
    ["guard.wasm", ["guard.ts"], "hookbox build FOLDER"],
    ["guard.wasm", ["Cargo.toml"], "hookbox build FOLDER"],
    ["guard.wasm", ["guard.c", "guard.js"], "hookbox build FOLDER/guard.js -o FOLDER/guard.wasm"],
    ["no-prod.wasm", ["no-prod.ts"], "hookbox build FOLDER/no-prod.ts -o FOLDER/no-prod.wasm"],
    ["no-prod.wasm", ["guard.ts", "Cargo.toml"], undefined],
    ["guard.wasm", [], undefined],
  ])("%s, which is not built, next to %j", async (name, sources, build) => {
    const folder = folderWith(Object.fromEntries(sources.map((source) => [source, ""])));
    const { message } = await runToFailure(ruleFor(`./${name}`, {}, { baseDir: folder }), { executor });
    const [, told] = /build it with "(.*)"/.exec(message) ?? [];
    expect(told).toBe(build?.replaceAll("FOLDER", folder));
  });

  test("a folder", async () => {
    const folder = `${fileOf(new Uint8Array(0))}.d`;
    mkdirSync(folder);
    expect(await runToFailure(ruleFor(folder), { executor })).toMatchObject({
      kind: "unavailable",
      code: "HOOK_MODULE_NOT_FOUND",
    });
  });

  test("an empty file", async () => {
    expect(await runToFailure(wasmRule(new Uint8Array(0)), { executor })).toMatchObject({
      code: "HOOK_MODULE_INVALID",
    });
  });

  test("a built-in guard that does not exist", async () => {
    for (const name of [
      "builtin:no-such-guard",
      "builtin:",
      "builtin:__proto__",
      "builtin:toString",
      "builtin:../guards/x",
    ]) {
      const failure = await runToFailure(ruleFor(name), { executor });
      expect(failure).toMatchObject({ kind: "unavailable", code: "HOOK_MODULE_NOT_FOUND" });
      expect(failure.message).toContain(name.slice("builtin:".length));
    }
  });

  // By its size, before it is read: reading it whole would fail in another way and cost memory.
  test("a file that is longer than any module may be, without reading all of it", async () => {
    const file = fileOf(guest("denies"));
    truncateSync(file, 3 * 1_024 * MIB);
    expect(await runToFailure(ruleFor(file), { executor })).toMatchObject({
      kind: "memory",
      code: "HOOK_MODULE_LIMIT",
      limit: MAX_MODULE_BYTES,
    });
  });

  // Opening a pipe waits for a writer, and no signal ends that; /dev/zero would be read until memory is full.
  test("a path that is not a file, whose reading would never end", async () => {
    if (process.platform === "win32") return;
    const pipe = `${fileOf(new Uint8Array(0))}.pipe`;
    execFileSync("mkfifo", [pipe]);
    // Releases a reader that waits for a writer.
    onTestFinished(() => closeSync(openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)));
    const result = run(ruleFor(pipe), { executor: openExecutor() });
    expect(await Promise.race([result, sleep(5_000, "still reading")])).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", code: "HOOK_MODULE_NOT_FOUND" },
    });
  });
});

describe("the digest of a rule", () => {
  const digest = sha256(guest("denies"));

  test("lets its module run, in upper or lower case", async () => {
    for (const pinned of [digest, digest.toUpperCase()]) {
      const { reply } = await runToReply(wasmRule("denies", { handler: { sha256: pinned } }), { executor });
      expect(reply.decision).toBe("deny");
    }
  });

  test("rejects every other module", async () => {
    const rule = wasmRule("allows", { handler: { sha256: digest } });
    expect(await runToFailure(rule, { executor })).toMatchObject({ kind: "integrity", code: "HOOK_MODULE_DIGEST" });
  });

  // Admissions are stored by what was asked for; an empty digest differs from none.
  test("rejects a module although a rule without a digest has admitted the same file", async () => {
    const module = fileOf(guest("denies"));
    const single = openExecutor();
    expect((await runToReply(ruleFor(module), { executor: single })).reply.decision).toBe("deny");
    for (const pinned of [sha256(guest("asks")), digest.slice(1), "", "0".repeat(64)]) {
      expect(await runToFailure(ruleFor(module, { sha256: pinned }), { executor: single })).toMatchObject({
        kind: "integrity",
      });
    }
  });
});

test("a shipped guard is found by its name, and a rule may also pin it", async () => {
  const shipped = Object.entries(BUILTIN_GUARDS);
  expect(shipped.length).toBeGreaterThan(0);
  for (const [name, { sha256: digest }] of shipped) {
    const limits = usualLimits(`builtin:${name}`, BUILTIN_DEFAULTS);
    const rule = (pinned: object) => ruleFor(`builtin:${name}`, { limits, ...pinned }, { baseDir: "/no/such/folder" });
    expect(await executor.prepare(rule({}))).toEqual([]);
    expect(await executor.prepare(rule({ sha256: digest.toUpperCase() }))).toEqual([]);
    expect(await runToFailure(rule({ sha256: "0".repeat(64) }), { executor })).toMatchObject({ kind: "integrity" });
  }
});

describe("preparing a rule", () => {
  test("finds no problem in a valid module", async () => {
    expect(await executor.prepare(wasmRule("denies"))).toEqual([]);
  });

  test("names rule, place and code of an invalid module, as a run does", async () => {
    const place = { file: "/etc/hookbox.json", line: 3, column: 5 };
    const rule = wasmRule("imports-wasi", { name: "third party", place });
    expect(await executor.prepare(rule)).toEqual([
      {
        severity: "error",
        code: "HOOK_MODULE_IMPORT",
        message: expect.stringMatching(/third party.*wasi_snapshot_preview1/),
        hint: expect.stringContaining('"wasi": true'),
        place,
      },
    ]);
    expect(await runToFailure(rule, { executor })).toMatchObject({ kind: "capability", code: "HOOK_MODULE_IMPORT" });
  });

  test("reads a module once: later changes of the file have no effect", async () => {
    const file = fileOf(guest("denies"));
    const rule = ruleFor(file);
    const single = openExecutor();
    await single.prepare(rule);
    writeFileSync(file, guest("allows"));
    expect((await runToReply(rule, { executor: single })).reply.decision).toBe("deny");
    rmSync(file);
    expect((await runToReply(rule, { executor: single })).reply.decision).toBe("deny");
  });
});

// They are text of an untrusted author, and `check` prints them.
test("names from a module in a message are cleaned for a terminal, and cut", async () => {
  const control = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
  const modules = [
    wat(`(module (import "e\\1b[2Jvil" "na\\0ame" (func)) ${HANDLE})`),
    wat(`(module (import "\u202elive" "\u009bJ" (func)) ${HANDLE})`),
    wat(`(module (import "${"m".repeat(50_000)}" "f" (func)) ${HANDLE})`),
  ];
  for (const module of modules) {
    const rule = wasmRule(module);
    const [problem] = await executor.prepare(rule);
    const failure = await runToFailure(rule, { executor });
    for (const message of [problem?.message ?? "", failure.message]) {
      expect(message).toContain("imports");
      expect(message).not.toMatch(control);
      expect(message.length).toBeLessThan(12_000);
    }
  }
});

describe("one module under several rules", () => {
  test("is one module for the threads, wherever its file is", async () => {
    const rules = [
      wasmRule("denies"),
      wasmRule("denies"),
      wasmRule("denies", { handler: { sha256: sha256(guest("denies")) } }),
    ];
    const receipts = await Promise.all(
      rules.map(async (rule) => (await runToReply(rule, { executor })).receipt.module),
    );
    expect(new Set(receipts)).toEqual(new Set([`sha256:${sha256(guest("denies"))}`]));
  });

  test("keeps each rule's own limits", async () => {
    const module = fileOf(answering(`${" ".repeat(98)}{}`));
    const limited = (outputBytes: number) => ruleFor(module, { limits: { ...LIMITS, outputBytes } });
    for (let round = 0; round < 2; round += 1) {
      expect((await runToReply(limited(100), { executor })).reply).toEqual({});
      expect(await runToFailure(limited(99), { executor })).toMatchObject({ kind: "output-too-large", limit: 99 });
    }
  });
});
