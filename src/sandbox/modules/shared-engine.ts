import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../cache/cache-folder.ts";
import { packageFolder } from "../../package-info.ts";
import { decodeAdmitted } from "../admission/admitted-file.ts";
import type { Admission } from "../admission/admitted-module.ts";
import { admittedModule, compile, validated } from "../admission/compile.ts";
import type { EngineGuard, SharedEngine } from "../admission/engine-guard.ts";
import { type RefusedModule, refusedModule } from "../admission/refusal.ts";
import { ABSENT_NAMESPACE, splitName } from "../guest/guest-abi.ts";
import type { CompiledModule } from "../guest/protocol.ts";
import type { Boundary } from "../pool/guest-pool.ts";
import { SHARED_ENGINE } from "./builtin-engine.ts";
import type { BuiltinGuard } from "./builtin-guards.ts";

/**
 * The engine of guards in TypeScript, and the guards that ship as data for this engine. All were admitted when hookbox
 * was built. The engine is compiled once for all guards of a process.
 */

let engine: SharedEngine | "unusable" | undefined;

/** Returns the engine; `undefined` for an unexpected digest. Without the engine, every guard gets full admission. */
export function sharedEngine(): SharedEngine | undefined {
  engine ??= readEngine() ?? "unusable";
  return engine === "unusable" ? undefined : engine;
}

function readEngine(): SharedEngine | undefined {
  const { file, sha256: digest, shape } = SHARED_ENGINE;
  const code = admittedIn(file, digest);
  return code !== undefined && "bytes" in code ? { code, shape } : undefined;
}

/** Reads a guard that ships, as it was admitted for the default memory limit. */
export function readBuiltin({ file, fileSha256 }: BuiltinGuard): EngineGuard | RefusedModule {
  const guard = admittedIn(file, fileSha256);
  if (guard === undefined || !("data" in guard)) return changedGuard(`dist/guards/${file}`);
  base ??= shared(shippedFile(SHARED_ENGINE.baseFile, SHARED_ENGINE.baseSha256));
  return base === undefined ? changedGuard(`dist/guards/${SHARED_ENGINE.baseFile}`) : { ...guard, base };
}

/** The memory of all guards that ship, before their own data. Threads share it. */
let base: Uint8Array | undefined;

export function changedGuard(file: string): RefusedModule {
  const message = `cannot be loaded, because ${file} is missing or is not the file that ships with hookbox`;
  return refusedModule("HOOK_MODULE_DIGEST", "integrity", message, { hint: "install hookbox again" });
}

function admittedIn(file: string, digest: string): ReturnType<typeof decodeAdmitted> {
  const content = shippedFile(file, digest);
  return content === undefined ? undefined : decodeAdmitted(content);
}

/**
 * Reads a file of dist/guards. Returns `undefined` if the digest differs. The read is synchronous, because `readFile` of
 * promises reads a file of a megabyte in parts.
 */
function shippedFile(file: string, digest: string): Buffer | undefined {
  try {
    const content = readFileSync(join(packageFolder(), "dist/guards", file));
    return sha256(content) === digest ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Compiled engines by memory limit in pages, which is part of the module. Nearly all rules have the same limit. */
const compiled = new Map<number, Promise<Admission<CompiledModule>>>();

async function compileFor(memoryPages: number, shared: SharedEngine): Promise<Admission<CompiledModule>> {
  if (memoryPages === shared.code.memoryPages) return compile(shared.code);
  const { engineFor } = await import("../admission/engine-guard.ts");
  return compile(engineFor(memoryPages, shared));
}

/** Returns bytes that threads share, instead of copying them. */
function shared<Bytes extends Uint8Array | undefined>(bytes: Bytes): Bytes | Uint8Array {
  if (bytes === undefined || bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
}

/** Returns the guard's module. Threads get the shared compiled engine; a sandbox process compiles a whole module. */
export async function guardModule(guard: EngineGuard, boundary: Boundary): Promise<Admission> {
  const whole = sharedEngine();
  if (whole === undefined) throw new TypeError("a guard was recognised without an engine to compare it with");
  if (boundary === "process") {
    const { wholeModule } = await import("../admission/engine-guard.ts");
    return validated(wholeModule(guard, whole));
  }
  let module = compiled.get(guard.memoryPages);
  if (module === undefined) {
    module = compileFor(guard.memoryPages, whole);
    compiled.set(guard.memoryPages, module);
  }
  const engine = await module;
  if (!engine.ok) return engine;
  const { pages, imports } = guard;
  const absent = imports.map(splitName).filter((entry) => entry.module === ABSENT_NAMESPACE);
  const image = { pages, base: shared(guard.base), data: shared(guard.data), absent: absent.map(({ name }) => name) };
  return { ...admittedModule(guard, { ...engine.module, image }), manifest: guard.manifest };
}
