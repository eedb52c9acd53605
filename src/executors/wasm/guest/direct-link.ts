import type { HostFunctions } from "./host.ts";

/**
 * What Extism does for a module that imports only what we give it, without Extism. Its functions get their context
 * first, of which nothing is used.
 */
export function directImports(functions: HostFunctions): WebAssembly.Imports {
  return Object.fromEntries(
    Object.entries(functions).map(([namespace, table]) => [
      namespace,
      Object.fromEntries(Object.entries(table).map(([name, call]) => [name, call.bind(undefined, undefined as never)])),
    ]),
  ) as WebAssembly.Imports;
}
