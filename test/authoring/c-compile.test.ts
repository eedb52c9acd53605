import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { BuildError } from "../../src/authoring/build-error.ts";
import { compileC } from "../../src/authoring/c/compile.ts";
import { C_EXAMPLE, noClang } from "../guest-sdk/toolchains.ts";
import { callGuard } from "../plugins/bare-host.ts";

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookbox-c-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

const guard = (body: string): string =>
  `#include "hookbox.h"\nstatic hb_reply guard(const hb_json *event) {\n${body}\n}\nHB_GUARD(guard)\n`;

async function failureOf(folder: string): Promise<BuildError> {
  const outcome = await compileC(folder).catch((error: unknown) => error);
  if (outcome instanceof Uint8Array) throw new Error("it compiled");
  return outcome as BuildError;
}

describe.skipIf(noClang !== "")(`compiling a guard in C${noClang}`, { timeout: 120_000 }, () => {
  test("gives the same bytes in any folder, with or without an optimiser on the machine", async () => {
    const one = await compileC(C_EXAMPLE);
    const elsewhere = path.join(folderWith({}), "some where/else");
    mkdirSync(elsewhere, { recursive: true });
    cpSync(path.join(C_EXAMPLE, "guard.c"), path.join(elsewhere, "guard.c"));
    expect(Buffer.compare(one, await compileC(elsewhere))).toBe(0);
    expect(Buffer.from(one).toString("latin1")).not.toMatch(/\/(tmp|usr|home|root)\//);
    const tools = folderWith({ "wasm-opt": "#!/bin/sh\nexit 1\n" });
    chmodSync(path.join(tools, "wasm-opt"), 0o755);
    vi.stubEnv("PATH", `${tools}${path.delimiter}${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(Buffer.compare(await compileC(C_EXAMPLE), one)).toBe(0);
  });

  test("names each error's file and line", async () => {
    const folder = folderWith({ "guard.c": guard("  int x = ;\n  return nothing;") });
    expect((await failureOf(folder)).problems).toMatchObject([
      { code: "HOOK_BUILD_SOURCE", place: { file: path.join(folder, "guard.c"), line: 3, column: 11 } },
      { code: "HOOK_BUILD_SOURCE", message: expect.stringContaining("nothing"), place: { line: 4 } },
    ]);
  });

  test("does not let a guard end without a reply, and refuses the time of day in the code", async () => {
    const source = guard("  if (event == 0) return hb_deny(HB(__TIME__));");
    expect((await failureOf(folderWith({ "guard.c": source }))).problems).toMatchObject([
      { code: "HOOK_BUILD_SOURCE", message: expect.stringContaining("date or time"), place: { line: 3 } },
      { code: "HOOK_BUILD_SOURCE", place: { line: 4 } },
    ]);
  });

  test("says which function of a C library is missing", async () => {
    const source = guard('  extern int puts(const char *);\n  puts("x");\n  (void)event;\n  return hb_abstain();');
    const error = await failureOf(folderWith({ "guard.c": source }));
    expect(error).toMatchObject({ message: expect.stringContaining("puts"), hint: expect.stringContaining("library") });
  });

  test("says how to install clang if there is none, and does not search further than HOOKBOX_CLANG", async () => {
    vi.stubEnv("HOOKBOX_CLANG", "/nowhere/clang");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await failureOf(folderWith({ "guard.c": "" }))).toMatchObject({
      code: "HOOK_BUILD_TOOL",
      message: expect.stringContaining("/nowhere/clang"),
      hint: expect.stringContaining("@yowasp/clang"),
    });
  });
});

test("a build with the npm package, which blocks the thread for long, is announced first", async () => {
  // Replaces the package, which is 60 MB: it reports that clang has failed.
  const entry = `export const runLLVM = async () => undefined;
    export const commands = { clang: async () => { throw Object.assign(new Error("1"), { code: 1, files: {} }); } };`;
  const folder = folderWith({
    "guard.c": "",
  });
  const installed = path.join(folder, "node_modules/@yowasp/clang");
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(installed, "package.json"), '{ "type": "module", "exports": { "default": "./x.js" } }');
  writeFileSync(path.join(installed, "x.js"), entry);
  vi.stubEnv("HOOKBOX_CLANG", "");
  vi.stubEnv("PATH", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const told: string[] = [];
  await expect(compileC(folder, (what) => told.push(what))).rejects.toMatchObject({ code: "HOOK_BUILD_SOURCE" });
  expect(told).toEqual([expect.stringContaining("@yowasp/clang")]);
});

/** Guards that test hookbox.h, in one module: an event's `guard` selects one. */
const BODIES = {
  denies: 'return hb_deny(HB("no \\"\\n"));',
  fails: 'hb_config_words("words", "[]"); return hb_abstain();',
  saysNothing: "return (hb_reply){0};",
  sums: `int64_t sum = 0, number;
  for (hb_each(item, hb_path(event, "list"))) if (hb_as_integer(item, &number)) sum += number;
  return sum == -6 ? hb_abstain() : hb_fail(HB("another sum"));`,
  logs: 'hb_warn(HB("look here")); return hb_abstain();',
};

describe.skipIf(noClang !== "")(`hookbox.h${noClang}`, { timeout: 120_000 }, () => {
  let module: WebAssembly.Module;
  beforeAll(async () => {
    const made = mkdtempSync(path.join(tmpdir(), "hookbox-c-"));
    const bodies = Object.entries(BODIES).map(
      ([name, body]) =>
        `  if (hb_as_text(hb_path(event, "guard"), &which) && hb_equal(which, HB("${name}"))) { ${body} }`,
    );
    const source = guard(`  hb_text which;\n${bodies.join("\n")}\n  return hb_fail(HB("nobody is meant"));`);
    try {
      writeFileSync(path.join(made, "guard.c"), source);
      module = new WebAssembly.Module(await compileC(made));
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }, 120_000);
  const call = (which: keyof typeof BODIES, event: object = {}, config = {}) =>
    callGuard(module, JSON.stringify({ guard: which, ...event }), config);

  test("answers each event in the event's own form", () => {
    const saying = (name: string) => JSON.parse(call("denies", { hook_event_name: name }).output ?? "");
    const reason = 'no "\n';
    expect(saying("PreToolUse")).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
    });
    expect(saying("PermissionRequest")).toEqual({
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: reason } },
    });
    expect(saying("UserPromptSubmit")).toEqual({ decision: "block", reason });
  });

  test("fails a call after a failure, whatever the guard returns", () => {
    expect(call("fails", {}, { words: 1 })).toMatchObject({
      code: 1,
      output: undefined,
      error: "config.words: not an array of strings",
    });
  });

  test("fails a call without a reply", () => {
    expect(call("saysNothing")).toMatchObject({ code: 1, output: undefined });
  });

  test("reads whole numbers that fit, and no others", () => {
    const list = [1, -6, 1.5, 1e30, "7", null, [8]];
    // The smallest and the largest add up to -1; their neighbours are rejected.
    const edges = "-9223372036854775808,9223372036854775807,9223372036854775808,-9223372036854775809";
    const event = JSON.stringify({ guard: "sums", list }).replace("[", `[${edges},`);
    expect(callGuard(module, event)).toMatchObject({ code: 0, output: "{}" });
  });

  test("logs", () => {
    expect(call("logs").logs).toEqual(["warn: look here"]);
  });
});
