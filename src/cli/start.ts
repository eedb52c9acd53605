#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
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

// Before anything can fail: an agent at a gate takes Node's own 1 for consent.
process.exitCode = EXIT.refused;
try {
  // Only ASCII, as esbuild writes it.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(FILE, "latin1")}\n})`;
  const script = compiledScript(source, FILE, { folderOf: defaultCacheFolder, mayKeep: process.argv[2] === "run" });
  (script.runInThisContext() as Wrapped)(module.exports, require, module, FILE, __dirname);
} catch (error) {
  try {
    // At once: a stream that cannot be written would end the process later, with 1.
    writeSync(2, `hookbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  } catch {
    // Nobody listens. The exit code says it.
  }
  process.exit(EXIT.refused);
}
