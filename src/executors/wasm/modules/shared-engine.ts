import { readFileSync } from "node:fs";
import { sha256 } from "../../../cache/cache-folder.ts";
import type { Admission } from "../admission/admission.ts";
import { decodeAdmitted } from "../admission/admitted-file.ts";
import { admittedModule, compile, validated } from "../admission/compile.ts";
import type { EngineGuard, SharedEngine } from "../admission/engine-guard.ts";
import { splitName } from "../admission/terms.ts";
import { ABSENT_NAMESPACE } from "../guest/guest-abi.ts";
import type { CompiledModule } from "../guest/protocol.ts";
import type { Boundary } from "../pool/guest-pool.ts";
import { SHARED_ENGINE } from "./builtin-guards.ts";
import { guardFile } from "./module-source.ts";

/** The engine of guards in TypeScript: admitted when hookbox was built, and compiled once for all guards of a process. */

let engine: SharedEngine | "unusable" | undefined;

/** `undefined` where its file is not the one that was built: guards are admitted in full then. */
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

/** A file of this package, of a megabyte. Synchronous, because a promise reads it in parts. */
export function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** By pages of memory: a limit is part of the module, and nearly all rules have the same. */
const compiled = new Map<number, Promise<Admission<CompiledModule>>>();

async function compileFor(memoryPages: number, shared: SharedEngine): Promise<Admission<CompiledModule>> {
  if (memoryPages === shared.code.memoryPages) return compile(shared.code);
  const { engineFor } = await import("../admission/engine-guard.ts");
  return compile(engineFor(memoryPages, shared));
}

/** The guard as its sandbox takes it: threads share the compiled engine, a process of its own compiles a whole module. */
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
