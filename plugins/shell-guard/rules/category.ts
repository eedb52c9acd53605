// Rules are data. A category is one kind of damage: its severity, its reason, what to run instead, the commands that do
// it, and examples from both sides. The build runs the examples (plugins/check-rules.mjs).

export type Decision = "deny" | "ask" | "pass";

interface Category {
  /** How much is lost at once. */
  readonly radius: "low" | "medium" | "high";
  readonly decision: Decision;
  /** The end of a sentence that starts with the command: "it deletes …". */
  readonly because: string;
  /** A command that reaches the usual purpose without the damage. The guard passes it. */
  readonly instead: string;
  /** The commands, in the notation of `rows.ts`. Missing if a function of `rules` recognizes the category. */
  readonly rules?: readonly string[];
  /** Commands in this category. Each rule has at least one. */
  readonly denied: readonly string[];
  /** Similar commands that are harmless. */
  readonly passed: readonly string[];
}

/** The categories of a family of tools, by name. A pack is switched on or off as a whole. */
export type Pack = Readonly<Record<string, Category>>;

/** What a guard needs of a category to judge. The examples stay behind at build time. */
export interface Damage extends Pick<Category, "because" | "decision" | "instead" | "radius"> {
  readonly name: string;
  readonly pack: string;
}

/** Returns the damage of a category of a pack, without its examples. */
export function damageIn(pack: string, categories: Pack, name: string): Damage {
  const category = categories[name];
  if (category === undefined) throw new Error(`no category ${name}`);
  const { because, decision, instead, radius } = category;
  return { name, pack, because, decision, instead, radius };
}
