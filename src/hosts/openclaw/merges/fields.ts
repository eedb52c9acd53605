import { MalformedResult, type Merge } from "./merge.ts";

/** Results that are merged field by field, each by a rule of its own. */
export type FieldRule = (before: unknown, next: unknown, key: string) => unknown;

/** Who has the higher priority has it. */
export const first: FieldRule = (before, next) => before ?? next;

export const firstText: FieldRule = (before, next, key) => before ?? asText(next, key);

/** One under the other, with a line between. */
export const joined: FieldRule = (before, next, key) =>
  [before, asText(next, key)].filter((one) => typeof one === "string" && one !== "").join("\n\n");

/** Only what all name. What is no list of names allows nothing. */
export const intersected: FieldRule = (before, next) => {
  const names: unknown[] = Array.isArray(next) && next.every((one) => typeof one === "string") ? next : [];
  return Array.isArray(before) ? before.filter((one) => names.includes(one)) : [...new Set(names)];
};

/** The first that is an error stays one. */
export const firstError: FieldRule = (before, next) => {
  if (next !== "ok" && next !== "error") throw new MalformedResult('status must be "ok" or "error"');
  return before === "error" ? before : next;
};

export const either: FieldRule = (before, next) => before === true || next === true;

/** The later one, as it is. */
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
      // A field that cannot be intersected says "none", and must not be passed over.
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
