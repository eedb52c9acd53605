import { isDeepStrictEqual } from "node:util";
import type { EventContract } from "../events/contract.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { trustOf } from "../layer-trust.ts";
import type { Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import { changedFields, patched } from "./patch-input.ts";
import type { RuleOutcome } from "./rule-outcome.ts";

/**
 * One value that rules may rewrite: input, output or messages. Rules are applied in verdict order. In a parallel event
 * all rules see the original, and the last change by the most trusted rule wins. In a sequential event each rule sees
 * the last rewrite. A rule may change this rewrite unless a more trusted rule wrote it.
 */
export class RewriteChannel {
  readonly #field: string;
  readonly #original: JsonValue | undefined;
  /** Whether a rule's rewrite is a patch and not the whole value. */
  readonly #isPatch: (rule: Rule) => boolean;
  readonly #isSequential: boolean;
  #current: JsonValue | undefined;
  #isGiven = false;
  /** Parallel events: the changes of each field, or of the whole value (`null`). The last change in a list counts. */
  readonly #changes = new Map<string | null, Change[]>();
  /** Sequential events: the value that each rule saw. */
  readonly #shown = new Map<RuleOutcome, JsonValue | undefined>();
  /** The value that each rewriting rule asked for. */
  readonly #wanted = new Map<RuleOutcome, JsonValue>();
  /** Sequential events: the most trusted rule that made a change. Later rules may not undo the trusted change. */
  #holder: RuleOutcome | undefined;
  readonly #overruled = new Set<RuleOutcome>();

  constructor(
    field: string,
    original: JsonValue | undefined,
    contract: EventContract,
    isPatch: (rule: Rule) => boolean,
  ) {
    this.#field = field;
    this.#original = original;
    this.#current = original;
    this.#isPatch = isPatch;
    this.#isSequential = contract.order === "sequential";
  }

  /** The value after all rewrites, which may equal the original. `undefined` if no rule rewrote the value. */
  get given(): JsonValue | undefined {
    return this.#isGiven ? this.#current : undefined;
  }

  /** The value after all rewrites if it differs from the original, otherwise `undefined`. */
  get changed(): JsonValue | undefined {
    return this.#isGiven && !isDeepStrictEqual(this.#current, this.#original) ? this.#current : undefined;
  }

  /** Returns the value that a rule asked for. If the rule asked for none, returns the value that the rule saw. */
  opinionOf(ruleOutcome: RuleOutcome): JsonValue | undefined {
    if (this.#wanted.has(ruleOutcome)) return this.#wanted.get(ruleOutcome);
    return this.#isSequential ? this.#shown.get(ruleOutcome) : this.#original;
  }

  hasRewritten(ruleOutcome: RuleOutcome): boolean {
    return this.#wanted.has(ruleOutcome);
  }

  /** Applies a rule's rewrite. Returns whether the next rule of a sequential event sees another value. */
  take(ruleOutcome: RuleOutcome, rewrite: JsonValue | undefined): boolean {
    if (this.#isSequential) this.#shown.set(ruleOutcome, this.#current);
    if (rewrite === undefined) return false;
    const before = this.#isSequential ? this.#current : this.#original;
    const isPatch = this.#isPatch(ruleOutcome.rule);
    const wanted = isPatch ? patched(asObject(before), rewrite as JsonObject) : rewrite;
    this.#wanted.set(ruleOutcome, wanted);
    if (this.#isSequential) return this.#sequentially(ruleOutcome, wanted, before);
    this.#isGiven = true;
    if (isPatch) {
      const changes = changedFields(asObject(this.#original), rewrite as JsonObject);
      const counting = Object.entries(changes).map(([key, value]) => [key, this.#change(key, { ruleOutcome, value })]);
      this.#current = patched(asObject(this.#current), Object.fromEntries(counting));
    } else if (!isDeepStrictEqual(rewrite, this.#original)) {
      this.#current = this.#change(null, { ruleOutcome, value: rewrite });
    }
    return false;
  }

  #sequentially(ruleOutcome: RuleOutcome, wanted: JsonValue, before: JsonValue | undefined): boolean {
    const isChange = !isDeepStrictEqual(wanted, before);
    if (isChange && this.#holder !== undefined && isMoreTrusted(this.#holder, ruleOutcome)) {
      this.#overruled.add(ruleOutcome);
      return false;
    }
    if (isChange) this.#holder = ruleOutcome;
    this.#isGiven = true;
    this.#current = wanted;
    return isChange;
  }

  /** Returns notes about the parts of a rule's rewrite that another rule's rewrite replaces. */
  lostBy(ruleOutcome: RuleOutcome): string[] {
    if (this.#overruled.has(ruleOutcome)) return [replacedNote(this.#field, this.#holder)];
    return [...this.#changes].flatMap(([key, changes]) => {
      const own = changes.find((change) => change.ruleOutcome === ruleOutcome);
      const winner = changes.at(-1);
      if (own === undefined || winner === undefined || isDeepStrictEqual(own.value, winner.value)) return [];
      const what = key === null ? this.#field : `${this.#field}.${cleanLine(key, MAX_KEY_LENGTH)}`;
      return [replacedNote(what, winner.ruleOutcome)];
    });
  }

  /** Records a change in order of trust. Returns the value that counts. */
  #change(key: string | null, change: Change): JsonValue {
    const changes = this.#changes.get(key) ?? [];
    this.#changes.set(key, changes);
    const above = changes.findIndex((one) => isMoreTrusted(one.ruleOutcome, change.ruleOutcome));
    changes.splice(above < 0 ? changes.length : above, 0, change);
    return (changes.at(-1) ?? change).value;
  }
}

function isMoreTrusted({ rule: one }: RuleOutcome, { rule: other }: RuleOutcome): boolean {
  return trustOf(one.layer) > trustOf(other.layer);
}

function replacedNote(what: string, winner: RuleOutcome | undefined): string {
  return `${what}: the value of "${cleanLine(winner?.rule.name ?? "")}" counts instead`;
}

interface Change {
  readonly ruleOutcome: RuleOutcome;
  readonly value: JsonValue;
}

const MAX_KEY_LENGTH = 100;

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
