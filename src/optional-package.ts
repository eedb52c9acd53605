import { describeThrown } from "./errors.ts";

/**
 * A package that only some need, and install themselves. Looked for beside hookbox and nowhere else: one that lies in
 * the folder that an agent works in is code of whoever wrote that folder.
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
