import type { Damage, Decision } from "./category.ts";

export const MODES = ["guarded", "strict", "balanced", "restricted", "autonomous"] as const;
export type Mode = (typeof MODES)[number];

/**
 * What the modes decide, other than `guarded`: for a command of a category, for a command that no table knows, and for
 * a command that only reads.
 */
const DECISIONS: Readonly<Record<Exclude<Mode, "guarded">, readonly [Decision, Decision, Decision]>> = {
  strict: ["ask", "ask", "ask"],
  balanced: ["ask", "ask", "pass"],
  restricted: ["deny", "deny", "pass"],
  autonomous: ["pass", "pass", "pass"],
};

/** The decisions of the rule's author: a mode, and decisions for packs and categories. */
export class Policy {
  readonly #mode: Mode;
  readonly #verdicts: Readonly<Record<string, unknown>>;

  constructor(mode: Mode, verdicts: Readonly<Record<string, unknown>>) {
    this.#mode = mode;
    this.#verdicts = verdicts;
  }

  /** Decides about damage. A category that passes by default is switched on by its own name only. */
  decide({ name, pack, decision }: Damage): Decision {
    const own = this.#verdicts[name];
    if (isDecision(own)) return own;
    if (decision === "pass") return decision;
    const ofPack = this.#verdicts[pack];
    if (isDecision(ofPack)) return ofPack;
    return this.#mode === "guarded" ? decision : DECISIONS[this.#mode][0];
  }

  /** Whether the mode decides about commands without damage too. */
  get classifies(): boolean {
    return this.#mode !== "guarded" && this.#mode !== "autonomous";
  }

  decideClass(isSafe: boolean): Decision {
    return this.#mode === "guarded" ? "pass" : DECISIONS[this.#mode][isSafe ? 2 : 1];
  }
}

function isDecision(value: unknown): value is Decision {
  return value === "deny" || value === "ask" || value === "pass";
}
