import { createRequire } from "node:module";

/**
 * Loads a package synchronously at its first use. For packages that a one-shot process rarely needs, because loading
 * one costs about as much as judging an event.
 */
export function lazyPackage<Module>(name: string): () => Module {
  let loaded: Module | undefined;
  return () => {
    loaded ??= createRequire(import.meta.url)(name) as Module;
    return loaded;
  };
}
