import type { GoFields } from "./go-fields.ts";
import { TemplateError } from "./go-syntax.ts";

const MAX_NESTING = 50;
/** At one place. To find one of them is to go through them. */
const MAX_VARIABLES = 100;

/** What is known at a place of a template: its variables, and what a dot stands for. */
export class Scope {
  readonly #fields: GoFields;
  readonly #seen = new Set<string>();
  readonly #variables: string[] = [];
  #nesting = 0;
  #loops = 0;
  /** Within `with` and `range`, a dot is something else than the event. */
  dotIsEvent = true;

  constructor(fields: GoFields) {
    this.#fields = fields;
  }

  /** The fields of the event that were looked at; `.` for all of it. */
  get seen(): readonly string[] {
    return [...this.#seen];
  }

  get isInLoop(): boolean {
    return this.#loops > 0;
  }

  /** Looks at the event: at all of it, or at the first name of the path. */
  see([field]: readonly string[], at: number): void {
    if (field !== undefined && !Object.hasOwn(this.#fields, field)) {
      throw new TemplateError(`the event has no field ${field}${near(field, this.#fields)}`, at);
    }
    this.#seen.add(field ?? ".");
  }

  declare(names: readonly string[], at: number): void {
    this.#variables.push(...names);
    if (this.#variables.length > MAX_VARIABLES) throw new TemplateError(`more than ${MAX_VARIABLES} variables`, at);
  }

  mustHave(variable: string, at: number): void {
    if (!this.#variables.includes(variable)) throw new TemplateError(`there is no variable $${variable} here`, at);
  }

  /** What is declared within goes with it. */
  within<Result>(read: () => Result): Result {
    const depth = this.#variables.length;
    const result = read();
    this.#variables.length = depth;
    return result;
  }

  nested<Result>(at: number, read: () => Result): Result {
    this.#nesting++;
    if (this.#nesting > MAX_NESTING) throw new TemplateError(`nested more than ${MAX_NESTING} levels deep`, at);
    const result = this.within(read);
    this.#nesting--;
    return result;
  }

  /** The body of a branch. */
  inside<Result>(kind: "if" | "with" | "range", read: () => Result): Result {
    const outer = this.dotIsEvent;
    if (kind !== "if") this.dotIsEvent = false;
    if (kind === "range") this.#loops++;
    const result = this.within(read);
    if (kind === "range") this.#loops--;
    this.dotIsEvent = outer;
    return result;
  }
}

/** A payload's own spelling is what people try first. */
function near(field: string, fields: GoFields): string {
  const bare = (name: string): string => name.replaceAll("_", "").toLowerCase();
  const found = Object.keys(fields).find((name) => bare(name) === bare(field));
  return found === undefined ? "" : `; there is ${found}`;
}
