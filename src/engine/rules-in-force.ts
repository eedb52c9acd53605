import { isDeepStrictEqual } from "node:util";
import type { LayeredSettings } from "../config/layered-settings.ts";
import { loadConfig } from "../config/load.ts";
import type { LoadedConfig } from "../config/parse.ts";
import { HookError, type Problem } from "../errors.ts";
import type { ExecutorRegistry } from "../executors/registry.ts";
import { RuleIndex } from "../matcher/rule-index.ts";
import type { Rule } from "../rule.ts";
import { trustOf } from "../trust.ts";
import type { RuleInput } from "./options.ts";

interface RulesInForceParts {
  readonly executors: ExecutorRegistry;
  /** Base folder for relative paths of registered rules. */
  readonly cwd: string;
  readonly modelFunctions: readonly string[];
}

/** The rules in force, from the configuration and from registrations, and their problems. */
export class RulesInForce {
  #index: RuleIndex;
  #problems: readonly Problem[];
  readonly #loaded: LoadedConfig;
  readonly #parts: RulesInForceParts;
  #registrations = 0;

  constructor(loaded: LoadedConfig, parts: RulesInForceParts) {
    this.#index = new RuleIndex(withDistinctNames(loaded.rules));
    this.#problems = loaded.problems;
    this.#loaded = loaded;
    this.#parts = parts;
  }

  /** The current rules. The index is replaced and never changed, so a dispatch keeps the rules of its start. */
  get index(): RuleIndex {
    return this.#index;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  /** Checks which rules can run. Reports a problem that is already known only once. */
  async prepare(): Promise<void> {
    const found = await this.#problemsOf(this.#index.rules);
    const known = new Set(this.#problems.map((problem) => JSON.stringify(problem)));
    const fresh = found.filter((problem) => !known.has(JSON.stringify(problem)));
    this.#problems = Object.freeze([...this.#problems, ...fresh]);
  }

  /** Loads rules and adds them, unless `refuse` throws after loading. Resolves to a function that removes the rules. */
  async register(inputs: readonly RuleInput[], refuse: () => void): Promise<() => void> {
    const { cwd, modelFunctions } = this.#parts;
    this.#registrations += 1;
    const settings = this.#loaded.settings ?? [];
    const name = `registered#${this.#registrations}`;
    const given = await loadRegistered(name, inputs, cwd, { settings, modelFunctions });
    const rules = withDistinctNames(given.rules, this.#index.rules);
    // Leaves out problems that were already reported for the configuration, such as a setting that does not apply.
    const told = given.problems.filter((problem) => !this.#problems.some((known) => isAboutTheSame(known, problem)));
    const problems = new Set([...told, ...(await this.#problemsOf(rules))]);
    refuse();
    const added = new Set(rules);
    this.#index = new RuleIndex([...this.#index.rules, ...added]);
    this.#problems = Object.freeze([...this.#problems, ...problems]);
    return () => {
      this.#index = new RuleIndex(this.#index.rules.filter((rule) => !added.has(rule)));
      this.#problems = Object.freeze(this.#problems.filter((problem) => !problems.has(problem)));
    };
  }

  async #problemsOf(rules: readonly Rule[]): Promise<readonly Problem[]> {
    const found = rules.map((rule) => this.#parts.executors.get(rule.handler.type).prepare?.(rule) ?? []);
    return (await Promise.all(found)).flat();
  }
}

function isAboutTheSame(one: Problem, other: Problem): boolean {
  return one.code === other.code && isDeepStrictEqual(one.place, other.place);
}

/** Turns rules from code into rules and warnings. Throws a `HookError` that names the first invalid rule. */
async function loadRegistered(
  name: string,
  inputs: readonly RuleInput[],
  cwd: string,
  given: { readonly settings: readonly LayeredSettings[]; readonly modelFunctions: readonly string[] },
): Promise<Pick<LoadedConfig, "rules" | "problems">> {
  const hooks: Record<string, unknown[]> = Object.create(null) as Record<string, unknown[]>;
  for (const { event, matcher, ...handler } of inputs) {
    hooks[event] = [...(hooks[event] ?? []), { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }];
  }
  const source = { name, value: { hooks }, layer: "session" as const, baseDir: cwd };
  const { rules, problems } = await loadConfig([], [source], cwd, given);
  const error = problems.find((problem) => problem.severity === "error");
  if (error === undefined) return { rules, problems };
  throw new HookError("HOOK_API_MISUSE", error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(error.place === undefined ? {} : { place: error.place }),
  });
}

/**
 * Gives each rule of an event a distinct name, because reasons, receipts and `explain` identify rules by name. The
 * second rule of the same name becomes "NAME #2". Rules in `before` keep their names. A hook that is configured twice
 * runs once, so its copies share a name.
 */
export function withDistinctNames(rules: readonly Rule[], before: readonly Rule[] = []): readonly Rule[] {
  const taken = new Set<string>();
  /** The names that were given so far, by hook. */
  const given = new Map<string, string>();
  /** The next number for each name. Without this map, thousands of rules of one name would take quadratic time. */
  const nextNumbers = new Map<string, number>();
  const free = ({ event, name }: Rule): string => {
    const key = JSON.stringify([event, name]);
    for (let number = nextNumbers.get(key) ?? 1; ; number += 1) {
      const numbered = number === 1 ? name : `${name} #${number}`;
      if (taken.has(JSON.stringify([event, numbered]))) continue;
      nextNumbers.set(key, number + 1);
      return numbered;
    }
  };
  const take = (rule: Rule): Rule => {
    const { event, identity } = rule;
    const hook = identity === undefined ? undefined : JSON.stringify([event, rule.name, identity]);
    const name = (hook === undefined ? undefined : given.get(hook)) ?? free(rule);
    taken.add(JSON.stringify([event, name]));
    if (hook !== undefined) given.set(hook, name);
    return name === rule.name ? rule : Object.freeze({ ...rule, name });
  };
  for (const rule of before) take(rule);
  // More trusted rules get their names first. State is stored under a rule's name, and a project file must not change
  // that name.
  const byTrust = [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
  const named = new Map(byTrust.map((rule) => [rule, take(rule)]));
  return rules.map((rule) => named.get(rule) ?? rule);
}
