import type { DecodedReply } from "../../../codec.ts";
import type { HookEvent } from "../../../event.ts";
import { contractOfEvent } from "../../../events/lookup.ts";
import { readReply } from "../../../events/reply.ts";
import type { JsonObject } from "../../../json.ts";
import type { AdmittedModule } from "../../../sandbox/admission/admission.ts";
import type { GrantedCall, GrantServices, GrantServicesOptions } from "../../../sandbox/grants/grant-services.ts";
import type { Effects, GuestAnswer, GuestUsage } from "../../../sandbox/guest/protocol.ts";
import type { WasmRule } from "../../../sandbox/modules/module-store.ts";
import { cleanLine } from "../../../text.ts";
import { NO_WORKER } from "./call-failures.ts";
import type { CallOptions, GuestCalls } from "./guest-calls.ts";

/** The result of a call. */
export interface CallResult {
  readonly reply: DecodedReply;
  /** `undefined` if no guest has run. */
  readonly usage?: GuestUsage | undefined;
  /** Changes that the guard makes in a fixture's world. Real changes have already been applied. */
  readonly effects?: Effects | undefined;
}

/** Makes calls with the rule's grants. The code for grants is loaded only if a rule grants something, which is rare. */
export class GrantedCalls {
  readonly #calls: GuestCalls;
  readonly #options: GrantServicesOptions;
  #loading: Promise<GrantServices> | undefined;
  #side: GrantServices | undefined;
  /** Number of current runs of rules that grant state, by session id. */
  readonly #runs = new Map<string, number>();
  /** Ends of sessions that are passed on after such runs have ended. */
  readonly #ends = new Map<string, HookEvent>();

  constructor(calls: GuestCalls, options: GrantServicesOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /**
   * Makes one call. Rejects like {@link GuestCalls.call}. Changes are applied only for a well-formed answer in time.
   */
  async call(rule: WasmRule, admitted: AdmittedModule, event: HookEvent, options: CallOptions): Promise<CallResult> {
    if (rule.handler.grants === undefined || options.given !== undefined) {
      const answer = await this.#calls.call(rule, admitted, options);
      const result = readAnswer(answer, event);
      return answer.kind === "answered" ? { ...result, effects: answer.effects } : result;
    }
    options.signal.enter?.("queue");
    const side = this.#side ?? (await this.#load());
    const granted = await side.enter(rule, event, options.signal);
    if ("kind" in granted) return { reply: { ok: false, failure: granted } };
    try {
      const answer = await this.#calls.call(rule, admitted, options, granted);
      const result = readAnswer(answer, event);
      return result.reply.ok ? await this.#commit(answer, result, granted, options) : result;
    } finally {
      if (granted.requests !== undefined) options.spent.requests = granted.requests;
      granted.leave();
    }
  }

  async #commit(
    answer: GuestAnswer,
    result: CallResult,
    granted: GrantedCall,
    { signal }: CallOptions,
  ): Promise<CallResult> {
    if (answer.kind !== "answered" || answer.effects === undefined) return result;
    // The caller was told that the call failed, so none of its changes may be applied.
    if (signal.aborted) throw new Error("stopped before the guard's changes were applied");
    const failure = await granted.commit(answer.effects);
    return failure === undefined ? result : { ...result, reply: { ok: false, failure } };
  }

  #load(): Promise<GrantServices> {
    this.#loading ??= import("../../../sandbox/grants/grant-services.ts").then(async ({ GrantServices }) => {
      this.#side = await GrantServices.open(this.#options);
      return this.#side;
    });
    return this.#loading;
  }

  /**
   * Begins a run, which may wait for its module or a slot, and returns a function that ends it. Until then, the
   * variables of its session are not removed. Otherwise the run would write them again, and they would never be
   * removed.
   */
  begin(rule: WasmRule, event: HookEvent): () => void {
    if (rule.handler.grants?.state === undefined) return () => {};
    const session = sessionOf(event);
    this.#runs.set(session, (this.#runs.get(session) ?? 0) + 1);
    return () => {
      const left = (this.#runs.get(session) ?? 1) - 1;
      if (left > 0) {
        this.#runs.set(session, left);
        return;
      }
      this.#runs.delete(session);
      const end = this.#ends.get(session);
      this.#ends.delete(session);
      if (end !== undefined) this.#forget(end);
    };
  }

  /** Removes the variables of the event's session after all of its current runs have ended. */
  sessionEnded(event: HookEvent): void {
    const session = sessionOf(event);
    if (this.#runs.has(session)) this.#ends.set(session, event);
    else this.#forget(event);
  }

  #forget(event: HookEvent): void {
    // A store that other processes share may have variables of this session, even if this process has made no call.
    if (this.#side !== undefined) this.#side.sessionEnded(event);
    else if (this.#options.store !== undefined || this.#options.stateFolder !== undefined)
      void this.#load().then((side) => side.sessionEnded(event));
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }
}

/** Events without a session id belong to one session of the engine. */
function sessionOf({ payload }: HookEvent): string {
  const id = payload["session_id"];
  return typeof id === "string" ? id : "";
}

function readAnswer(answer: GuestAnswer, event: HookEvent): CallResult {
  if (answer.kind === "needs-setup") return { reply: { ok: false, failure: NO_WORKER } };
  const { usage } = answer;
  if (answer.kind === "failed") {
    const failure = { ...answer.failure, message: cleanLine(answer.failure.message) };
    return { reply: { ok: false, failure }, usage };
  }
  const reply = readReply(JSON.parse(answer.text) as JsonObject, {
    eventName: event.name,
    contract: contractOfEvent(event),
    strict: true,
  });
  return { reply, usage };
}
