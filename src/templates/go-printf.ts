import { goQuoted } from "./go-quoted.ts";
import { kindOf, textOf, type Value } from "./go-values.ts";

type Printed = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

const VERB = /%([-+# 0]*\d*(?:\.\d+)?)(.)?/gsu;

/** Formats a value by each verb. Returns `undefined` if the value has the wrong type. */
const VERBS: Readonly<Record<string, (value: Value) => string | undefined>> = {
  v: (value) => (value === null ? "<nil>" : textOf(value)),
  s: (value) => (value === null || typeof value === "number" || typeof value === "boolean" ? undefined : textOf(value)),
  q: (value) => (typeof value === "string" ? goQuoted(value) : undefined),
  d: (value) => (typeof value === "number" && Number.isInteger(value) ? String(value) : undefined),
  t: (value) => (typeof value === "boolean" ? String(value) : undefined),
};

/**
 * Supports `%s %d %v %q %t %%`, without widths. Go writes mistakes into the text, such as `%!d(string=x)`. Here they
 * are errors, because a judging model should not have to guess.
 */
export function printf(format: string, args: readonly Value[], spend: (units: number) => void): Printed {
  let next = 0;
  let problem: string | undefined;
  const text = format.replace(VERB, (whole: string, flags: string, verb: string | undefined) => {
    if (problem !== undefined) return "";
    if (verb === "%" && flags === "") return "%";
    if (verb === undefined || flags !== "" || !Object.hasOwn(VERBS, verb)) {
      problem = `printf has no ${whole}; there are ${Object.keys(VERBS)
        .map((one) => `%${one}`)
        .join(" ")} and %%`;
      return "";
    }
    if (next >= args.length) {
      problem = `printf lacks a value for ${whole}`;
      return "";
    }
    const value = args[next++] as Value;
    const made = VERBS[verb]!(value);
    if (made === undefined) {
      problem = `${whole} of printf does not take ${kindOf(value)}`;
      return "";
    }
    spend(made.length);
    return made;
  });
  if (problem !== undefined) return { ok: false, message: problem };
  if (next < args.length)
    return { ok: false, message: `printf has ${args.length - next} more values than its format takes` };
  return { ok: true, text };
}
