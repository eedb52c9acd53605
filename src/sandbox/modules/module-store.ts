import { CacheFolder, sha256 } from "../../cache/cache-folder.ts";
import type { WasmLimits } from "../../grants.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { decodeAdmitted, encodeAdmitted } from "../admission/admitted-file.ts";
import type { Admission, AdmittedCode } from "../admission/admitted-module.ts";
import { compile, validated } from "../admission/compile.ts";
import { COST_MODEL_VERSION } from "../admission/cost-model.ts";
import type { EngineGuard } from "../admission/engine-guard.ts";
import type { ModuleRequirements } from "../admission/examination.ts";
import { refusalOf } from "../admission/known-module.ts";
import { PAGE_BYTES } from "../admission/module-limits.ts";
import type { RefusedModule } from "../admission/refusal.ts";
import { lines as grantLines } from "../grants/grants.ts";
import type { Boundary } from "../pool/guest-pool.ts";
import { type ModuleFile, readModuleFile } from "./module-file.ts";
import { isBuiltin, locateModule } from "./module-source.ts";
import { guardModule, readBuiltin, sharedEngine } from "./shared-engine.ts";

/** A module, and what its caller requires of it. */
export interface WantedModule extends Pick<ModuleRequirements, "function" | "locked" | "grants"> {
  /** A path, or `builtin:NAME`. */
  readonly module: string;
  /** The folder that a path is relative to. */
  readonly baseDir: string;
  /** 64 hexadecimal digits. Default: the digest is not checked. */
  readonly sha256?: string;
  readonly limits: Pick<WasmLimits, "memoryBytes">;
}

/** Reads and examines each module once. Later changes of the file on disk have no effect. */
export class ModuleStore {
  readonly #admissions = new Map<string, Promise<Admission>>();
  readonly #folder: string | undefined;
  readonly #cache: CacheFolder | undefined;
  readonly #boundary: Boundary;
  #lastExamination: Promise<void> = Promise.resolve();

  /**
   * `cacheDir` is the folder in which admitted modules are kept for other processes. Default: `false`, no folder.
   * `boundary` is where guests run. For `process`, modules are not compiled in this process.
   */
  constructor(cacheDir: string | false = false, boundary: Boundary = "thread") {
    this.#boundary = boundary;
    this.#folder = cacheDir === false ? undefined : cacheDir;
    this.#cache = cacheDir === false ? undefined : new CacheFolder(cacheDir, "admitted");
  }

  /** Admits a module. Rejects if `signal` fires before the examination of the module begins. */
  get(wanted: WantedModule, signal?: StopSignal): Promise<Admission> {
    const { module, baseDir, sha256: pin, function: name, limits, locked, grants } = wanted;
    const key = JSON.stringify([
      module,
      isBuiltin(module) ? "" : baseDir,
      pin ?? null,
      locked ?? null,
      name,
      limits.memoryBytes,
      grantLines(grants),
    ]);
    let admission = this.#admissions.get(key);
    if (admission === undefined) {
      admission = this.#load(wanted, signal);
      this.#admissions.set(key, admission);
      admission.catch(() => this.#admissions.delete(key));
    }
    return admission.catch((error: unknown) => {
      // This caller tries again, because only the earlier caller's time was up.
      if (!(error instanceof NoTimeLeft) || signal?.aborted === true) throw error;
      return this.get(wanted, signal);
    });
  }

  /** Resolves when all writes have finished. */
  async settled(): Promise<void> {
    await this.#cache?.settled();
  }

  /**
   * Examines modules one after the other, with a turn of the event loop in between. An examination blocks this thread,
   * which must also run the timers of timeouts.
   */
  #oneAtATime<Value>(work: () => Promise<Value>): Promise<Value> {
    const examination = this.#lastExamination.then(breath).then(work);
    this.#lastExamination = examination.then(breath, breath);
    return examination;
  }

  async #load(wanted: WantedModule, signal: StopSignal | undefined): Promise<Admission> {
    const code = await this.#code(wanted, signal);
    if (!code.ok) return code;
    signal?.enter?.("compile");
    if (!("bytes" in code)) return guardModule(code, this.#boundary);
    return this.#boundary === "process" ? validated(code) : compile(code);
  }

