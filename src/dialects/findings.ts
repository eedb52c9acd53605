import { isDeepStrictEqual } from "node:util";
import type { ErrorCode, Place, Problem } from "../errors.ts";
import { builtinNamed } from "../events/builtins.ts";
import { isEventOf } from "../events/lookup.ts";
import { expandedLength } from "../matcher/condition/path/glob.ts";
import { MAX_UNFOLDED, unfoldedSize } from "../matcher/unfolded-size.ts";
import type { AgentOfRule, OnFailure, Rule } from "../rule.ts";
import { brokenRule } from "./broken-rule.ts";
import { type ProblemOptions, problemAt } from "./config-problems.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "./dialect.ts";
import type { Speaker } from "./handler-format.ts";
import { nameOfPlace } from "./rule-name.ts";

export type Path = readonly (string | number)[];

/** Where something was lost, as far as it could be read. */
export interface LostAt {
  readonly event: string;
  readonly matcher?: string | undefined;
  readonly declaredType?: string | undefined;
  readonly name?: string | undefined;
  /** What its failures are to mean, as far as its author has said. */
  readonly onFailure?: OnFailure | undefined;
}

type Unplaced = Omit<
  Rule,
  "id" | "name" | "unnamed" | "place" | "layer" | "baseDir" | "dialect" | "codec" | "compat"
> & {
  /** `undefined`: called by its place. */
  readonly name: string | undefined;
};

/** What reading a configuration file comes to: rules, problems, and a broken rule wherever one could not be read. */
export class Findings {
  readonly document: ConfigDocument;
  readonly context: ParseContext;
  readonly #format: Speaker;
  readonly #agent: AgentOfRule | undefined;
  #rules: Rule[];
  readonly #problems: Problem[];
  #errorsOnly = false;

  constructor(document: ConfigDocument, context: ParseContext, format: Speaker, into?: Findings, agent?: AgentOfRule) {
    this.document = document;
    this.context = context;
    this.#format = format;
    this.#agent = agent;
    this.#rules = into === undefined ? [] : into.#rules;
    this.#problems = into === undefined ? [] : into.#problems;
  }

  /** The same findings; rules that are added this way are for one agent of the file. */
  ofAgent(agent: AgentOfRule): Findings {
    return new Findings(this.document, this.context, this.#format, this, agent);
  }

  /**
   * The same findings for what is inside of an entry that cannot be used: its errors are reported, so that the user sees
   * all of them at once. Its rules are not kept, because a broken rule has taken the entry's place.
   */
  withoutRules(): Findings {
    const inside = new Findings(this.document, this.context, this.#format, this, this.#agent);
    inside.#rules = [];
    inside.#errorsOnly = true;
    return inside;
  }

  get all(): ParsedConfig {
    return { rules: this.#rules, problems: this.#problems };
  }

  /** Made, and not yet told. */
  problem(code: ErrorCode, path: Path, message: string, options: ProblemOptions = {}): Problem {
    return problemAt(this.document, code, path, message, options);
  }

  /** A setting with several hooks has the same problem for each of them: it is reported once. */
  tell(...problems: readonly Problem[]): void {
    for (const problem of problems) {
      const isRepeated = isDeepStrictEqual(problem, this.#problems.at(-1));
      if (!isRepeated && (problem.severity === "error" || !this.#errorsOnly)) this.#problems.push(problem);
    }
  }

  warn(code: ErrorCode, path: Path, message: string, options: Omit<ProblemOptions, "severity"> = {}): void {
    this.tell(this.problem(code, path, message, { ...options, severity: "warning" }));
  }

  /** Tells an error, and puts a broken rule in the place of what it is about. */
  lose(at: LostAt, code: ErrorCode, path: Path, message: string, options: Omit<ProblemOptions, "severity"> = {}): void {
    const problem = this.problem(code, path, message, options);
    this.tell(problem);
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

  /** Counts a rule that is switched off, or a pattern that no rule has in the end: both had to be read. */
  count(path: Path, pattern?: string): void {
    const place = (): Place => this.document.locate(path);
    if (pattern === undefined) this.context.quota?.takeRule(place);
    else this.context.quota?.takePatterns(sizeOf(pattern), place);
  }

  /** Adds a sound rule, at its place. `of` tells it from others of the same place. */
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

/** Of a matcher, with its repetitions unfolded: to compile one takes time in proportion to that. */
function sizeOf(matcher: string): number {
  return Math.max(matcher.length, unfoldedSize(matcher.slice(0, MAX_UNFOLDED)));
}

function lengthOf({ matcher = "", condition = "", filter }: Pick<Rule, "matcher" | "condition" | "filter">): number {
  const { tools = [], paths = [] } = filter ?? {};
  const lengths = [...tools.map(({ length }) => length), ...[condition, ...paths].map(expandedLength)];
  return lengths.reduce((sum, length) => sum + length, sizeOf(matcher));
}

/** Rules for the further events that a built-in hook has to hear of. Written out as well, they are one hook with these. */
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
