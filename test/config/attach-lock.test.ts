import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { applyLockFile, isLockable } from "../../src/config/attach-lock.ts";
import { readLockText } from "../../src/config/lockfile.ts";
import type { Rule } from "../../src/rule.ts";
import { LIMITS } from "../executors/wasm/wasm-rule.ts";
import { makeRule } from "../helpers/rules.ts";

const SHA256 = "ab".repeat(32);
const LOCK = JSON.stringify({ lockVersion: 1, modules: { "./a.wasm": { sha256: SHA256, imports: ["m n"], note: 1 } } });

const ruleOf = (module: string): Rule =>
  makeRule({ handler: { type: "wasm", module, function: "handle", config: {}, limits: LIMITS } });
const lockOf = ({ handler }: Rule): unknown => (handler.type === "wasm" ? handler.locked : "no guard");

function folder(lock?: string): string {
  const path = mkdtempSync(join(tmpdir(), "hookbox-hold-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  if (lock !== undefined) writeFileSync(join(path, "hookbox.lock"), lock);
  return path;
}

const holdBeside = async (rules: readonly Rule[], path: string): ReturnType<typeof applyLockFile> =>
  applyLockFile(rules, await readLockText(path), path);

describe("rules next to a lock file", () => {
  test("are checked against its entry for their module, and nothing else", async () => {
    const rules = [ruleOf("a.wasm"), ruleOf("./x/../a.wasm"), ruleOf("b.wasm"), ruleOf("./toString")];
    const held = await holdBeside(rules, folder(LOCK));
    expect(held.problems).toEqual([]);
    const entry = { sha256: SHA256, imports: ["m n"] };
    expect(held.rules.map(lockOf)).toEqual([entry, entry, "missing", "missing"]);
  });

  test("are not changed if there is no lock file", async () => {
    const rules = [ruleOf("a.wasm")];
    expect(await holdBeside(rules, folder())).toEqual({ rules, problems: [] });
  });

  test("all fail closed if it is broken, which is reported once", async () => {
    const held = await holdBeside([ruleOf("a.wasm"), ruleOf("b.wasm")], folder("{"));
    expect(held.rules.map(lockOf)).toEqual(["unreadable", "unreadable"]);
    expect(held.problems).toMatchObject([{ severity: "error", code: "HOOK_LOCK_INVALID" }]);
  });

  test("that need no lock file do not read one", async () => {
    const rules = [ruleOf("builtin:shell-guard"), makeRule()];
    expect(rules.map(isLockable)).toEqual([false, false]);
    expect(await holdBeside(rules, folder("{"))).toEqual({ rules, problems: [] });
  });

  test("keep their order, and those that need none are not changed", async () => {
    const rules = [makeRule(), ruleOf("a.wasm"), ruleOf("builtin:shell-guard")];
    const held = await holdBeside(rules, folder(LOCK));
    expect(held.rules.map(lockOf)).toEqual(["no guard", { sha256: SHA256, imports: ["m n"] }, undefined]);
    expect(held.rules[0]).toBe(rules[0]);
  });
});
