import { isDeepStrictEqual } from "node:util";
import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOfEvent } from "../events/lookup.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { type Layer, trustOf } from "../layer-trust.ts";
import type { Reply } from "../outcome.ts";
import type { Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import { RewriteChannel } from "./rewrite-channel.ts";
import type { RuleOutcome } from "./rule-outcome.ts";

/**
 * The rewrites of the first look, applied in verdict order. While sequential rules run, `Rewrites` gives each rule the
 * last rewrite. The verdict later applies the same rewrites, with the same result.
 */
export class Rewrites {
  readonly #event: HookEvent;
  readonly #isSequential: boolean;
  readonly #isPatched: boolean;
  readonly #input: RewriteChannel;
  readonly #output: RewriteChannel;
  readonly #messages: RewriteChannel;
  readonly #frozenOut = new Set<RuleOutcome>();
  readonly #notes = new Map<RuleOutcome, string[]>();
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

  static of(event: HookEvent, contract: EventContract, ruleOutcomes: readonly RuleOutcome[]): Rewrites {
    const rewrites = new Rewrites(event, contract);
    for (const ruleOutcome of ruleOutcomes) rewrites.take(ruleOutcome);
    return rewrites;
  }

  /** Like {@link of}, but returns `undefined` in the common case: no rule rewrote anything or asked for approval. */
  static among(event: HookEvent, contract: EventContract, ruleOutcomes: readonly RuleOutcome[]): Rewrites | undefined {
    const isAny = ruleOutcomes.some(({ outcome }) => outcome.status === "decided" && rewritesOrAsks(outcome.reply));
    return isAny ? Rewrites.of(event, contract, ruleOutcomes) : undefined;
  }

  get input(): JsonObject | undefined {
    return this.#input.given as JsonObject | undefined;
  }

  /** The input after all rewrites. `undefined` if this input equals the original. */
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

  /** Applies a ruleOutcome. Returns whether the next rule of a sequential event sees another event. */
  take(ruleOutcome: RuleOutcome): boolean {
    const { rule, outcome, look } = ruleOutcome;
    if (look === "second") return false;
    // The reply of a rule in monitor mode does not count, but the value that it saw is recorded.
    const counts = rule.mode === "enforce" && !rule.async && outcome.status === "decided";
    const reply = counts ? outcome.reply : undefined;
    // The fast path, because most rules rewrite nothing and most events are parallel.
    if (!this.#isSequential && (reply === undefined || !rewritesOrAsks(reply))) return false;

    const messages = reply?.updatedMessages;
    const news = [
      this.#input.take(ruleOutcome, this.#unlessFrozen(ruleOutcome, reply)),
      this.#output.take(ruleOutcome, reply?.updatedOutput ?? undefined),
      this.#messages.take(ruleOutcome, messages?.length === 0 ? undefined : messages),
    ];
    this.#askForApproval(ruleOutcome, reply);
    return news.includes(true);
  }

  /** Whether a rule's new input is a patch and not the whole input. */
  patches(rule: Rule): boolean {
    if (!this.#isPatched || rule.compat === "safer") return this.#isPatched;
    return contractOfEvent(this.#event, rule.compat).rewriteMode === "patch";
  }

  /** Whether a rule saw exactly this input, or asked for exactly this input. */
  hasJudged(ruleOutcome: RuleOutcome, input: JsonObject): boolean {
    return isDeepStrictEqual(this.#input.opinionOf(ruleOutcome), input);
  }

  /**
   * Whether the second look ignores a rewrite by this rule. In a sequential event a rule may append to any input. A
   * rewrite after a question for approval was already dropped with a note.
   */
  mayRepeat(ruleOutcome: RuleOutcome): boolean {
    return this.#frozenOut.has(ruleOutcome) || (this.#isSequential && this.#input.hasRewritten(ruleOutcome));
  }

  /** Whether another rule's output replaces the rule's own. */
  hasLostOutput(ruleOutcome: RuleOutcome): boolean {
    return this.#output.lostBy(ruleOutcome).length > 0;
  }

  /** Notes about the parts of a rule's reply that do not count. */
  notesOn(ruleOutcome: RuleOutcome): readonly string[] {
    const lost = [this.#input, this.#output, this.#messages].flatMap((channel) => channel.lostBy(ruleOutcome));
    return [...(this.#notes.get(ruleOutcome) ?? []), ...lost];
  }

  /** Returns the rule's new input. After a question for approval, only a more trusted rule may change the input. */
  #unlessFrozen(ruleOutcome: RuleOutcome, reply: Reply | undefined): JsonObject | undefined {
    const rewrite = reply?.updatedInput;
    if (rewrite === undefined || this.#approval === undefined) return rewrite;
    if (trustOf(ruleOutcome.rule.layer) > trustOf(this.#approval.layer)) return rewrite;
    this.#frozenOut.add(ruleOutcome);
    this.#note(ruleOutcome, `updatedInput: "${this.#approval.rule}" asks for approval of the input as it is`);
    return undefined;
  }

  #askForApproval(ruleOutcome: RuleOutcome, reply: Reply | undefined): void {
    if (reply?.approval === undefined) return;
    if (this.#approval === undefined) {
      const { name, layer } = ruleOutcome.rule;
      this.#approval = { rule: cleanLine(name), layer, asked: reply.approval };
    } else this.#note(ruleOutcome, `approval: "${this.#approval.rule}" has asked already`);
  }

  #note(ruleOutcome: RuleOutcome, what: string): void {
    this.#notes.set(ruleOutcome, [...(this.#notes.get(ruleOutcome) ?? []), what]);
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
