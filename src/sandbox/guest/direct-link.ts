import type { HostFunctions } from "./host-functions.ts";

/**
 * Builds the import object of a guest without Extism, for modules that import only host functions. The functions expect
 * Extism's context as their first argument, do not use it, and get `undefined`.
 */
export function directImports(functions: HostFunctions): WebAssembly.Imports {
  return Object.fromEntries(
    Object.entries(functions).map(([namespace, table]) => [
      namespace,
      Object.fromEntries(Object.entries(table).map(([name, call]) => [name, call.bind(undefined, undefined as never)])),
    ]),
  ) as WebAssembly.Imports;
}
