import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { describeThrown } from "../../errors.ts";
import { suggest } from "../../suggest.ts";
import { checkSize } from "../admission/module-limits.ts";
import { Refusal, type RefusedModule, refusedModule } from "../admission/refusal.ts";

/** A private copy of a module's bytes, or the reason why the file cannot be read. */
export type ModuleFile = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly refused: RefusedModule };

/** Reads a module file into a private copy. `name` is the rule's name for the module, for messages. */
export async function readModuleFile(path: string, name: string = path): Promise<ModuleFile> {
  let file: FileHandle | undefined;
  try {
    // The open is non-blocking, because opening a named pipe would otherwise wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return { refused: notFound(`is not a file (looked for ${path})`) };
    checkSize(stats.size);
    // The bytes are copied, because Node returns small files as views into a shared pool.
    const bytes = Uint8Array.from(await file.readFile());
    checkSize(bytes.byteLength);
    return { bytes };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.refused };
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? describeThrown(error)})`;
    const build = code === "ENOENT" ? await buildOf(path) : undefined;
    const how = build === undefined ? "" : `; build it with "${build}"`;
    const hint = code === "ENOENT" && build === undefined ? await similarFile(path) : undefined;
    return { refused: notFound(`${why}${path === name ? "" : ` (looked for ${path})`}${how}`, hint) };
  } finally {
    await file?.close();
  }
}

async function similarFile(path: string): Promise<string | undefined> {
  const { dir, base } = parse(path);
  return suggest(base, await readdir(dir).catch(() => []));
}

/** Returns the command that builds the module from a source file in the same folder, if such a file exists. */
async function buildOf(path: string): Promise<string | undefined> {
  const { dir: folder, name, ext } = parse(path);
  if (ext !== ".wasm") return undefined;
  const entries: readonly string[] = await readdir(folder).catch(() => []);
  const isGuard = name === "guard";
  const sources = [...SOURCES.map((suffix) => `${name}${suffix}`), ...(isGuard ? ["Cargo.toml"] : [])];
  const [source, another] = sources.filter((one) => entries.includes(one));
  if (source === undefined) return undefined;
  if (isGuard && another === undefined) return `hookbox build ${folder}`;
  return `hookbox build ${join(folder, source)} -o ${path}`;
}

const SOURCES = [".ts", ".mts", ".js", ".mjs", ".c"];

export function notFound(message: string, hint?: string): RefusedModule {
  return refusedModule("HOOK_MODULE_NOT_FOUND", "unavailable", message, hint === undefined ? {} : { hint });
}
