import { createRequire } from "node:module";
import { join } from "node:path";
import { describeThrown, HookError } from "../../errors.ts";

type Esbuild = typeof import("esbuild");

/**
 * Loads the project's own esbuild, because its version decides the bytes and the project's lock file pins it. Otherwise
 * loads the esbuild next to hookbox. esbuild is not a dependency of hookbox, because only authors need it.
 */
export function loadEsbuild(folder: string): Esbuild {
  let failure: unknown;
  for (const from of [join(folder, "package.json"), import.meta.url]) {
    try {
      return createRequire(from)("esbuild") as Esbuild;
    } catch (error) {
      failure ??= (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND" ? undefined : error;
    }
  }
  const why = failure === undefined ? "is not installed" : `cannot be loaded: ${describeThrown(failure)}`;
  throw new HookError("HOOK_BUILD_TOOL", `a guard in TypeScript is bundled by esbuild, which ${why}`, {
    hint: "npm install --save-dev esbuild",
    ...(failure === undefined ? {} : { cause: failure }),
  });
}
