import type { GoFields } from "./go-fields.ts";
import { TemplateError } from "./go-syntax.ts";

const MAX_NESTING = 50;
/** The maximum number of variables in one scope, because a lookup is a linear search. */
const MAX_VARIABLES = 100;

/** The scope at a place of a template: its variables and the meaning of the dot. */
export class Scope {
  readonly #fields: GoFields;
  readonly #seen = new Set<string>();
  readonly #variables: string[] = [];
  #nesting = 0;
  #loops = 0;
  /** Whether the dot is the event. `false` within `with` and `range`. */
  dotIsEvent = true;

  constructor(fields: GoFields) {
    this.#fields = fields;
  }

  /** The fields of the event that the template uses. `.` means the whole event. */
  get seen(): readonly string[] {
    return [...this.#seen];
  }

  get isInLoop(): boolean {
    return this.#loops > 0;
  }

  /** Records the use of the event: of the whole event, or of the first name of the path. */
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

  /** Runs `read` in an inner scope, and removes the variables declared there. */
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

  /** Reads the body of a branch. */
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

/** Suggests a field, because authors often use the payload's name. */
function near(field: string, fields: GoFields): string {
  const bare = (name: string): string => name.replaceAll("_", "").toLowerCase();
  const found = Object.keys(fields).find((name) => bare(name) === bare(field));
  return found === undefined ? "" : `; there is ${found}`;
}
