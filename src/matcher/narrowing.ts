import type { HookEvent } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import type { Rule } from "../rule.ts";
import { type Condition, compileCondition, takesConditions } from "./condition/condition.ts";
import { compileFilter, type Filter } from "./filter.ts";
import type { Steps } from "./steps.ts";

/** A rule's filter and condition. An event must fit both, in addition to the matcher. */
export class Narrowing {
  readonly #condition: Condition | undefined;
  readonly #filter: Filter | undefined;

  /** Returns `undefined` for a rule without filter and condition. Throws if one of them is invalid. */
  static of(rule: Rule): Narrowing | undefined {
    const { tools = [], paths = [] } = rule.filter ?? {};
    const isFiltered = tools.length > 0 || paths.length > 0;
    return rule.condition === undefined && !isFiltered ? undefined : new Narrowing(rule);
  }

  private constructor(rule: Rule) {
    const filter = rule.filter === undefined ? undefined : compileFilter(rule.filter, rule.codec.toolSpellings);
    if (filter?.ok === false) throw new TypeError(`rule ${rule.id}: ${filter.message}`);
    const condition = rule.condition === undefined ? undefined : compileCondition(rule.condition);
    if (condition?.ok === false) throw new TypeError(`rule ${rule.id}: ${condition.message}`);
    this.#filter = filter?.filter;
    this.#condition = condition?.condition;
  }

  test(event: HookEvent, contract: EventContract, steps?: Steps): { readonly fits: boolean; readonly why: string } {
    const filtered = this.#filter?.test(event, steps);
    if (filtered?.fits === false || this.#condition === undefined) return filtered ?? { fits: true, why: "" };
    const named = `condition "${this.#condition.text}"`;
    if (!takesConditions(contract)) return { fits: false, why: `${named}: the event is not about a tool` };
    const { fits, why } = this.#condition.test(event, steps);
    return { fits, why: `${filtered === undefined ? "" : `${filtered.why}; `}${named} ${why}` };
  }
}
