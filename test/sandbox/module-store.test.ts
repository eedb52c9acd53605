import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { moduleOf, type WasmRule } from "../../src/executors/wasm/wasm-rule.ts";
import { admitCode } from "../../src/sandbox/admission/admission.ts";
import type { Admission } from "../../src/sandbox/admission/admitted-module.ts";
import { type MemoryImage, writeImage } from "../../src/sandbox/guest/memory-image.ts";
import { readModule } from "../../src/sandbox/index.ts";
import { BUILTIN_GUARDS } from "../../src/sandbox/modules/builtin-guards.ts";
import { ModuleStore } from "../../src/sandbox/modules/module-store.ts";
import { fileOf, LIMITS, type RuleParts, wasmRule } from "../executors/wasm/wasm-rule.ts";
import { guest } from "../helpers/guests.ts";
import { MIB, sha256 } from "./module-requirements.ts";

vi.mock("../../src/sandbox/admission/admission.ts", { spy: true });
const examined = vi.mocked(admitCode);

beforeEach(() => {
  examined.mockClear();
});

/** For `vi.waitFor`, whose default of one second is short on a busy machine. */
const PATIENCE = { timeout: 20_000 };
const DIGEST = sha256(guest("denies"));
const IMPORTS = ["extism:host/env alloc", "extism:host/env store_u8", "extism:host/env output_set"];

