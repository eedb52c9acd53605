import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { suggest } from "../../../dialects/suggest.ts";
import { describeThrown } from "../../../errors.ts";
import { checkSize } from "../admission/module-checks.ts";
import { Refusal, type RefusedModule, refusedModule } from "../admission/refusal.ts";

/** A private copy of a module's bytes, or why there is none. `name` is what the rule calls it. */
export async function readModuleFile(
  path: string,
  name: string = path,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer> } | { readonly refused: RefusedModule }> {
  let file: FileHandle | undefined;
  try {
    // Without waiting: the open of a named pipe ends only when somebody writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return { refused: notFound(`is not a file (looked for ${path})`) };
    checkSize(stats.size);
    // A copy of exactly these bytes: small files come as views into a pool that other reads share.
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

/** What makes the module of the source that lies beside it, if there is one. */
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
