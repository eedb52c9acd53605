import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine.ts";
import type { HookFunction } from "../../src/rule.ts";
import { bash } from "./fake-hooks.ts";

async function engineFor(options: EngineOptions = {}): Promise<Engine> {
  const engine = await createEngine({ sandbox: { threads: 1 }, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

function managed(settings: object): EngineOptions {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-registered-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "hookbox.json");
  writeFileSync(file, JSON.stringify(settings));
  return { configFiles: [{ file, layer: "managed" }] };
}

const deny: HookFunction = () => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
});
const registered = { event: "PreToolUse", matcher: "Bash", type: "function", run: deny } as const;

describe("a registered function", () => {
  test("judges events until it is removed", async () => {
    const engine = await engineFor();
    const dispose = await engine.register([{ ...registered, name: "mine", priority: 3 }]);
    expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny", reason: "mine: no" });
    expect((await engine.dispatch("PreToolUse", { tool_name: "Read" })).decision).toBe("none");
    dispose();
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("none");
  });

  test("is allowed in a configuration object as well, and in no file", async () => {
    const engine = await engineFor({
      config: { hooks: { PreToolUse: [{ hooks: [{ type: "function", run: deny }] }] } },
    });
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");
    const written = { hooks: { PreToolUse: [{ hooks: [{ type: "function", run: "deny" }] }] } };
    const { problems } = await engineFor(managed(written));
    expect(problems).toMatchObject([{ message: expect.stringContaining("Only code can pass a function") }]);
  });
});

describe("a registered rule is subject to the settings of the configuration", () => {
  test("to managed deadlines", async () => {
    const engine = await engineFor(managed({ defaults: { command: { timeoutMs: 20 } } }));
    await engine.register([{ ...registered, run: () => new Promise(() => {}), timeoutMs: 60_000 }]);
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", limit: 20 });
  });

  test("to a switch that turns all rules off", async () => {
    const engine = await engineFor(managed({ disableAllHooks: true }));
    await engine.register([registered]);
    expect(engine.rules).toEqual([]);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("none");
  });

  test("but not to the one that leaves managed files only, because a program is no file", async () => {
    const engine = await engineFor(managed({ allowManagedHooksOnly: true }));
    await engine.register([registered]);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");
  });

  test("even if the rules come from the cache", async () => {
    const cacheDir = mkdtempSync(join(tmpdir(), "hookbox-cache-"));
    onTestFinished(() => rmSync(cacheDir, { recursive: true }));
    const options = { ...managed({ disableAllHooks: true }), cacheDir, prepare: "on-demand" } as const;
    const first = await createEngine(options);
    await first.close();
    const engine = await engineFor(options);
    await engine.register([registered]);
    expect(engine.rules).toEqual([]);
  });
});

test("a rule that cannot run is kept, denies by name and is reported until it is removed", async () => {
  const engine = await engineFor();
  const dispose = await engine.register([{ event: "PreToolUse", type: "wasm", module: "./does-not-exist.wasm" }]);
  expect(engine.problems).toMatchObject([{ severity: "error", code: "HOOK_MODULE_NOT_FOUND" }]);
  expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({
    decision: "deny",
    reason: expect.stringContaining("does-not-exist"),
  });
  dispose();
  expect(engine.problems).toEqual([]);
  expect(engine.rules).toEqual([]);
});

test("an invalid rule is rejected, and none is added", async () => {
  const engine = await engineFor();
  const refused = engine.register([registered, { event: "PreToolUse", type: "wasm" }]);
  await expect(refused).rejects.toMatchObject({ code: "HOOK_API_MISUSE" });
  expect(engine.rules).toEqual([]);
});
