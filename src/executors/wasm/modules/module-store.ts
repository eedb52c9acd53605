import { readFileSync } from "node:fs";
import { CacheFolder, sha256 } from "../../../cache/cache-folder.ts";
import type { Rule } from "../../../rule.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { Admission, AdmittedCode } from "../admission/admission.ts";
import { decodeAdmitted, encodeAdmitted } from "../admission/admitted-file.ts";
import { compile, validated } from "../admission/compile.ts";
import { COST_MODEL_VERSION } from "../admission/cost-model.ts";
import type { AdmissionTerms } from "../admission/examination.ts";
import { PAGE_BYTES } from "../admission/module-checks.ts";
import type { RefusedModule } from "../admission/refusal.ts";
import { flawOf } from "../admission/terms.ts";
import { grantLines } from "../grants.ts";
import type { Boundary } from "../pool/guest-pool.ts";
import type { BuiltinGuard } from "./builtin-guards.ts";
import { readModuleFile } from "./module-file.ts";
import { guardFile, isBuiltin, locateModule } from "./module-source.ts";

/** A rule whose handler is of type `wasm`. */
export type WasmRule = Rule & { readonly handler: Extract<Rule["handler"], { type: "wasm" }> };

/** Admitted modules, each read and examined once. A file that changes on disk afterwards changes nothing here. */
export class ModuleStore {
  readonly #admissions = new Map<string, Promise<Admission>>();
  readonly #cache: CacheFolder | undefined;
  readonly #boundary: Boundary;
  #lastTurn: Promise<void> = Promise.resolve();

  /**
   * `cacheDir`: where admitted modules are kept for the next process. Default: nowhere. `boundary`: where they will run;
   * for processes of their own nothing is compiled here.
   */
  constructor(cacheDir: string | false = false, boundary: Boundary = "thread") {
    this.#boundary = boundary;
    this.#cache = cacheDir === false ? undefined : new CacheFolder(cacheDir, "admitted");
  }

  /** Rejects when `signal` has fired before the module's turn came. */
  get(rule: WasmRule, signal?: StopSignal): Promise<Admission> {
    const { module, sha256: pin, function: name, limits, locked, grants } = rule.handler;
    const key = JSON.stringify([
      module,
      isBuiltin(module) ? "" : rule.baseDir,
      pin ?? null,
      locked ?? null,
      name,
      limits.memoryBytes,
      grantLines(grants),
    ]);
    let admission = this.#admissions.get(key);
    if (admission === undefined) {
      admission = this.#load(rule, signal);
      this.#admissions.set(key, admission);
      admission.catch(() => this.#admissions.delete(key));
    }
    return admission.catch((error: unknown) => {
      // Somebody else had asked for it first, and could wait no longer.
      if (!(error instanceof TurnMissed) || signal?.aborted === true) throw error;
      return this.get(rule, signal);
    });
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.#cache?.settled();
  }

  /**
   * One after the other, with a breath between: to examine a module keeps the thread busy that has to hear of
   * deadlines.
   */
  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#lastTurn.then(breath).then(work);
    this.#lastTurn = turn.then(breath, breath);
    return turn;
  }

  async #load(rule: WasmRule, signal: StopSignal | undefined): Promise<Admission> {
    const code = await this.#code(rule, signal);
    if (!code.ok) return code;
    return this.#boundary === "process" ? validated(code) : compile(code);
  }

  async #code({ handler, baseDir }: WasmRule, signal: StopSignal | undefined): Promise<AdmittedCode | RefusedModule> {
    const { module, sha256: pin, function: name, limits, locked, grants } = handler;
    const source = locateModule(module, baseDir);
    if ("ok" in source) return source;
    const terms = { function: name, memoryBytes: limits.memoryBytes, sha256: pin, locked, grants };
    const { path, builtin } = source;
    if (builtin === undefined) return this.#read(path, module, terms, signal);
    // The rule's own pin is checked beside the digest that was compiled in, not instead of it.
    const flaw = flawOf({ digest: builtin.sha256, imports: [], startExports: [] }, { ...terms, locked: undefined });
    if (flaw !== undefined) return flaw;
    const ready = admittedAtBuild(builtin, terms);
    return ready ?? this.#read(path, module, { ...terms, sha256: builtin.sha256 }, signal);
  }

  async #read(
    path: string,
    name: string,
    terms: AdmissionTerms,
    signal: StopSignal | undefined,
  ): Promise<AdmittedCode | RefusedModule> {
    const file = await readModuleFile(path, name);
    if ("refused" in file) return file.refused;
    const key = [sha256(file.bytes), terms.function, terms.memoryBytes, COST_MODEL_VERSION];
    const cached = await this.#cache?.get(key);
    const known = cached === undefined ? undefined : decodeAdmitted(cached);
    if (known !== undefined) return flawOf(known, terms) ?? known;
    const code = await this.#inTurn(async () => {
      if (signal?.aborted === true) throw new TurnMissed("no time was left to examine the module");
      const { admitCode } = await import("../admission/admission.ts");
      return admitCode(file.bytes, terms);
    });
    if (code.ok) void this.#cache?.put(key, encodeAdmitted(code));
    return code;
  }
}

/** Whoever asked had no time left when the module's turn came. */
class TurnMissed extends Error {}

/** The event loop has seen to its timers. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The guards that ship are admitted when they are built, for the usual terms. */
function admittedAtBuild(
  { admitted }: BuiltinGuard,
  terms: Pick<AdmissionTerms, "function" | "memoryBytes">,
): AdmittedCode | undefined {
  if (terms.function !== "handle" || Math.floor(terms.memoryBytes / PAGE_BYTES) !== admitted.memoryPages)
    return undefined;
  const content = contentOf(guardFile(admitted.file));
  return content !== undefined && sha256(content) === admitted.sha256 ? decodeAdmitted(content) : undefined;
}

/** At once: a file of this package, of a megabyte, which a promise would read in parts. */
function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
