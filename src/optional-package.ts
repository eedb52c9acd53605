import { describeThrown } from "./errors.ts";

/**
 * A package that only some users need and install themselves. hookbox searches only next to its own folder, because a
 * package in the agent's working directory may be an attacker's code.
 */
export type OptionalPackage<Module> =
  | { readonly ok: true; readonly module: Module }
  | { readonly ok: false; readonly message: string; readonly hint: string };

export async function optionalPackage<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<OptionalPackage<Module>> {
  try {
    return { ok: true, module: await load() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    const why = isMissing ? "is not installed" : `cannot be loaded: ${describeThrown(error)}`;
    return {
      ok: false,
      message: `the package ${name} ${why}`,
      hint: `run "npm install ${name}" where hookbox is installed`,
    };
  }
}
