import { describeThrown } from "../errors.ts";
import type { Failure } from "../outcome.ts";
import type { StopSignal } from "../stop-signal.ts";
import { cleanLine } from "../text.ts";
import type { AdmittedModule } from "./admission/admitted-module.ts";
import type { GrantedCall, GrantServices, GrantServicesOptions } from "./grants/grant-services.ts";
import type { StateOwner } from "./grants/state-scopes.ts";
import type { Effects, GuestAnswer, GuestUsage } from "./guest/protocol.ts";
import { type GuestCall, GuestCalls, type GuestCallsOptions } from "./guest-calls.ts";
import type { GuestSettings } from "./guest-setups.ts";
import { BrokenSandbox, GuestLost } from "./pool/guest-pool.ts";

export interface SandboxCall<Answer extends { readonly ok: boolean } = { readonly ok: boolean }> extends GuestCall {
  /** Whose variables the guest uses, if the settings grant state. */
  readonly owner: StateOwner;
  /** Reads the guest's output. The guest's changes to state and files are applied only if the answer is `ok`. */
  read(output: string): Answer;
}

/** The result of a call: the guest's output and its cost, or a failure. */
export type SandboxResult<Answer> = {
  /** The number of requests that the guest sent, even if the call failed. `undefined`: the settings grant no hosts. */
  readonly requests?: number | undefined;
} & (
  | {
      readonly ok: true;
      readonly answer: Answer;
      readonly usage: GuestUsage;
      /** Changes that the guest makes in a fixture's world. Real changes have already been applied. */
      readonly effects?: Effects | undefined;
    }
  | {
      readonly ok: false;
      readonly failure: Failure;
      /** `undefined` if no guest has run. */
      readonly usage?: GuestUsage | undefined;
      /** Whether the call cost its thread or process. */
      readonly isLost?: boolean;
    }
);

export interface SandboxParts extends GuestCallsOptions, Omit<GrantServicesOptions, "maxWaiting"> {}

const NO_WORKER: Failure = { kind: "unavailable", message: "no worker thread took the call" };

/** Runs functions of admitted modules, with grants. */
export class Sandbox extends GuestCalls {
  readonly #options: GrantServicesOptions;
  /** Loaded only if a call has grants, which is rare. */
  #loading: Promise<GrantServices> | undefined;
  #side: GrantServices | undefined;
  /** Number of current runs that use state, by session. */
  readonly #runs = new Map<string, number>();
  /** Sessions that ended before their runs in {@link #runs} ended. */
  readonly #ended = new Set<string>();

  constructor(options: SandboxParts) {
    super(options);
    this.#options = { ...options, maxWaiting: options.maxQueue };
  }

  /** Makes one call. Never rejects. */
  async call<Answer extends { readonly ok: boolean }>(
    settings: GuestSettings,
    admitted: AdmittedModule,
    call: SandboxCall<Answer>,
  ): Promise<SandboxResult<Answer>> {
    let granted: GrantedCall | undefined;
    let result: SandboxResult<Answer>;
    try {
      if (settings.grants !== undefined && call.given === undefined) {
        call.signal.enter?.("queue");
        const entered = await (this.#side ?? (await this.#load())).enter(settings.grants, call.owner, call.signal);
        if ("kind" in entered) return { ok: false, failure: entered };
        granted = entered;
      }
      result = await this.#finish(await this.ask(settings, admitted, call, granted), call, granted);
    } catch (error) {
      result = { ok: false, failure: failureOf(error, call.signal), isLost: error instanceof GuestLost };
    }
    granted?.leave();
    return granted?.requests === undefined ? result : { ...result, requests: granted.requests };
  }

  async #finish<Answer extends { readonly ok: boolean }>(
    made: GuestAnswer,
    { read, signal }: SandboxCall<Answer>,
    granted: GrantedCall | undefined,
  ): Promise<SandboxResult<Answer>> {
    if (made.kind === "needs-setup") return { ok: false, failure: NO_WORKER };
    const { usage } = made;
    if (made.kind === "failed") {
      const { failure } = made;
      return { ok: false, failure: { ...failure, message: cleanLine(failure.message) }, usage };
    }
    const { effects } = made;
    const answer = read(made.text);
    if (granted === undefined) return { ok: true, answer, usage, effects };
    if (effects === undefined || !answer.ok) return { ok: true, answer, usage };
    // None of the guard's changes may be applied, because the caller was told that the call failed.
    if (signal.aborted) throw new Error("stopped before the guest's changes were applied");
    const failure = await granted.commit(effects);
    return failure === undefined ? { ok: true, answer, usage } : { ok: false, failure, usage };
  }

  #load(): Promise<GrantServices> {
    this.#loading ??= import("./grants/grant-services.ts").then(async ({ GrantServices }) => {
      this.#side = await GrantServices.open(this.#options);
      return this.#side;
    });
    return this.#loading;
  }

  /**
   * Begins a run that uses state and may wait for its module or a slot. Returns a function that ends it. Until then,
   * the variables of its session are not removed. Otherwise the run would write them again, and they would never be
   * removed.
   */
  begin(session: string): () => void {
    this.#runs.set(session, (this.#runs.get(session) ?? 0) + 1);
    return () => {
      const left = (this.#runs.get(session) ?? 1) - 1;
      if (left > 0) {
        this.#runs.set(session, left);
        return;
      }
      this.#runs.delete(session);
      if (this.#ended.delete(session)) this.#forget(session);
    };
  }

  /** Removes the variables of a session after all of its current runs have ended. */
  sessionEnded(session: string): void {
    if (this.#runs.has(session)) this.#ended.add(session);
    else this.#forget(session);
  }

  #forget(session: string): void {
    // A store that other processes share may have variables of this session, even if this process has made no call.
    if (this.#side !== undefined) this.#side.sessionEnded(session);
    else if (this.#options.store !== undefined || this.#options.stateFolder !== undefined)
      void this.#load().then((side) => side.sessionEnded(session));
  }

  /** Resolves to the number of threads that did not end. */
  override async close(threadsMs?: number): Promise<number> {
    const hung = await super.close(threadsMs);
    await (await this.#loading)?.close();
    return hung;
  }
}

/** Returns the failure of a call that was rejected. If the signal has fired, its reason outranks the error. */
function failureOf(error: unknown, signal: StopSignal): Failure {
  if (signal.aborted) return signal.reason as Failure;
  if (error instanceof BrokenSandbox) return { kind: "unavailable", code: error.code, message: error.message };
  const cause = error instanceof Error ? error.cause : undefined;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") return { kind: "memory", message: "the worker thread ran out of memory" };
  return { kind: "unavailable", message: `the guard could not be run: ${describeThrown(error)}` };
}
