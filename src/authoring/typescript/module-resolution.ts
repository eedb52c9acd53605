import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { join, posix } from "node:path";
import type { Plugin } from "esbuild";

/**
 * esbuild plugins that resolve a guard's imports: to the guest library or to packages, and never to modules of Node.
 */

/** The namespace of hookbox's files. Its names do not depend on where hookbox is installed. */
const OWN = "hookbox";

/** The module name for esbuild's `inject`. */
export const INJECTED = "hookbox/injected-globals";

/** Resolves `hookbox/guest` to the compiled files of this package, even if the author's folder has another version. */
export function ownLibrary(guestFolder: string, injected: string): Plugin {
  return {
    name: "hookbox-guest",
    setup(build) {
      build.onResolve({ filter: /^hookbox\/guest(\/|$)/ }, ({ path }) => ({
        namespace: OWN,
        path: path === "hookbox/guest" ? "guest/index.js" : `${path.slice("hookbox/".length).replace(/\.js$/, "")}.js`,
        sideEffects: false,
      }));
      build.onResolve({ filter: /^hookbox\/injected-globals$/ }, () => ({
        namespace: OWN,
        path: "injected-globals.js",
        sideEffects: false,
      }));
      build.onLoad({ filter: /^injected-globals\.js$/, namespace: OWN }, () => ({ contents: injected, loader: "js" }));
      build.onResolve({ filter: /^\./, namespace: OWN }, ({ path, importer }) => ({
        namespace: OWN,
        path: posix.join(posix.dirname(importer), path),
        sideEffects: false,
      }));
      build.onLoad({ filter: /^guest\//, namespace: OWN }, async ({ path }) => ({
        contents: await readFile(join(guestFolder, path.slice("guest/".length)), "utf8"),
        loader: "js",
      }));
      // Other modules of hookbox are refused, because they are for Node and each of their imports would give an error.
      build.onResolve({ filter: /^hookbox(\/|$)/ }, ({ path }) => {
        const what = path === "hookbox" ? "is the engine that runs it" : "belongs to the engine that runs it";
        const detail = "import defineGuard, deny and everything else from hookbox/guest";
        return { errors: [{ text: `a guard imports "hookbox/guest"; "${path}" ${what}`, detail }] };
      });
    },
  };
}

const BUILTIN = new RegExp(`^(node:.*|(${builtinModules.filter((name) => !name.startsWith("_")).join("|")})(/.*)?)$`);
const ASKED = { hookbox: "asked" };

/** Reports imports of Node's built-in modules as errors, unless a package of that name is installed. */
export const noBuiltins: Plugin = {
  name: "no-builtins",
  setup(build) {
    build.onResolve({ filter: BUILTIN }, async ({ path, importer, namespace, resolveDir, kind, pluginData }) => {
      if (pluginData === ASKED) return undefined;
      if (!path.startsWith("node:")) {
        const found = await build.resolve(path, { importer, namespace, resolveDir, kind, pluginData: ASKED });
        if (found.errors.length === 0 && found.namespace === "file") return { ...found, errors: [], warnings: [] };
      }
      return {
        errors: [{ text: `"${path}" is a part of Node, and a guard does not run in Node`, detail: adviceFor(path) }],
      };
    });
  },
};

const ADVICE: Readonly<Record<string, string>> = {
  path: "paths are strings: split them at /, or install a package that needs no Node (such as pathe)",
  fs: 'put what it needs into its configuration, import a JSON file, or use context.files, with wants: ["paths"]',
  crypto: 'use context.random, with wants: ["random"]; for a digest, install a package in plain JavaScript',
  url: "URL and URLSearchParams are globals",
  util: "TextEncoder, TextDecoder and structuredClone are globals",
  http: 'use context.http, with wants: ["hosts"]',
  https: 'use context.http, with wants: ["hosts"]',
  buffer: "use Uint8Array with TextEncoder and TextDecoder, or atob and btoa",
  child_process: "a guard cannot start a process: use a command hook for that",
};

function adviceFor(path: string): string {
  const [name = ""] = path.replace(/^node:/, "").split("/");
  const advice = Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
  return advice ?? "it has no replacement; a guard cannot use a package that needs it";
}
