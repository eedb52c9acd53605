import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CacheFolder, defaultCacheFolder, sha256 } from "../../cache/cache-folder.ts";
import type { Rule } from "../../rule.ts";
import type { Admission, AdmittedCode } from "./admission.ts";
import { decodeAdmitted, encodeAdmitted } from "./admitted-file.ts";
import { BUILTIN_GUARDS, type BuiltinGuard } from "./builtin-guards.ts";
import { compile } from "./compile.ts";
import { COST_MODEL_VERSION } from "./cost-model.ts";
import type { AdmissionTerms } from "./examination.ts";
import { checkDigest, checkLock, PAGE_BYTES } from "./module-checks.ts";
import { notFound, readModuleFile } from "./module-file.ts";
import { Refusal, type RefusedModule } from "./refusal.ts";

/** A rule whose handler is of type `wasm`. */
export type WasmRule = Rule & { readonly handler: Extract<Rule["handler"], { type: "wasm" }> };

const BUILTIN = "builtin:";
const GUARDS_FOLDER = new URL("../../guards/", import.meta.url);

/** Admitted modules, each read and examined once. A file that changes on disk afterwards changes nothing here. */
export class ModuleStore {
  readonly #admissions = new Map<string, Promise<Admission>>();
  readonly #known = new WeakMap<WasmRule, Admission>();
  readonly #cache: CacheFolder | undefined;

  /** `cacheDir`: where admitted modules are kept for the next process; `false` for nowhere. */
  constructor(cacheDir: string | false = defaultCacheFolder()) {
    this.#cache = cacheDir === false ? undefined : new CacheFolder(cacheDir, "admitted");
  }

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
    const { module, sha256: pin, function: name, limits, locked } = rule.handler;
    const key = JSON.stringify([
      module,
      module.startsWith(BUILTIN) ? "" : rule.baseDir,
      pin ?? null,
      locked ?? null,
      name,
      limits.memoryBytes,
    ]);
    let admission = this.#admissions.get(key);
    if (admission === undefined) {
      admission = this.#load(rule);
      this.#admissions.set(key, admission);
    }
    return admission;
  }

  async #load(rule: WasmRule): Promise<Admission> {
    const code = await this.#code(rule);
    return code.ok ? compile(code) : code;
  }

  async #code({ handler, baseDir }: WasmRule): Promise<AdmittedCode | RefusedModule> {
    const { module, sha256: pin, function: name, limits, locked } = handler;
    const terms = { function: name, memoryBytes: limits.memoryBytes, sha256: pin, locked };
    if (!module.startsWith(BUILTIN)) return this.#read(resolve(baseDir, module), module, terms);
    const shipped = module.slice(BUILTIN.length);
    const guard = Object.hasOwn(BUILTIN_GUARDS, shipped) ? BUILTIN_GUARDS[shipped] : undefined;
    if (guard === undefined) {
      return notFound(`is not a built-in guard; there is: ${Object.keys(BUILTIN_GUARDS).join(", ")}`);
    }
    // The rule's own pin is checked beside the digest that was compiled in, not instead of it.
    const flaw = flawOf(guard.sha256, [], { ...terms, locked: undefined });
    if (flaw !== undefined) return flaw;
    const ready = await admittedAtBuild(guard, terms);
    return (
      ready ?? this.#read(fileURLToPath(new URL(guard.file, GUARDS_FOLDER)), module, { ...terms, sha256: guard.sha256 })
    );
  }

  async #read(path: string, name: string, terms: AdmissionTerms): Promise<AdmittedCode | RefusedModule> {
    const file = await readModuleFile(path, name);
    if ("refused" in file) return file.refused;
    const key = [sha256(file.bytes), terms.function, terms.memoryBytes, COST_MODEL_VERSION];
    const cached = await this.#cache?.get(key);
    const known = cached === undefined ? undefined : decodeAdmitted(cached);
    if (known !== undefined) return flawOf(known.digest, known.imports, terms) ?? known;
    const { admitCode } = await import("./admission.ts");
    const code = await admitCode(file.bytes, terms);
    // Nobody waits for the disk.
    if (code.ok) void this.#cache?.put(key, encodeAdmitted(code));
    return code;
  }
}

/** What a rule asks of a module beyond what admission has found out about it once and for all. */
function flawOf(digest: string, imports: readonly string[], terms: AdmissionTerms): RefusedModule | undefined {
  try {
    checkDigest(digest, terms.sha256);
    checkLock(digest, imports, terms.locked);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    throw error;
  }
}

/** The guards that ship are admitted when they are built, for the usual terms. */
async function admittedAtBuild(
  { admitted }: BuiltinGuard,
  terms: Pick<AdmissionTerms, "function" | "memoryBytes">,
): Promise<AdmittedCode | undefined> {
  if (terms.function !== "handle" || Math.floor(terms.memoryBytes / PAGE_BYTES) !== admitted.memoryPages)
    return undefined;
  const content = await readFile(new URL(admitted.file, GUARDS_FOLDER)).catch(() => undefined);
  return content !== undefined && sha256(content) === admitted.sha256 ? decodeAdmitted(content) : undefined;
}
