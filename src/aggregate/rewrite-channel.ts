import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import type { Rule } from "../rule.ts";
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
  readonly #isPatch: (rule: Rule) => boolean;
  readonly #isSequential: boolean;
  #current: JsonValue | undefined;
  #isGiven = false;
  /** Whose rewrite counts: of the whole, or of a field. */
  readonly #authors = new Map<string | null, Judgement>();
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

  /** `drop` hears whose rewrite has lost against another's. Says whether the next rule in turn sees something new. */
  take(judgement: Judgement, rewrite: JsonValue | undefined, drop: (whose: Judgement, what: string) => void): boolean {
    if (this.#isSequential) this.#shown.set(judgement, this.#current);
    if (rewrite === undefined) return false;
    const before = this.#isSequential ? this.#current : this.#original;
    this.#isGiven = true;
    this.#wanted.set(
      judgement,
      this.#isPatch(judgement.rule) ? patched(asObject(before), rewrite as JsonObject) : rewrite,
    );
    if (!this.#isSequential) {
      this.#takeBesideOthers(judgement, rewrite, drop);
      return false;
    }
    this.#current = this.#wanted.get(judgement);
    return !isDeepStrictEqual(this.#current, before);
  }

  #takeBesideOthers(judgement: Judgement, rewrite: JsonValue, drop: (whose: Judgement, what: string) => void): void {
    if (this.#isPatch(judgement.rule)) {
      const changes = changedFields(asObject(this.#original), rewrite as JsonObject);
      const now = asObject(this.#current);
      for (const [key, value] of Object.entries(changes)) this.#outdo(key, judgement, now[key], value, drop);
      this.#current = patched(now, changes);
      return;
    }
    if (isDeepStrictEqual(rewrite, this.#original)) return;
    this.#outdo(null, judgement, this.#current, rewrite, drop);
    this.#current = rewrite;
  }

  #outdo(
    key: string | null,
    judgement: Judgement,
    before: JsonValue | undefined,
    after: JsonValue,
    drop: (whose: Judgement, what: string) => void,
  ): void {
    const loser = this.#authors.get(key);
    this.#authors.set(key, judgement);
    if (loser === undefined || isDeepStrictEqual(before, after)) return;
    const what = key === null ? this.#field : `${this.#field}.${key}`;
    drop(loser, `${what}: what "${judgement.rule.name}" makes of it counts instead`);
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
