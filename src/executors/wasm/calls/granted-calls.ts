import type { DecodedReply } from "../../../codec.ts";
import type { HookEvent, JsonObject } from "../../../event.ts";
import { contractOfEvent } from "../../../events/lookup.ts";
import { readReply } from "../../../events/reply.ts";
import { cleanLine } from "../../../text.ts";
import type { AdmittedModule } from "../admission/admission.ts";
import type { GrantedCall, GrantedSide, GrantedSideOptions } from "../granted/granted-side.ts";
import type { Effects, GuestAnswer, GuestUsage } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import { NO_WORKER } from "./call-failures.ts";
import type { CallTerms, GuestCalls } from "./guest-calls.ts";

/** What came of a call. */
export interface CallResult {
  readonly reply: DecodedReply;
  /** `undefined`: no guest has run. */
  readonly usage?: GuestUsage | undefined;
  /** What the guard wants changed in the world that it was given. In the real one it has been changed already. */
  readonly effects?: Effects | undefined;
}

/** Calls with what the rule grants. Most rules grant nothing, and their processes load nothing of it. */
export class GrantedCalls {
  readonly #calls: GuestCalls;
  readonly #options: GrantedSideOptions;
  #loading: Promise<GrantedSide> | undefined;
  #side: GrantedSide | undefined;
  /** Runs under way of rules that keep state, by the session's id. */
  readonly #runs = new Map<string, number>();
  /** Ends of sessions that are told once such runs have ended. */
  readonly #ends = new Map<string, HookEvent>();

  constructor(calls: GuestCalls, options: GrantedSideOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  /** Rejects as {@link GuestCalls.call} does. Only a well-formed answer in time changes anything in the world. */
  async call(rule: WasmRule, admitted: AdmittedModule, event: HookEvent, terms: CallTerms): Promise<CallResult> {
    if (rule.handler.grants === undefined || terms.given !== undefined) {
      const answer = await this.#calls.call(rule, admitted, terms);
      const result = readAnswer(answer, event);
      return answer.kind === "answered" ? { ...result, effects: answer.effects } : result;
    }
    terms.signal.enter?.("queue");
    const side = this.#side ?? (await this.#load());
    const granted = await side.enter(rule, event, terms.signal);
    if ("kind" in granted) return { reply: { ok: false, failure: granted } };
    try {
      const answer = await this.#calls.call(rule, admitted, terms, granted);
      const result = readAnswer(answer, event);
      return result.reply.ok ? await this.#commit(answer, result, granted, terms) : result;
    } finally {
      if (granted.requests !== undefined) terms.spent.requests = granted.requests;
      granted.leave();
    }
  }

  async #commit(
    answer: GuestAnswer,
    result: CallResult,
    granted: GrantedCall,
    { signal }: CallTerms,
  ): Promise<CallResult> {
    if (answer.kind !== "answered" || answer.effects === undefined) return result;
    // Whoever asked has given up: nothing of it may have happened.
    if (signal.aborted) throw new Error("stopped before what the guard wants changed was done");
    const failure = await granted.commit(answer.effects);
    return failure === undefined ? result : { ...result, reply: { ok: false, failure } };
  }

  #load(): Promise<GrantedSide> {
    this.#loading ??= import("../granted/granted-side.ts").then(async ({ GrantedSide }) => {
      this.#side = await GrantedSide.open(this.#options);
      return this.#side;
    });
    return this.#loading;
  }

  /**
   * From the start of a run, which may wait for its module or a slot, until the returned function is called, what was
   * kept in its session is not forgotten: the run would write it anew, and nobody would forget that.
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

  /** What guards have kept in the event's session is forgotten, once none of its runs is under way any more. */
  sessionEnded(event: HookEvent): void {
    const session = sessionOf(event);
    if (this.#runs.has(session)) this.#ends.set(session, event);
    else this.#forget(event);
  }

  #forget(event: HookEvent): void {
    // A store that others share keeps what they have kept.
    if (this.#side !== undefined) this.#side.sessionEnded(event);
    else if (this.#options.store !== undefined || this.#options.stateFolder !== undefined)
      void this.#load().then((side) => side.sessionEnded(event));
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }
}

/** Events without an id are of one session, the engine's own. */
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
