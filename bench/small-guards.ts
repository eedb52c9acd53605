import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import wabt from "wabt";

/** Modules from text, in a folder that is removed when the process ends. */

const assembler = await wabt();
const folder = mkdtempSync(join(tmpdir(), "hookbox-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export function assemble(file: URL): Uint8Array<ArrayBuffer> {
  const module = assembler.parseWat(file.pathname, readFileSync(file, "utf8"), { bulk_memory: true });
  const bytes = Uint8Array.from(module.toBinary({}).buffer);
  module.destroy();
  return bytes;
}

/** Writes a file for rules and for Extism. */
export function fileOf(name: string, bytes: Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

export const scratchFolder = folder;
