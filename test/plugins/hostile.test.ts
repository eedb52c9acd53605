import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { callGuard } from "./bare-host.ts";

// The engine's tests check that these are contained. This file checks that each one is the attack that it claims to be.
// endless-loop and memory-bomb are not run, because they would not return without limits.

const folder = new URL("../../dist/guards/hostile/", import.meta.url);
const load = (name: string) => new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, folder)));
const run = (name: string) => callGuard(load(name), "{}");
const allow = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };

describe("hostile guards", () => {
  test("all exist, each with its source", () => {
    const sources = readdirSync(new URL("../../plugins/hostile/", import.meta.url));
    expect(readdirSync(folder).map((file) => file.replace(".wasm", ".wat"))).toEqual(sources);
    expect(sources).toHaveLength(11);
  });

  test.each(["endless-loop", "memory-bomb", "recursion", "crash", "silent"])("%s is a module that loads", (name) => {
    expect(WebAssembly.Module.exports(load(name)).map((entry) => entry.name)).toContain("handle");
  });

  test("shouts-allow allows in perfect form", () => {
    const { code, output } = run("shouts-allow");
    expect([code, JSON.parse(output ?? "")]).toEqual([0, allow]);
  });

  test("false-success allows and fails", () => {
    const { code, output } = run("false-success");
    expect([code, JSON.parse(output ?? "")]).toEqual([1, allow]);
  });

  test("junk-output starts with an allow and is not JSON", () => {
    const { code, output } = run("junk-output");
    expect([code, output?.startsWith(JSON.stringify(allow))]).toEqual([0, true]);
    expect(() => JSON.parse(output ?? "")).toThrow(SyntaxError);
  });

  test("huge-output is an allow of a mebibyte", () => {
    const { code, output } = run("huge-output");
    expect([code, output?.length, JSON.parse(output ?? "")]).toEqual([0, 1_048_576, allow]);
  });

  test("silent succeeds without an answer", () => {
    expect(run("silent")).toMatchObject({ code: 0, output: undefined, error: undefined });
  });

  test.each(["crash", "spills-then-traps"])("%s traps", (name) => {
    expect(() => run(name)).toThrow(WebAssembly.RuntimeError);
  });

  test("recursion overflows the stack", () => {
    expect(() => run("recursion")).toThrow(RangeError);
  });

  test("forbidden-import imports WASI", () => {
    expect(() => run("forbidden-import")).toThrow(/wasi_snapshot_preview1/);
  });
});
