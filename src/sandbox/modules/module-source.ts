import { join, resolve } from "node:path";
import { packageFolder } from "../../package-info.ts";
import { suggest } from "../../suggest.ts";
import type { RefusedModule } from "../admission/refusal.ts";
import { BUILTIN_GUARDS, type BuiltinGuard } from "./builtin-guards.ts";
import { notFound, readModuleFile } from "./module-file.ts";

/** The file of a rule's module. `builtin` is set if the rule names the module as `builtin:NAME`. */
interface ModuleSource {
  readonly path: string;
  readonly builtin: BuiltinGuard | undefined;
}

const BUILTIN = "builtin:";

export function isBuiltin(module: string): boolean {
  return module.startsWith(BUILTIN);
}

export function locateModule(module: string, baseDir: string): ModuleSource | RefusedModule {
  if (!isBuiltin(module)) return { path: resolve(baseDir, module), builtin: undefined };
  const name = module.slice(BUILTIN.length);
  const builtin = Object.hasOwn(BUILTIN_GUARDS, name) ? BUILTIN_GUARDS[name] : undefined;
  return builtin === undefined
    ? notFound(
        `is not a built-in guard; the built-in guards are: ${Object.keys(BUILTIN_GUARDS).join(", ")}`,
        suggest(name, Object.keys(BUILTIN_GUARDS)),
      )
    : { path: guardFile(builtin.file), builtin };
}

/** Returns the path of a file of the guards that ship. */
export function guardFile(name: string): string {
  return join(packageFolder(), "dist/guards", name);
}

/** Returns the module's bytes, or a refusal. */
export async function readModule(
  module: string,
  baseDir: string,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer> } | { readonly refused: RefusedModule }> {
  const source = locateModule(module, baseDir);
  return "ok" in source ? { refused: source } : readModuleFile(source.path, module);
}