  async #code(wanted: WantedModule, signal: StopSignal | undefined): Promise<Admitted | RefusedModule> {
    const { module, baseDir, sha256: pin, function: name, limits, locked, grants } = wanted;
    const source = locateModule(module, baseDir);
    if ("ok" in source) return source;
    const requirements = { function: name, memoryBytes: limits.memoryBytes, sha256: pin, locked, grants };
    const { path, builtin } = source;
    if (builtin === undefined) return this.#admitFile(await readModuleFile(path, module), requirements, signal);
    // The rule's own pin is checked in addition to the digest in the code.
    const refusal = refusalOf(
      { digest: builtin.sha256, imports: [], startExports: [] },
      { ...requirements, locked: undefined },
    );
    if (refusal !== undefined) return refusal;
    const guard = readBuiltin(builtin);
    if (!guard.ok) return guard;
    const ready = sharedEngine() === undefined ? undefined : forLimits(guard, requirements);
    if (ready !== undefined) return ready;
    // Full admission examines the whole module, and reports every refusal.
    const { builtinModule } = await import("./builtin-module.ts");
    return this.#admitFile(await builtinModule(builtin), { ...requirements, sha256: builtin.sha256 }, signal);
  }

  async #admitFile(
    file: ModuleFile,
    requirements: ModuleRequirements,
    signal: StopSignal | undefined,
  ): Promise<Admitted | RefusedModule> {
    if ("refused" in file) return file.refused;
    const digest = sha256(file.bytes);
    // The digest comes first, so that a changed module is refused as changed and not by a timeout.
    const changed = refusalOf({ digest, imports: [], startExports: [] }, requirements);
    if (changed !== undefined) return changed;
    const key = [digest, requirements.function, requirements.memoryBytes, COST_MODEL_VERSION];
    const cached = admittedFrom(await this.#cache?.get(key));
    const known = cached ?? (await recognised(file.bytes, digest, requirements));
    if (known !== undefined) {
      const refusal = refusalOf(known, requirements);
      if (refusal === undefined && cached === undefined) void this.#cache?.put(key, encodeAdmitted(known));
      return refusal ?? known;
    }
    const work = (): Promise<AdmittedCode | RefusedModule> => this.#examine(file.bytes, key, requirements, signal);
    if (this.#folder === undefined) return work();
    const find = async (): Promise<Admitted | RefusedModule | undefined> => {
      const found = admittedFrom(await this.#cache?.get(key));
      return found === undefined ? undefined : (refusalOf(found, requirements) ?? found);
    };
    signal?.enter?.("admission");
    // One process examines the module for all. Otherwise twenty processes that start together would each need a second.
    const { onceAmongProcesses } = await import("../../processes/work-claims.ts");
    return onceAmongProcesses(this.#folder, ["admission", key], { find, work, signal, maxWaitMs: MAX_WAIT_MS });
  }

  async #examine(
    file: Uint8Array<ArrayBuffer>,
    key: unknown,
    requirements: ModuleRequirements,
    signal: StopSignal | undefined,
  ): Promise<AdmittedCode | RefusedModule> {
    const code = await this.#oneAtATime(async () => {
      if (signal?.aborted === true) throw new NoTimeLeft("no time was left to examine the module");
      signal?.enter?.("admission");
      const { admitCode } = await import("../admission/admission.ts");
      return admitCode(file, requirements);
    });
    if (code.ok) await this.#cache?.put(key, encodeAdmitted(code));
    return code;
  }
}

type Admitted = AdmittedCode | EngineGuard;

/** The maximum time to wait for another process that examines a module. A slower process has probably stopped. */
const MAX_WAIT_MS = 20_000;

/** Thrown if the caller had no time left when the examination of its module should have begun. */
class NoTimeLeft extends Error {}

/** Lets the event loop run timers that are due. */
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns a shipped guard for a rule's function and memory limit; `undefined` if the guard is not admitted for them. */
function forLimits(
  guard: EngineGuard,
  { function: name, memoryBytes }: Pick<ModuleRequirements, "function" | "memoryBytes">,
): EngineGuard | undefined {
  const memoryPages = Math.floor(memoryBytes / PAGE_BYTES);
  if (name !== "handle" || guard.pages > memoryPages) return undefined;
  if (memoryPages >= guard.memoryPages || guard.claims === undefined) return { ...guard, memoryPages };
  // The fixtures have not run with so little memory.
  const { passedUnder: _, ...claims } = guard.claims;
  return { ...guard, memoryPages, claims };
}

/** Decodes an admitted module. Returns `undefined` for invalid content, and for an engine guard without its engine. */
function admittedFrom(content: Buffer | undefined): Admitted | undefined {
  const admitted = content === undefined ? undefined : decodeAdmitted(content);
  return admitted === undefined || "bytes" in admitted || sharedEngine() !== undefined ? admitted : undefined;
}

async function recognised(
  file: Uint8Array,
  digest: string,
  requirements: ModuleRequirements,
): Promise<EngineGuard | undefined> {
  const engine = sharedEngine();
  if (engine === undefined) return undefined;
  const { recognise } = await import("../admission/engine-guard.ts");
  return recognise(file, digest, requirements, engine);
}
