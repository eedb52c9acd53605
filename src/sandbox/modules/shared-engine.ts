import { readFileSync } from "node:fs";
import { sha256 } from "../../cache/cache-folder.ts";
import { decodeAdmitted } from "../admission/admitted-file.ts";
import type { Admission } from "../admission/admitted-module.ts";
import { admittedModule, compile, validated } from "../admission/compile.ts";
import type { EngineGuard, SharedEngine } from "../admission/engine-guard.ts";
import { ABSENT_NAMESPACE, splitName } from "../guest/guest-abi.ts";
import type { CompiledModule } from "../guest/protocol.ts";
import type { Boundary } from "../pool/guest-pool.ts";
import { SHARED_ENGINE } from "./builtin-guards.ts";
import { guardFile } from "./module-source.ts";

/**
 * The engine of guards in TypeScript. Admitted when hookbox was built, and compiled once for all guards of a process.
 */

let engine: SharedEngine | "unusable" | undefined;

/** Returns the engine; `undefined` for an unexpected digest. Without the engine, every guard gets full admission. */
export function sharedEngine(): SharedEngine | undefined {
  engine ??= readEngine() ?? "unusable";
  return engine === "unusable" ? undefined : engine;
}

function readEngine(): SharedEngine | undefined {
  const { file, sha256: digest, shape } = SHARED_ENGINE;
  const content = contentOf(guardFile(file));
  const code = content !== undefined && sha256(content) === digest ? decodeAdmitted(content) : undefined;
  return code !== undefined && "bytes" in code ? { code, shape } : undefined;
}

/** Reads a file of this package, of about a megabyte. Synchronous, because `readFile` of promises reads it in parts. */
export function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
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

/** Returns the guard's module. Threads get the shared compiled engine; a sandbox process compiles a whole module. */
export async function guardModule(guard: EngineGuard, boundary: Boundary): Promise<Admission> {
  const shared = sharedEngine();
  if (shared === undefined) throw new TypeError("a guard was recognised without an engine to compare it with");
  if (boundary === "process") {
    const { wholeModule } = await import("../admission/engine-guard.ts");
    return validated(wholeModule(guard, shared));
  }
  let module = compiled.get(guard.memoryPages);
  if (module === undefined) {
    module = compileFor(guard.memoryPages, shared);
    compiled.set(guard.memoryPages, module);
  }
  const engine = await module;
  if (!engine.ok) return engine;
  const { pages, imports } = guard;
  const absent = imports.map(splitName).filter((entry) => entry.module === ABSENT_NAMESPACE);
  const data = new Uint8Array(new SharedArrayBuffer(guard.data.byteLength));
  data.set(guard.data);
  const image = { pages, data, absent: absent.map(({ name }) => name) };
  return { ...admittedModule(guard, { ...engine.module, image }), manifest: guard.manifest };
}
