import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describeThrown } from "../../errors.ts";
import type { Rule } from "../../rule.ts";
import { type Admission, admit, MAX_MODULE_BYTES, type RefusedModule } from "./admission.ts";
import { BUILTIN_GUARDS } from "./builtin-guards.ts";

/** A rule whose handler is of type `wasm`. */
export type WasmRule = Rule & { readonly handler: Extract<Rule["handler"], { type: "wasm" }> };

const BUILTIN = "builtin:";
const GUARDS_FOLDER = new URL("../../guards/", import.meta.url);

/** Admitted modules, each read and examined once. A file that changes on disk afterwards changes nothing here. */
export class ModuleStore {
  readonly #admissions = new Map<string, Promise<Admission>>();
  readonly #known = new WeakMap<WasmRule, Admission>();

  /**
   * The answer of an earlier `get`, at once. Without the wait the guard's thread has the event before the next rule
   * is started, and starting a process holds up everything else.
   */
  known(rule: WasmRule): Admission | undefined {
    return this.#known.get(rule);
  }

  async get(rule: WasmRule): Promise<Admission> {
    const admission = await this.#admit(rule);
    this.#known.set(rule, admission);
    return admission;
  }

  #admit(rule: WasmRule): Promise<Admission> {
    const { module, sha256, function: name, limits } = rule.handler;
    const key = JSON.stringify([
      module,
      module.startsWith(BUILTIN) ? "" : rule.baseDir,
      sha256 ?? null,
      name,
      limits.memoryBytes,
    ]);
    let admission = this.#admissions.get(key);
    if (admission === undefined) {
      admission = load(rule);
      this.#admissions.set(key, admission);
    }
    return admission;
  }
}

async function load(rule: WasmRule): Promise<Admission> {
  const { module, sha256, function: name, limits } = rule.handler;
  const terms = { function: name, memoryBytes: limits.memoryBytes };
  if (!module.startsWith(BUILTIN)) {
    const file = await read(resolve(rule.baseDir, module), module);
    return "refused" in file ? file.refused : admit(file.bytes, { ...terms, sha256 });
  }
  const shipped = module.slice(BUILTIN.length);
  const entry = Object.hasOwn(BUILTIN_GUARDS, shipped) ? BUILTIN_GUARDS[shipped] : undefined;
  if (entry === undefined) {
    return notFound(`is not a built-in guard; there is: ${Object.keys(BUILTIN_GUARDS).join(", ")}`);
  }
  const file = await read(fileURLToPath(new URL(entry.file, GUARDS_FOLDER)), module);
  if ("refused" in file) return file.refused;
  // The rule's own pin is checked beside the digest that was compiled in, not instead of it.
  const admission = await admit(file.bytes, { ...terms, sha256: entry.sha256 });
  return sha256 === undefined || !admission.ok ? admission : admit(file.bytes, { ...terms, sha256 });
}

async function read(
  path: string,
  name: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer> } | { refused: RefusedModule }> {
  let file: FileHandle | undefined;
  try {
    // Without waiting: the open of a named pipe ends only when somebody writes to it.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return { refused: notFound(`is not a file (looked for ${path})`) };
    if (stats.size > MAX_MODULE_BYTES) return { refused: tooLong(stats.size) };
    // A copy of exactly these bytes: small files come as views into a pool that other reads share.
    const bytes = Uint8Array.from(await file.readFile());
    return bytes.byteLength > MAX_MODULE_BYTES ? { refused: tooLong(bytes.byteLength) } : { bytes };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? describeThrown(error)})`;
    return { refused: notFound(`${why}${path === name ? "" : ` (looked for ${path})`}`) };
  } finally {
    await file?.close();
  }
}

function tooLong(value: number): RefusedModule {
  const message = `is ${value} bytes long; the limit is ${MAX_MODULE_BYTES}`;
  return { ok: false, code: "HOOK_MODULE_LIMIT", kind: "memory", message, limit: MAX_MODULE_BYTES, value };
}

function notFound(message: string): RefusedModule {
  return { ok: false, code: "HOOK_MODULE_NOT_FOUND", kind: "unavailable", message };
}
