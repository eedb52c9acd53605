import { expect, test, vi } from "vitest";
import { moduleOf, type WasmRule } from "../../src/executors/wasm/wasm-rule.ts";
import { ModuleStore } from "../../src/sandbox/modules/module-store.ts";
import { sharedEngine } from "../../src/sandbox/modules/shared-engine.ts";
import { LIMITS, wasmRule } from "../executors/wasm/wasm-rule.ts";

vi.mock("../../src/sandbox/modules/builtin-engine.ts", async (original) => {
  const table = await original<typeof import("../../src/sandbox/modules/builtin-engine.ts")>();
  return { ...table, SHARED_ENGINE: { ...table.SHARED_ENGINE, sha256: "0".repeat(64) } };
});

test("guards are admitted in full if the engine's file is not the built one", async () => {
  expect(sharedEngine()).toBeUndefined();
  const rule = wasmRule("denies", { handler: { module: "builtin:shell-guard", limits: LIMITS } }) as WasmRule;
  const admission = await new ModuleStore(false).get(moduleOf(rule));
  expect(admission).toMatchObject({ ok: true, claims: { config: { known: expect.any(Array) } } });
  expect(admission.ok && "compiled" in admission.module && admission.module.image).toBeUndefined();
});