function cacheDir(): string {
  const parent = mkdtempSync(join(tmpdir(), "hookbox-store-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "cache");
}

const ruleFor = (module: string, handler: RuleParts["handler"] = {}): WasmRule =>
  wasmRule(new Uint8Array(0), { handler: { ...handler, module } }) as WasmRule;

const entriesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

/** Returns the answer of a new store, as in a new process, after it has written its entries. */
async function ask(folder: string | false, rule: WasmRule): Promise<Admission> {
  const before = folder === false ? [] : entriesIn(folder);
  const times = examined.mock.calls.length;
  const admission = await new ModuleStore(folder).get(moduleOf(rule));
  const writes = folder !== false && admission.ok && examined.mock.calls.length > times;
  if (writes) {
    await vi.waitFor(() => {
      const fresh = entriesIn(folder).filter((name) => !before.includes(name));
      expect(fresh.filter((name) => !name.endsWith(".admitted"))).toEqual([]);
      expect(fresh).not.toEqual([]);
    }, PATIENCE);
  }
  return admission;
}

/**
 * Returns what makes two answers equal. A compiled module has no bytes to compare. The memory of a guard in TypeScript
 * may come from one section or from two, so the memory itself is compared, by its digest.
 */
function gist(admission: Admission): unknown {
  if (!admission.ok) return admission;
  const { module, ...rest } = admission;
  if (!("compiled" in module)) throw new Error("a store for threads compiles");
  const { compiled, image, ...state } = module;
  return {
    ...rest,
    ...state,
    ...(image === undefined ? {} : { absent: image.absent, pages: image.pages, memory: memoryDigest(image) }),
    imports: WebAssembly.Module.imports(compiled),
    exports: WebAssembly.Module.exports(compiled),
  };
}

function memoryDigest(image: MemoryImage): string {
  const memory = new Uint8Array(image.pages * 65_536);
  writeImage(memory, image);
  return sha256(memory);
}

describe("a store with a cache folder", () => {
  test("finds what an earlier store has admitted, without examining it again", async () => {
    const folder = cacheDir();
    const rule = ruleFor(fileOf(guest("denies")));
    const first = await ask(folder, rule);
    expect(examined).toHaveBeenCalledTimes(1);
    expect(entriesIn(folder)).toHaveLength(1);
    const second = await ask(folder, rule);
    expect(examined).toHaveBeenCalledTimes(1);
    expect(gist(second)).toEqual(gist(first));
    expect(second).toMatchObject({ ok: true, digest: DIGEST });
  });

  test("finds it by its bytes, wherever the file is", async () => {
    const folder = cacheDir();
    await ask(folder, ruleFor(fileOf(guest("denies"))));
    await ask(folder, ruleFor(fileOf(guest("denies"))));
    expect(examined).toHaveBeenCalledTimes(1);
  });

  test("stores nothing for a module that was refused", async () => {
    const folder = cacheDir();
    const rule = ruleFor(fileOf(guest("imports-wasi")));
    for (let round = 0; round < 2; round += 1) expect(await ask(folder, rule)).toMatchObject({ ok: false });
    expect(examined).toHaveBeenCalledTimes(2);
    expect(entriesIn(folder)).toEqual([]);
  });

  test("examines the module again, with the same result, if a byte of the entry changed", async () => {
    const folder = cacheDir();
    const rule = ruleFor(fileOf(guest("denies")));
    const first = await ask(folder, rule);
    const [name = ""] = entriesIn(folder);
    const good = readFileSync(join(folder, name));
    for (const at of [0, 70, good.length >> 1, good.length - 1]) {
      const flipped = Buffer.from(good);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      writeFileSync(join(folder, name), flipped);
      examined.mockClear();
      expect(gist(await new ModuleStore(folder).get(moduleOf(rule)))).toEqual(gist(first));
      expect(examined).toHaveBeenCalledTimes(1);
      await vi.waitFor(() => expect(readFileSync(join(folder, name)).equals(good)).toBe(true), PATIENCE);
    }
  });

  test.each<[string, RuleParts["handler"]]>([
    ["function", { function: "judge" }],
    ["memory", { limits: { ...LIMITS, memoryBytes: 8 * MIB } }],
  ])("examines the module again for another %s", async (_, handler) => {
    const folder = cacheDir();
    const file = fileOf(guest("denies"));
    await ask(folder, ruleFor(file));
    await ask(folder, ruleFor(file, handler));
    expect(examined).toHaveBeenCalledTimes(2);
  });

  test("limits memory by the rule, not by the entry", async () => {
    const folder = cacheDir();
    const file = fileOf(guest("grows-to-its-limit"));
    for (const mib of [16, 2, 16]) {
      const rule = ruleFor(file, { limits: { ...LIMITS, memoryBytes: mib * MIB } });
      expect(await ask(folder, rule)).toMatchObject({ ok: true, memoryBytes: mib * MIB });
    }
    expect(entriesIn(folder)).toHaveLength(2);
  });

  test.each<[string, RuleParts["handler"], string]>([
    ["the rule's digest", { sha256: "0".repeat(64) }, "HOOK_MODULE_DIGEST"],
    ["another entry of a lock file", { locked: { sha256: "0".repeat(64), imports: IMPORTS } }, "HOOK_LOCK_MISMATCH"],
    [
      "a lock file without all of its imports",
      { locked: { sha256: DIGEST, imports: IMPORTS.slice(1) } },
      "HOOK_LOCK_MISMATCH",
    ],
    ["a lock file without it", { locked: "missing" }, "HOOK_LOCK_MISSING"],
    ["a broken lock file", { locked: "unreadable" }, "HOOK_LOCK_INVALID"],
  ])("checks what it finds against %s, with the same messages as what it examines", async (_, handler, code) => {
    const folder = cacheDir();
    const file = fileOf(guest("denies"));
    await ask(folder, ruleFor(file));
    const found = await ask(folder, ruleFor(file, handler));
    expect(found).toMatchObject({ ok: false, code, kind: "integrity" });
    expect(examined).toHaveBeenCalledTimes(1);
    expect(found).toEqual(await ask(false, ruleFor(file, handler)));
  });

  test("admits what it finds if pin and lock file agree", async () => {
    const folder = cacheDir();
    const file = fileOf(guest("denies"));
    const rule = ruleFor(file, { sha256: DIGEST, locked: { sha256: DIGEST, imports: IMPORTS } });
    for (let round = 0; round < 2; round += 1) expect(await ask(folder, rule)).toMatchObject({ ok: true });
    expect(examined).toHaveBeenCalledTimes(1);
  });

  test.each<[string, (folder: string) => string]>([
    [
      "others may write to",
      (folder) => {
        chmodSync(folder, 0o777);
        return folder;
      },
    ],
    [
      "is a link",
      (folder) => {
        symlinkSync(folder, `${folder}-link`);
        return `${folder}-link`;
      },
    ],
  ])("works without a folder that %s", async (_, spoil) => {
    const folder = cacheDir();
    const rule = ruleFor(fileOf(guest("denies")));
    await ask(folder, rule);
    const spoilt = spoil(folder);
    expect(await new ModuleStore(spoilt).get(moduleOf(rule))).toMatchObject({ ok: true, digest: DIGEST });
    expect(examined).toHaveBeenCalledTimes(2);
  });
});

test("a store without a cache folder writes no file", async () => {
  const folder = cacheDir();
  vi.stubEnv("XDG_CACHE_HOME", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const rule = ruleFor(fileOf(guest("denies")));
  for (let round = 0; round < 2; round += 1) await ask(false, rule);
  expect(examined).toHaveBeenCalledTimes(2);
  expect(existsSync(folder)).toBe(false);
});

describe("a shipped guard", () => {
  const shipped = (handler: RuleParts["handler"] = {}): WasmRule =>
    ruleFor("builtin:shell-guard", { limits: { ...LIMITS, memoryBytes: 16 * MIB }, ...handler });

  test("is neither examined nor stored", async () => {
    const folder = cacheDir();
    expect(await ask(folder, shipped())).toMatchObject({ ok: true, memoryBytes: 16 * MIB });
    expect(examined).not.toHaveBeenCalled();
    expect(entriesIn(folder)).toEqual([]);
  });

  test("is admitted for other memory limits without examining its code, and not stored", async () => {
    const folder = cacheDir();
    const rule = shipped({ limits: { ...LIMITS, memoryBytes: 8 * MIB } });
    expect(await ask(folder, rule)).toMatchObject({ ok: true, memoryBytes: 8 * MIB });
    expect(examined).not.toHaveBeenCalled();
    expect(entriesIn(folder)).toEqual([]);
  });

  test("runs its fixtures again only for a lower memory limit than at the build", async () => {
    const passed = async (memoryBytes: number): Promise<boolean> => {
      const admission = await ask(false, shipped({ limits: { ...LIMITS, memoryBytes } }));
      if (!admission.ok) throw new Error(admission.message);
      return admission.claims?.passedUnder !== undefined;
    };
    expect(await Promise.all([8 * MIB, 16 * MIB, 64 * MIB].map(passed))).toEqual([false, true, true]);
  });

  test("is refused if the memory limit is below its first memory", async () => {
    const rule = shipped({ limits: { ...LIMITS, memoryBytes: MIB / 2 } });
    expect(await ask(false, rule)).toMatchObject({ ok: false, code: "HOOK_MODULE_LIMIT" });
  });

  test.each(Object.keys(BUILTIN_GUARDS))("%s has the bytes that its build wrote", async (name) => {
    const file = await readModule(`builtin:${name}`, "/");
    const written = readFileSync(join(import.meta.dirname, `../../dist/guards/${name}.wasm`));
    expect("bytes" in file && written.equals(file.bytes)).toBe(true);
  });

  test("shares its compiled engine with an author's guard, but not its memory", async () => {
    const file = join(import.meta.dirname, "../../dist/guards/secret-guard.wasm");
    const limits = { ...LIMITS, memoryBytes: 16 * MIB };
    const modules = await Promise.all(
      [shipped(), ruleFor(file, { limits })].map(async (rule) => {
        const admission = await new ModuleStore(false).get(moduleOf(rule));
        if (!admission.ok || !("compiled" in admission.module)) throw new Error("not compiled");
        return admission.module;
      }),
    );
    const [one, other] = modules;
    expect(one?.compiled).toBe(other?.compiled);
    expect(one?.image?.data).not.toEqual(other?.image?.data);
    expect(examined).not.toHaveBeenCalled();
  });

  test("is refused if it does not have the function that a rule names", async () => {
    expect(await ask(false, shipped({ function: "judge" }))).toMatchObject({ ok: false, code: "HOOK_MODULE_ABI" });
  });

  test("is the same, whether admitted at the build or now", async () => {
    const ready = await ask(false, shipped());
    const file = join(import.meta.dirname, "../../dist/guards/shell-guard.wasm");
    const now = await ask(false, ruleFor(file, { limits: { ...LIMITS, memoryBytes: 16 * MIB } }));
    // Only the build has seen its fixtures pass.
    if (!ready.ok || ready.claims === undefined) throw new Error("the guard that ships has no manifest");
    const { passedUnder, ...claims } = ready.claims;
    expect(passedUnder).toMatchObject({ fuel: 100_000_000 });
    expect(gist(now)).toEqual(gist({ ...ready, claims }));
  });
});
