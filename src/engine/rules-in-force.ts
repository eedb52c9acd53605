import { isDeepStrictEqual } from "node:util";
import type { LoadedConfig } from "../config/parse.ts";
import type { Problem } from "../errors.ts";
import type { ExecutorRegistry } from "../executors/registry.ts";
import { RuleIndex } from "../matcher/rule-index.ts";
import type { Rule } from "../rule.ts";
import { withDistinctNames } from "./distinct-names.ts";
import type { RuleInput } from "./options.ts";
import { loadRegistered } from "./registered-rules.ts";

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
    const reported = given.problems.filter(
      (problem) => !this.#problems.some((known) => isAboutTheSame(known, problem)),
    );
    const problems = new Set([...reported, ...(await this.#problemsOf(rules))]);
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
