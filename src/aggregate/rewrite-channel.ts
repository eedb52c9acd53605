import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import type { Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import type { Judgement } from "./judgement.ts";
import { changedFields, patched } from "./patch.ts";

/**
 * One thing that rules may rewrite, and what becomes of it as they do, one after another in verdict order. Of rules that
 * all see the original the later one wins, where they differ, and what is handed back as it came undoes nothing. Of
 * rules that see each other's rewrites each decides with open eyes.
 */
export class RewriteChannel {
  readonly #field: string;
  readonly #original: JsonValue | undefined;
  /** Whether a rule says what changes, and not all of what comes of it. */
  readonly #isPatch: (rule: Rule) => boolean;
  readonly #isSequential: boolean;
  #current: JsonValue | undefined;
  #isGiven = false;
  /** Of rules side by side: what they make of the whole, or of a field. The last of a list counts. */
  readonly #changes = new Map<string | null, Change[]>();
  /** What each rule was shown, where they are not all shown the same. */
  readonly #shown = new Map<Judgement, JsonValue | undefined>();
  /** What each rewriting rule wants. */
  readonly #wanted = new Map<Judgement, JsonValue>();

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
    this.#isGiven = true;
    this.#wanted.set(judgement, wanted);
    if (this.#isSequential) {
      this.#current = wanted;
      return !isDeepStrictEqual(wanted, before);
    }
    if (isPatch) {
      const changes = changedFields(asObject(this.#original), rewrite as JsonObject);
      for (const [key, value] of Object.entries(changes)) this.#change(key, { judgement, value });
      this.#current = patched(asObject(this.#current), changes);
    } else if (!isDeepStrictEqual(rewrite, this.#original)) {
      this.#change(null, { judgement, value: rewrite });
      this.#current = rewrite;
    }
    return false;
  }

  /** What of a rule's rewrite does not count, as a later rule's does. */
  lostBy(judgement: Judgement): string[] {
    return [...this.#changes].flatMap(([key, changes]) => {
      const own = changes.find((change) => change.judgement === judgement);
      const winner = changes.at(-1);
      if (own === undefined || winner === undefined || isDeepStrictEqual(own.value, winner.value)) return [];
      const what = key === null ? this.#field : `${this.#field}.${cleanLine(key, MAX_KEY_LENGTH)}`;
      return [`${what}: what "${cleanLine(winner.judgement.rule.name)}" makes of it counts instead`];
    });
  }

  #change(key: string | null, change: Change): void {
    const changes = this.#changes.get(key);
    if (changes === undefined) this.#changes.set(key, [change]);
    else changes.push(change);
  }
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
