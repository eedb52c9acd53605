import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { type Rule, trustOf } from "../rule.ts";
import { cleanLine } from "../text.ts";
import type { Judgement } from "./judgement.ts";
import { changedFields, patched } from "./patch.ts";

/**
 * One thing that rules may rewrite, and what becomes of it as they do, one after another in verdict order. Of rules that
 * all see the original the more trusted one wins where they differ, of equally trusted ones the later, and what is handed
 * back as it came undoes nothing. Of rules that see each other's rewrites each decides with open eyes, but a less trusted
 * rule does not undo what a more trusted one has made.
 */
export class RewriteChannel {
  readonly #field: string;
  readonly #original: JsonValue | undefined;
  /** Whether a rule says what changes, and not all of what comes of it. */
  readonly #isPatch: (rule: Rule) => boolean;
  readonly #isSequential: boolean;
  #current: JsonValue | undefined;
  #isGiven = false;
  /** Of rules side by side: what they make of the whole, or of a field. The last of a list counts: the most trusted. */
  readonly #changes = new Map<string | null, Change[]>();
  /** What each rule was shown, where they are not all shown the same. */
  readonly #shown = new Map<Judgement, JsonValue | undefined>();
  /** What each rewriting rule wants. */
  readonly #wanted = new Map<Judgement, JsonValue>();
  /** Of rules in a row: the most trusted that has changed something, and those after it that may not. */
  #holder: Judgement | undefined;
  readonly #overruled = new Set<Judgement>();

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

  /** What the rewrites make of it; equal to the original when a rule has handed that back. `undefined`: none rewrote. */
  get given(): JsonValue | undefined {
    return this.#isGiven ? this.#current : undefined;
  }

  /** The same, only when it differs from the original. */
  get changed(): JsonValue | undefined {
    return this.#isGiven && !isDeepStrictEqual(this.#current, this.#original) ? this.#current : undefined;
  }

  /** What a rule is shown, or would have instead. */
  opinionOf(judgement: Judgement): JsonValue | undefined {
    if (this.#wanted.has(judgement)) return this.#wanted.get(judgement);
    return this.#isSequential ? this.#shown.get(judgement) : this.#original;
  }

  hasRewritten(judgement: Judgement): boolean {
    return this.#wanted.has(judgement);
  }

  /** Says whether the next rule in turn sees something new. */
  take(judgement: Judgement, rewrite: JsonValue | undefined): boolean {
    if (this.#isSequential) this.#shown.set(judgement, this.#current);
    if (rewrite === undefined) return false;
    const before = this.#isSequential ? this.#current : this.#original;
    const isPatch = this.#isPatch(judgement.rule);
    const wanted = isPatch ? patched(asObject(before), rewrite as JsonObject) : rewrite;
    this.#wanted.set(judgement, wanted);
    if (this.#isSequential) return this.#inTurn(judgement, wanted, before);
    this.#isGiven = true;
    if (isPatch) {
      const changes = changedFields(asObject(this.#original), rewrite as JsonObject);
      const counting = Object.entries(changes).map(([key, value]) => [key, this.#change(key, { judgement, value })]);
      this.#current = patched(asObject(this.#current), Object.fromEntries(counting));
    } else if (!isDeepStrictEqual(rewrite, this.#original)) {
      this.#current = this.#change(null, { judgement, value: rewrite });
    }
    return false;
  }

  #inTurn(judgement: Judgement, wanted: JsonValue, before: JsonValue | undefined): boolean {
    const isChange = !isDeepStrictEqual(wanted, before);
    if (isChange && this.#holder !== undefined && isMoreTrusted(this.#holder, judgement)) {
      this.#overruled.add(judgement);
      return false;
    }
    if (isChange) this.#holder = judgement;
    this.#isGiven = true;
    this.#current = wanted;
    return isChange;
  }

  /** What of a rule's rewrite does not count, as another rule's does. */
  lostBy(judgement: Judgement): string[] {
    if (this.#overruled.has(judgement)) return [beside(this.#field, this.#holder)];
    return [...this.#changes].flatMap(([key, changes]) => {
      const own = changes.find((change) => change.judgement === judgement);
      const winner = changes.at(-1);
      if (own === undefined || winner === undefined || isDeepStrictEqual(own.value, winner.value)) return [];
      const what = key === null ? this.#field : `${this.#field}.${cleanLine(key, MAX_KEY_LENGTH)}`;
      return [beside(what, winner.judgement)];
    });
  }

  /** Returns the value that counts. */
  #change(key: string | null, change: Change): JsonValue {
    const changes = this.#changes.get(key) ?? [];
    this.#changes.set(key, changes);
    const above = changes.findIndex((one) => isMoreTrusted(one.judgement, change.judgement));
    changes.splice(above < 0 ? changes.length : above, 0, change);
    return (changes.at(-1) ?? change).value;
  }
}

function isMoreTrusted({ rule: one }: Judgement, { rule: other }: Judgement): boolean {
  return trustOf(one.layer) > trustOf(other.layer);
}

function beside(what: string, winner: Judgement | undefined): string {
  return `${what}: what "${cleanLine(winner?.rule.name ?? "")}" makes of it counts instead`;
}

interface Change {
  readonly judgement: Judgement;
  readonly value: JsonValue;
}

/** Of a field's name in a note. */
const MAX_KEY_LENGTH = 100;

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
