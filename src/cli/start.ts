#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultCacheFolder } from "../cache/cache-folder.ts";
import { compiledScript } from "../cache/compiled-script.ts";
import { EXIT } from "./exit-codes.ts";

/** What `bin` names: the command line beside it, without compiling it each time. Only where it is bundled. */

const FILE = join(__dirname, "main.cjs");

/** Node's own wrapper, and its own `require`: the script is a module as if Node had loaded it. */
type Wrapped = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  dirname: string,
) => void;

try {
  // Only ASCII, as esbuild writes it.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(FILE, "latin1")}\n})`;
  const script = compiledScript(source, FILE, { folder: defaultCacheFolder(), mayKeep: process.argv[2] === "run" });
  (script.runInThisContext() as Wrapped)(module.exports, require, module, FILE, __dirname);
} catch (error) {
  // Node would end with 1, and an agent at a gate takes that for consent.
  process.stderr.write(`hookbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = EXIT.refused;
}
