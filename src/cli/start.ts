#!/usr/bin/env node
import { readFileSync, writeSync } from "node:fs";
import { Module } from "node:module";
import { join } from "node:path";
import { defaultCacheFolder } from "../cache/cache-folder.ts";
import { compiledScript } from "../cache/compiled-script.ts";
import { EXIT } from "./exit-codes.ts";

/** The file that `bin` names. Loads the kernel with cached bytecode, then runs `main.cjs`. Used only in the bundle. */

const KERNEL = join(__dirname, "kernel.cjs");

/** The wrapper that Node puts around a CommonJS module, so that the script sees the same variables. */
type Wrapped = (
  exports: unknown,
  require: NodeJS.Require,
  module: NodeJS.Module,
  filename: string,
  dirname: string,
) => void;

// The code is set before any failure, because an agent at a gate takes Node's default of 1 for consent.
process.exitCode = EXIT.refused;
try {
  // The kernel is ASCII, so `latin1` reads it correctly, and faster than UTF-8.
  const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(KERNEL, "latin1")}\n})`;
  const script = compiledScript(source, KERNEL, { folderOf: defaultCacheFolder, mayKeep: process.argv[2] === "run" });
  const kernel = new Module(KERNEL);
  (script.runInThisContext() as Wrapped)(kernel.exports, require, kernel, KERNEL, __dirname);
  kernel.loaded = true;
  require.cache[KERNEL] = kernel;
  require(join(__dirname, "main.cjs"));
} catch (error) {
  try {
    // The write is synchronous, because an error on a stream would end the process later, with exit code 1.
    writeSync(2, `hookbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  } catch {
    // Standard error is closed, but the exit code still refuses.
  }
  process.exit(EXIT.refused);
}
