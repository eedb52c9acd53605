import { CacheFolder } from "../../cache/cache-folder.ts";
import { isJsonObject } from "../../event.ts";
import type { FailureKind } from "../../outcome.ts";
import type { AdmittedModule } from "./admission.ts";
import { coversLimits, type FixtureLimits } from "./claims.ts";
import { COST_MODEL_VERSION } from "./cost-model.ts";
import { eachFixture, type FixtureCaller, type FixtureResult, MAX_FIXTURES_FUEL } from "./fixtures.ts";
import { GUEST_ABI_VERSION } from "./guest-abi.ts";
import { MANIFEST_SECTION } from "./manifest.ts";
import type { Fixture } from "./manifest-schema.ts";
import type { WasmRule } from "./module-store.ts";
import { type RefusedModule, refusedModule } from "./refusal.ts";

/** Makes calls of an admitted module that has not been loaded yet. */
export type CallerOf = (admitted: AdmittedModule) => FixtureCaller;

export interface FixtureVerdict {
  readonly refused: RefusedModule | undefined;
  /** `false`: nothing was found out, and a later call may ask again. */
  readonly isFinal: boolean;
  /** What kept it from being found out. */
  readonly kind?: FailureKind | undefined;
}

/** How far the fixtures of a module have passed. */
interface Progress {
  readonly passed: number;
  readonly fuel: number;
}

const NONE: Progress = { passed: 0, fuel: 0 };
const PASSED: FixtureVerdict = { refused: undefined, isFinal: true };

/** After a deadline that passed. */
const RETRY_AFTER_MS = 60_000;

/** The module was not asked, or not to the end. It may be in order. */
const UNDECIDED: ReadonlySet<FailureKind> = new Set(["timeout", "unavailable", "cancelled"]);

/**
 * Modules that fail their own fixtures do not load. Each set of limits is tried once, whoever asks; what a rule lets
 * its guard say is no concern of fixtures.
 */
export class FixtureCheck {
  readonly #callerOf: CallerOf;
  readonly #cache: CacheFolder | undefined;
  readonly #trustsEarlierRuns: boolean;
  readonly #checks = new Map<string, Promise<FixtureVerdict>>();
  readonly #running = new Set<Promise<FixtureVerdict>>();
  #lastTurn: Promise<unknown> = Promise.resolve();

  /**
   * `cacheDir`: where passed fixtures are remembered for processes that trust earlier runs, which need not run them
   * again.
   */
  constructor(
    callerOf: CallerOf,
    { cacheDir, trustsEarlierRuns }: { readonly cacheDir: string | false; readonly trustsEarlierRuns: boolean },
  ) {
    this.#callerOf = callerOf;
    this.#cache = cacheDir === false ? undefined : new CacheFolder(cacheDir, "fixtures");
    this.#trustsEarlierRuns = trustsEarlierRuns;
  }

  verdict(rule: WasmRule, admitted: AdmittedModule): Promise<FixtureVerdict> {
    const { claims } = admitted;
    if (claims === undefined || claims.fixtures === 0) return Promise.resolve(PASSED);
    const limits = limitsOf(rule);
    // The build has run those of the guards that ship.
    if (claims.passedUnder !== undefined && coversLimits(claims.passedUnder, limits)) return Promise.resolve(PASSED);
    const key = [admitted.key, rule.handler.function, limits, COST_MODEL_VERSION, GUEST_ABI_VERSION];
    const name = JSON.stringify(key);
    let check = this.#checks.get(name);
    if (check === undefined) {
      // One module after the other, or a slow one would let the deadlines of the others pass.
      check = this.#lastTurn.then(() => this.#check(rule, admitted, key)).finally(() => this.#running.delete(running));
      const running = check;
      this.#lastTurn = check.catch(() => {});
      this.#running.add(running);
      this.#checks.set(name, check);
      const forget = (): void => void this.#checks.delete(name);
      void check.then(({ isFinal, kind }) => {
        if (isFinal) return;
        // It may have held a thread all the time, and would again for each event that comes.
        if (kind === "timeout") setTimeout(forget, RETRY_AFTER_MS).unref();
        else forget();
      }, forget);
    }
    return check;
  }

