import { isDeepStrictEqual } from "node:util";
import type { ErrorCode, Place, Problem } from "../errors.ts";
import { builtinNamed } from "../events/builtins.ts";
import { isEventOf } from "../events/lookup.ts";
import { MAX_UNFOLDED, unfoldedSize } from "../matcher/unfolded-size.ts";
import type { AgentOfRule, OnFailure, Rule } from "../rule.ts";
import { brokenRule } from "./broken-rule.ts";
import { type ProblemOptions, problemAt } from "./config-problems.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "./dialect.ts";
import type { Speaker } from "./handler-format.ts";
import { nameOfPlace } from "./rule-name.ts";

export type Path = readonly (string | number)[];

/** The known parts of an entry that could not be read. */
export interface LostAt {
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly declaredType?: string | undefined;
  readonly name?: string | undefined;
  /** The entry's own setting for failures. */
  readonly onFailure?: OnFailure | undefined;
}

type Unplaced = Omit<
  Rule,
  "id" | "name" | "unnamed" | "place" | "layer" | "baseDir" | "dialect" | "codec" | "compat"
> & {
  /** The rule's name. `undefined`: the rule's place becomes its name. */
  readonly name: string | undefined;
};

/**
 * Collects the result of reading a configuration file: rules, problems, and a broken rule for each entry that could not
 * be read.
 */
export class RuleCollector {
  readonly document: ConfigDocument;
  readonly context: ParseContext;
  readonly #format: Speaker;
  readonly #agent: AgentOfRule | undefined;
  #rules: Rule[];
  readonly #problems: Problem[];
  #errorsOnly = false;

  constructor(
    document: ConfigDocument,
    context: ParseContext,
    format: Speaker,
    into?: RuleCollector,
    agent?: AgentOfRule,
  ) {
    this.document = document;
    this.context = context;
    this.#format = format;
    this.#agent = agent;
    this.#rules = into === undefined ? [] : into.#rules;
    this.#problems = into === undefined ? [] : into.#problems;
  }

  /** Returns a view of the same collection whose rules belong to one agent of the file. */
  ofAgent(agent: AgentOfRule): RuleCollector {
    return new RuleCollector(this.document, this.context, this.#format, this, agent);
  }

  /**
   * Returns a view of the same collection that reports errors and drops rules. For the parts of an entry that contains an
   * error: the user sees all errors at once, and a broken rule replaces the entry's rules.
   */
  withoutRules(): RuleCollector {
    const inside = new RuleCollector(this.document, this.context, this.#format, this, this.#agent);
    inside.#rules = [];
    inside.#errorsOnly = true;
    return inside;
  }

  get all(): ParsedConfig {
    return { rules: this.#rules, problems: this.#problems };
  }

  /** Creates a problem without reporting it. */
  problem(code: ErrorCode, path: Path, message: string, options: ProblemOptions = {}): Problem {
    return problemAt(this.document, code, path, message, options);
  }

  /**
   * Reports problems. A problem that repeats the previous one is reported once, because a setting with several hooks
   * has the same problem for each hook.
   */
  report(...problems: readonly Problem[]): void {
    for (const problem of problems) {
      const isRepeated = isDeepStrictEqual(problem, this.#problems.at(-1));
      if (!isRepeated && (problem.severity === "error" || !this.#errorsOnly)) this.#problems.push(problem);
    }
  }

  warn(code: ErrorCode, path: Path, message: string, options: Omit<ProblemOptions, "severity"> = {}): void {
    this.report(this.problem(code, path, message, { ...options, severity: "warning" }));
  }

  /** Reports an error, and puts a broken rule in the place of the entry. */
  lose(at: LostAt, code: ErrorCode, path: Path, message: string, options: Omit<ProblemOptions, "severity"> = {}): void {
    const problem = this.problem(code, path, message, options);
    this.report(problem);
    this.leaveBroken(at, problem);
  }

  leaveBroken({ event, matcher, declaredType, name, onFailure }: LostAt, problem: Problem): void {
    const place = (): Place => problem.place ?? { file: this.document.file };
    this.context.quota?.takeRule(place);
    this.context.quota?.takePatterns(lengthOf({ matcher }), place);
    const rest = { ...(name === undefined ? {} : { name }), ...(declaredType === undefined ? {} : { declaredType }) };
    const rule = brokenRule(this.#format, this.context, { event, matcher, ...rest }, problem);
    this.#rules.push({ ...rule, onFailure, ...this.#own });
  }

  /** Counts a rule that is disabled, or a pattern that no rule uses, because reading them also takes time. */
  count(path: Path, pattern?: string): void {
    const place = (): Place => this.document.locate(path);
    if (pattern === undefined) this.context.quota?.takeRule(place);
    else this.context.quota?.takePatterns(sizeOf(pattern), place);
  }

  /** Adds a valid rule. `of` distinguishes rules with the same place. */
  add({ name, ...rule }: Unplaced, path: Path, { dialect, codec }: Speaker = this.#format, of?: string): void {
    const { layer, baseDir } = this.context;
    const place = this.document.locate(path);
    this.context.quota?.takeRule(() => place);
    this.context.quota?.takePatterns(lengthOf(rule), () => place);
    const id = `${place.file}#${place.pointer ?? ""}${of === undefined ? "" : `:${of}`}`;
    const named =
      name === undefined
        ? { name: nameOfPlace(this.document, path, { event: rule.event, layer }), unnamed: true as const }
        : { name };
    const added: Rule = {
      ...{ ...rule, ...named, id, dialect, codec, compat: "safer", layer, place, baseDir },
      ...this.#own,
    };
    this.#rules.push(added, ...companionsOf(added));
  }

  get #own(): Pick<Rule, "agent"> {
    return this.#agent === undefined ? {} : { agent: this.#agent };
  }
}

/** Returns the size of a matcher with its repetitions unfolded, which the time for compiling depends on. */
function sizeOf(matcher: string): number {
  return Math.max(matcher.length, unfoldedSize(matcher.slice(0, MAX_UNFOLDED)));
}

function lengthOf({ matcher = "", condition = "", filter }: Pick<Rule, "matcher" | "condition" | "filter">): number {
  const { tools = [], paths = [] } = filter ?? {};
  return [...tools, condition, ...paths].reduce((sum, { length }) => sum + length, sizeOf(matcher));
}

/**
 * Returns rules for the other events that a built-in hook needs. A rule that the file also contains is the same hook
 * and runs once.
 */
function companionsOf(rule: Rule): Rule[] {
  const { handler, event, identity, layer, baseDir, place, dialect, codec, compat, agent } = rule;
  const events = handler.type === "builtin" ? (builtinNamed(handler.name)?.alsoAt ?? []) : [];
  if (rule.implied === true || events.includes(event)) return [];
  const shared = { name: rule.name, handler, layer, baseDir, place, dialect, codec, compat };
  return events
    .filter((one) => isEventOf(one, dialect))
    .map((one) => ({
      ...shared,
      id: `${rule.id}:${one}`,
      event: one,
      matcher: undefined,
      timeoutMs: rule.timeoutMs,
      onFailure: "ignore",
      mode: "enforce",
      may: rule.may,
      priority: rule.priority,
      async: false,
      implied: true,
      ...(identity === undefined ? {} : { identity }),
      ...(agent === undefined ? {} : { agent }),
    }));
}
