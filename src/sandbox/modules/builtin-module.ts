import { sha256 } from "../../cache/cache-folder.ts";
import { assembleGuard } from "../admission/assemble-guard.ts";
import { wholeData } from "../admission/memory-data.ts";
import { splitName } from "../guest/guest-abi.ts";
import type { BuiltinGuard } from "./builtin-guards.ts";
import { readEngine } from "./engine-file.ts";
import type { ModuleFile } from "./module-file.ts";
import { changedGuard, readBuiltin } from "./shared-engine.ts";

/**
 * Makes the whole module of a guard that ships, byte for byte as `hookbox build` wrote the module: the engine that
 * ships, with the guard's own part.
 */
export async function builtinModule(builtin: BuiltinGuard): Promise<ModuleFile> {
  const guard = readBuiltin(builtin);
  if (!guard.ok) return { refused: guard };
  const { imports, pages, manifest } = guard;
  const namespaces = imports.map((entry) => splitName(entry).module);
  const namespaceOf = (): string => namespaces.shift() ?? "";
  const bytes = assembleGuard(await readEngine(), { namespaceOf, pages, data: wholeData(guard), manifest });
  return sha256(bytes) === builtin.sha256 ? { bytes } : { refused: changedGuard("guest-sdk/typescript/engine") };
}
