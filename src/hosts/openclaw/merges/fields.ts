import { MalformedResult, type Merge } from "./merge.ts";

/** Merges the values of one field. Each field has its own rule. */
type FieldRule = (before: unknown, next: unknown, key: string) => unknown;

/** Keeps the value of the handler with the higher priority. */
export const first: FieldRule = (before, next) => before ?? next;

export const firstText: FieldRule = (before, next, key) => before ?? asText(next, key);

/** Joins the texts, with a blank line between them. */
export const joined: FieldRule = (before, next, key) =>
  [before, asText(next, key)].filter((one) => typeof one === "string" && one !== "").join("\n\n");

/** Keeps only the names that are in all lists. A value that is not a list of names counts as an empty list. */
export const intersected: FieldRule = (before, next) => {
  const names: unknown[] = Array.isArray(next) && next.every((one) => typeof one === "string") ? next : [];
  return Array.isArray(before) ? before.filter((one) => names.includes(one)) : [...new Set(names)];
};

/** Keeps the status of an error, once a handler reported an error. */
export const firstError: FieldRule = (before, next) => {
  if (next !== "ok" && next !== "error") throw new MalformedResult('status must be "ok" or "error"');
  return before === "error" ? before : next;
};

export const either: FieldRule = (before, next) => before === true || next === true;

/** Keeps the later value, unchanged. */
export const last: FieldRule = (_, next) => next;

export function mergeFields(rules: Readonly<Record<string, FieldRule>>, others?: FieldRule): () => Merge {
  return () => new FieldsMerge(rules, others);
}

class FieldsMerge implements Merge {
  readonly #rules: Readonly<Record<string, FieldRule>>;
  readonly #others: FieldRule | undefined;
  #fields: Readonly<Record<string, unknown>> | undefined;

  constructor(rules: Readonly<Record<string, FieldRule>>, others: FieldRule | undefined) {
    this.#rules = rules;
    this.#others = others;
  }

  get result(): object | undefined {
    return this.#fields;
  }

  take(result: Readonly<Record<string, unknown>>): boolean {
    const fields = new Map(Object.entries(this.#fields ?? {}));
    for (const [key, value] of Object.entries(result)) {
      const rule = Object.hasOwn(this.#rules, key) ? this.#rules[key] : this.#others;
      if (rule === undefined || value === undefined) continue;
      // `null` in a field that is intersected means "none", so it is not skipped.
      if (value === null && rule !== intersected) continue;
      fields.set(key, rule(fields.get(key), value, key));
    }
    if (fields.size > 0) this.#fields = Object.fromEntries(fields);
    return false;
  }
}

function asText(value: unknown, key: string): string {
  if (typeof value === "string") return value;
  throw new MalformedResult(`${key} must be a string`);
}
