import { resolve } from "node:path";
import { suggest } from "../../suggest.ts";
import type { RefusedModule } from "../admission/refusal.ts";
import { BUILTIN_GUARDS, type BuiltinGuard } from "./builtin-guards.ts";
import { type ModuleFile, notFound, readModuleFile } from "./module-file.ts";

/** The source of a rule's module: the absolute path of a file, or a guard that ships. */
type ModuleSource =
  | { readonly path: string; readonly builtin?: undefined }
  | { readonly path?: undefined; readonly builtin: BuiltinGuard };

const BUILTIN = "builtin:";

export function isBuiltin(module: string): boolean {
  return module.startsWith(BUILTIN);
}

export function locateModule(module: string, baseDir: string): ModuleSource | RefusedModule {
  if (!isBuiltin(module)) return { path: resolve(baseDir, module) };
  const name = module.slice(BUILTIN.length);
  const builtin = Object.hasOwn(BUILTIN_GUARDS, name) ? BUILTIN_GUARDS[name] : undefined;
  return builtin === undefined
    ? notFound(
        `is not a built-in guard; the built-in guards are: ${Object.keys(BUILTIN_GUARDS).join(", ")}`,
        suggest(name, Object.keys(BUILTIN_GUARDS)),
      )
    : { builtin };
}

/** Returns the module's bytes, or a refusal. */
export async function readModule(module: string, baseDir: string): Promise<ModuleFile> {
  const source = locateModule(module, baseDir);
  if ("ok" in source) return { refused: source };
  if (source.builtin === undefined) return readModuleFile(source.path, module);
  const { builtinModule } = await import("./builtin-module.ts");
  return builtinModule(source.builtin);
}
