import { isDeepStrictEqual } from "node:util";
import type { HookEvent, JsonObject, JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOfEvent } from "../events/lookup.ts";
import type { Reply } from "../outcome.ts";
import { type Layer, type Rule, trustOf } from "../rule.ts";
import { cleanLine } from "../text.ts";
import type { Judgement } from "./judgement.ts";
import { RewriteChannel } from "./rewrite-channel.ts";

/**
 * The rewrites of the first look, applied in verdict order. Used while sequential rules run, because each must see the
 * last rewrite, and again for the verdict. Both uses give the same result.
 */
export class Rewrites {
  readonly #event: HookEvent;
  readonly #isSequential: boolean;
  readonly #isPatched: boolean;
  readonly #input: RewriteChannel;
  readonly #output: RewriteChannel;
  readonly #messages: RewriteChannel;
  readonly #frozenOut = new Set<Judgement>();
  readonly #notes = new Map<Judgement, string[]>();
  #approval: { readonly rule: string; readonly layer: Layer; readonly asked: JsonObject } | undefined;

  constructor(event: HookEvent, contract: EventContract) {
    const { payload } = event;
    this.#event = event;
    this.#isSequential = contract.order === "sequential";
    this.#isPatched = contract.rewriteMode === "patch";
    const whole = (): boolean => false;
    this.#input = new RewriteChannel("updatedInput", payload["tool_input"], contract, (rule) => this.patches(rule));
    this.#output = new RewriteChannel("updatedOutput", payload["tool_response"], contract, whole);
    this.#messages = new RewriteChannel("updatedMessages", payload["messages"], contract, whole);
  }

  static of(event: HookEvent, contract: EventContract, judgements: readonly Judgement[]): Rewrites {
    const rewrites = new Rewrites(event, contract);
    for (const judgement of judgements) rewrites.take(judgement);
    return rewrites;
  }

  /** Like {@link of}. Returns `undefined` if no rule rewrote anything or asked for approval, which is the common case. */
  static among(event: HookEvent, contract: EventContract, judgements: readonly Judgement[]): Rewrites | undefined {
    const isAny = judgements.some(({ outcome }) => outcome.status === "decided" && rewritesOrAsks(outcome.reply));
    return isAny ? Rewrites.of(event, contract, judgements) : undefined;
  }

  get input(): JsonObject | undefined {
    return this.#input.given as JsonObject | undefined;
  }

  /** The input after all rewrites. `undefined` if it equals the original. */
  get changedInput(): JsonObject | undefined {
    return this.#input.changed as JsonObject | undefined;
  }

  get output(): JsonValue | undefined {
    return this.#output.given;
  }

  get messages(): readonly JsonValue[] | undefined {
    return this.#messages.given as readonly JsonValue[] | undefined;
  }

  get approval(): JsonObject | undefined {
    return this.#approval?.asked;
  }

  /** The event that the next rule of a sequential event sees. */
  get event(): HookEvent {
    const changed = {
      tool_input: this.#input.changed,
      tool_response: this.#output.changed,
      messages: this.#messages.changed,
    };
    const fields = Object.entries(changed).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
    return { ...this.#event, payload: { ...this.#event.payload, ...Object.fromEntries(fields) } };
  }

  /** Applies a judgement. Returns whether the next rule of a sequential event sees another event. */
  take(judgement: Judgement): boolean {
    const { rule, outcome, look } = judgement;
    if (look === "second") return false;
    // The reply of a rule in monitor mode does not count, but the value that it saw is recorded.
    const counts = rule.mode === "enforce" && !rule.async && outcome.status === "decided";
    const reply = counts ? outcome.reply : undefined;
    // The fast path: most rules rewrite nothing, and most events are parallel.
    if (!this.#isSequential && (reply === undefined || !rewritesOrAsks(reply))) return false;

    const messages = reply?.updatedMessages;
    const news = [
      this.#input.take(judgement, this.#unlessFrozen(judgement, reply)),
      this.#output.take(judgement, reply?.updatedOutput ?? undefined),
      this.#messages.take(judgement, messages?.length === 0 ? undefined : messages),
    ];
    this.#askForApproval(judgement, reply);
    return news.includes(true);
  }

  /** Whether a rule's new input is a patch and not the whole input. */
  patches(rule: Rule): boolean {
    if (!this.#isPatched || rule.compat === "safer") return this.#isPatched;
    return contractOfEvent(this.#event, rule.compat).rewriteMode === "patch";
  }

  /** Whether a rule saw exactly this input or asked for it. */
  hasJudged(judgement: Judgement, input: JsonObject): boolean {
    return isDeepStrictEqual(this.#input.opinionOf(judgement), input);
  }

  /**
   * Whether a rule may rewrite again in the second look, where the rewrite is then ignored. In a sequential event a rule
   * may append to any input that it sees; and a rewrite after a question for approval was already dropped with a note.
   */
  mayRepeat(judgement: Judgement): boolean {
    return this.#frozenOut.has(judgement) || (this.#isSequential && this.#input.hasRewritten(judgement));
  }

  /** Whether another rule's output replaces the rule's own. */
  hasLostOutput(judgement: Judgement): boolean {
    return this.#output.lostBy(judgement).length > 0;
  }

  /** Notes about the parts of a rule's reply that do not count. */
  notesOn(judgement: Judgement): readonly string[] {
    const lost = [this.#input, this.#output, this.#messages].flatMap((channel) => channel.lostBy(judgement));
    return [...(this.#notes.get(judgement) ?? []), ...lost];
  }

  /** After a rule asked for approval, only a more trusted rule may change the input that the user is asked about. */
  #unlessFrozen(judgement: Judgement, reply: Reply | undefined): JsonObject | undefined {
    const rewrite = reply?.updatedInput;
    if (rewrite === undefined || this.#approval === undefined) return rewrite;
    if (trustOf(judgement.rule.layer) > trustOf(this.#approval.layer)) return rewrite;
    this.#frozenOut.add(judgement);
    this.#note(judgement, `updatedInput: "${this.#approval.rule}" asks for approval of the input as it is`);
    return undefined;
  }

  #askForApproval(judgement: Judgement, reply: Reply | undefined): void {
    if (reply?.approval === undefined) return;
    if (this.#approval === undefined) {
      const { name, layer } = judgement.rule;
      this.#approval = { rule: cleanLine(name), layer, asked: reply.approval };
    } else this.#note(judgement, `approval: "${this.#approval.rule}" has asked already`);
  }

  #note(judgement: Judgement, what: string): void {
    this.#notes.set(judgement, [...(this.#notes.get(judgement) ?? []), what]);
  }
}

function rewritesOrAsks(reply: Reply): boolean {
  return (
    reply.updatedInput !== undefined ||
    reply.updatedOutput !== undefined ||
    reply.updatedMessages !== undefined ||
    reply.approval !== undefined
  );
}
