import { createRequire } from "node:module";

/**
 * A package that is loaded at its first use, without making everything that uses it asynchronous. Only for packages
 * that a process which serves one event mostly does without: each costs it about as much as the event itself.
 */
export function lazyPackage<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= createRequire(import.meta.url)(name) as Module;
    return loaded;
  };
}