  /** Resolves when no fixtures are being run. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  /** Resolves when nothing is being run or written any more. */
  async settled(): Promise<void> {
    await this.idle();
    await this.#cache?.settled();
  }

  async #check(rule: WasmRule, admitted: AdmittedModule, key: unknown): Promise<FixtureVerdict> {
    const fixtures = fixturesOf(admitted);
    const before = this.#trustsEarlierRuns ? progressFrom(await this.#cache?.get(key)) : NONE;
    let { passed, fuel } = before;
    let verdict: FixtureVerdict = PASSED;
    for await (const result of eachFixture(this.#callerOf(admitted), rule, fixtures.slice(passed), fuel)) {
      if (!result.passed) {
        const kind = "failure" in result.actual ? result.actual.failure.kind : undefined;
        verdict = { refused: refusalOf(result), isFinal: !isUndecided(result), kind };
        break;
      }
      passed += 1;
      fuel += result.fuel;
    }
    // A process that serves one event may end before they are through. The next one goes on from there.
    if (passed > before.passed) void this.#cache?.put(key, Buffer.from(JSON.stringify({ passed, fuel })));
    return verdict;
  }
}

function limitsOf({ handler: { limits } }: WasmRule): FixtureLimits {
  const { fuel, fuelPerInputByte, depth, outputBytes } = limits;
  return { fuel, fuelPerInputByte, depth, outputBytes };
}

/** Admission has read the manifest strictly; what it lets through keeps its sections. */
export function fixturesOf({ module }: AdmittedModule): readonly Fixture[] {
  const [section] = WebAssembly.Module.customSections(module.compiled, MANIFEST_SECTION);
  if (section === undefined) return [];
  const manifest = JSON.parse(new TextDecoder().decode(section)) as { readonly fixtures?: readonly Fixture[] };
  return manifest.fixtures ?? [];
}

function progressFrom(content: Buffer | undefined): Progress {
  if (content === undefined) return NONE;
  const progress: unknown = JSON.parse(content.toString());
  if (!isJsonObject(progress)) return NONE;
  const { passed, fuel } = progress;
  return typeof passed === "number" && typeof fuel === "number" ? { passed, fuel } : NONE;
}

function isUndecided({ actual }: FixtureResult): boolean {
  if (!("failure" in actual)) return false;
  const { kind, code } = actual.failure;
  // What else has a code is wrong with the fixture, and stays wrong.
  return UNDECIDED.has(kind) && (code === undefined || code === "HOOK_GUARD_QUARANTINED");
}

/** What of a rule's limits a guard has run into. */
const LIMIT_NAMES: Partial<Record<FailureKind, string>> = {
  fuel: "fuel",
  stack: "depth",
  memory: "memoryMiB",
  "output-too-large": "outputBytes",
};

function refusalOf(result: FixtureResult): RefusedModule {
  const { name, message = "", actual } = result;
  const failure = "failure" in actual ? actual.failure : undefined;
  const limit =
    failure === undefined || failure.limit === undefined || failure.limit === MAX_FIXTURES_FUEL
      ? undefined
      : LIMIT_NAMES[failure.kind];
  const decides = limit === undefined ? "" : ` (limits.${limit} of the rule)`;
  const verb = isUndecided(result) ? "has not got through" : "fails";
  return refusedModule(
    "HOOK_MODULE_FIXTURE",
    "unavailable",
    `${verb} its own fixture "${name}": ${message}${decides}`,
    {
      ...(failure?.limit === undefined ? {} : { limit: failure.limit }),
      ...(failure?.value === undefined ? {} : { value: failure.value }),
    },
  );
}
