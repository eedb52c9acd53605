import type { ErrorCode, Problem } from "../errors.ts";
import type { Rule } from "../rule.ts";
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
  readonly #rules: Rule[] = [];
  readonly #problems: Problem[] = [];

  constructor(document: ConfigDocument, context: ParseContext, format: Speaker) {
    this.document = document;
    this.context = context;
    this.#format = format;
  }

  get all(): ParsedConfig {
    return { rules: this.#rules, problems: this.#problems };
  }

  /** Made, and not yet told. */
  problem(code: ErrorCode, path: Path, message: string, options: ProblemOptions = {}): Problem {
    return problemAt(this.document, code, path, message, options);
  }

  tell(...problems: readonly Problem[]): void {
    this.#problems.push(...problems);
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

  leaveBroken({ event, matcher, declaredType, name }: LostAt, problem: Problem): void {
    const rest = { ...(name === undefined ? {} : { name }), ...(declaredType === undefined ? {} : { declaredType }) };
    this.#rules.push(brokenRule(this.#format, this.context, { event, matcher, ...rest }, problem));
  }

  /** Adds a sound rule, at its place. `of` tells it from others of the same place. */
  add({ name, ...rule }: Unplaced, path: Path, { dialect, codec }: Speaker = this.#format, of?: string): void {
    const { layer, baseDir } = this.context;
    const place = this.document.locate(path);
    const id = `${place.file}#${place.pointer ?? ""}${of === undefined ? "" : `:${of}`}`;
    const named =
      name === undefined
        ? { name: nameOfPlace(this.document, path, { event: rule.event, layer }), unnamed: true as const }
        : { name };
    this.#rules.push({ ...rule, ...named, id, dialect, codec, compat: "safer", layer, place, baseDir });
  }
}
