import type { z } from "zod";

/** Describes what is wrong with a value by its schema: the place, the value found and the value expected. */

type Issue = z.core.$ZodIssue;

/** Describes an issue. `value` is the value that was checked. */
export function describeIssue(issue: Issue, value: unknown): string {
  const where = issue.path.map(String).join(".");
  const inner = nestedIssue(issue);
  if (inner !== undefined) return describeIssue(inner, value);
  const wanted = isOwnText(issue.message) ? undefined : expectedOf(issue);
  if (wanted === undefined)
    return `${where === "" ? "" : `${where}: `}${issue.message.replace(/^Invalid input: /, "")}`;
  const found = issue.path.reduce<unknown>(memberOf, value);
  const name = where === "" ? "the value" : where;
  return found === undefined
    ? `${name} is missing; expected ${wanted}`
    : `${name} ${foundOf(found, issue)}; expected ${wanted}`;
}

/** Returns the kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Whether a required value is missing. */
export function isMissing(issue: Issue, value: unknown): boolean {
  return issue.path.length > 0 && issue.path.reduce<unknown>(memberOf, value) === undefined;
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

/** Whether a message is the schema's own text and not a text of the library. */
function isOwnText(message: string): boolean {
  return !/^(Invalid |Too (small|big):)/.test(message);
}

/** Returns the issue inside the form of a union whose outer part fits. */
function nestedIssue(issue: Issue): Issue | undefined {
  if (issue.code !== "invalid_union") return undefined;
  const inner = issue.errors.map(([first]) => first).find((first) => first !== undefined && first.path.length > 0);
  return inner === undefined ? undefined : { ...inner, path: [...issue.path, ...inner.path] };
}

function expectedOf(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_value":
      return issue.values.length === 1 ? written(issue.values[0]) : `one of ${issue.values.map(written).join(", ")}`;
    case "invalid_type":
      return KINDS[issue.expected] ?? issue.expected;
    case "too_small":
      return bound(issue.origin, issue.minimum, issue.inclusive === false ? "more than" : "at least");
    case "too_big":
      return bound(issue.origin, issue.maximum, issue.inclusive === false ? "less than" : "at most");
    case "invalid_union": {
      const forms = issue.errors.map(([first]) => (first === undefined ? undefined : expectedOf(first)));
      return forms.length > 0 && forms.every((form) => form !== undefined)
        ? [...new Set(forms)].join(" or ")
        : undefined;
    }
    default:
      return undefined;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

const UNITS: Readonly<Record<string, string>> = { string: "characters", array: "entries", record: "keys" };

function bound(origin: string, limit: number | bigint, words: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `${words} ${limit}`;
  return `${words} ${limit} ${limit === 1 ? unit.replace(/ies$/, "y").replace(/s$/, "") : unit}`;
}

/**
 * Describes the value found. Shows numbers, booleans, and texts that should be one of a few words. Shows only the kind
 * of other texts, because they may be secrets.
 */
function foundOf(found: unknown, { code }: Issue): string {
  if (typeof found === "string" && (code === "too_small" || code === "too_big"))
    return `has ${found.length} characters`;
  if (Array.isArray(found) && (code === "too_small" || code === "too_big")) return `has ${found.length} entries`;
  const isShown =
    typeof found === "number" || typeof found === "boolean" || (typeof found === "string" && code === "invalid_value");
  return `is ${isShown ? written(found) : kindOf(found)}`;
}

const MAX_SHOWN = 60;

function written(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
