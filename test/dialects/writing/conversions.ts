import { type Conversion, convertRules } from "../../../src/cli/convert/convert-rules.ts";
import { usualName } from "../../../src/cli/convert/format-config.ts";
import { type FileRules, readTextRules } from "../../../src/cli/convert/read-rules.ts";
import { dialectNamed } from "../../../src/dialects/registry.ts";
import { nameOf } from "../../../src/dialects/rule-name.ts";
import type { HookEvent } from "../../../src/event.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import { RuleIndex } from "../../../src/matcher/rule-index.ts";
import type { Rule } from "../../../src/rule.ts";

const BASE = "/base";

export async function read(dialect: string, text: string): Promise<FileRules> {
  return readTextRules(text, usualName(dialect), named(dialect), BASE);
}

export async function convertTo(
  dialect: string,
  source: FileRules,
): Promise<Conversion & { readonly read: FileRules }> {
  const writer = await named(dialect).writer?.();
  if (writer === undefined) throw new Error(`nobody writes ${dialect}`);
  const target = { dialect: named(dialect), writer, file: usualName(dialect), baseDir: BASE };
  const conversion = await convertRules(source, target);
  return { ...conversion, read: await read(dialect, conversion.text) };
}

function named(name: string) {
  const dialect = dialectNamed(name);
  if (dialect === undefined) throw new Error(`no dialect ${name}`);
  return dialect;
}

/** Returns all fields of a rule except its events, its place, and a generated name. */
export function summaryOf(rule: Rule): object {
  const {
    id: _,
    place: __,
    identity: ___,
    codec,
    name,
    matcher: ____,
    condition: _____,
    filter: ______,
    ...rest
  } = rule;
  const { handler, priority: _______, ...terms } = rest;
  return {
    ...terms,
    // An empty object of variables equals a missing one.
    handler: JSON.parse(JSON.stringify(handler).replace(',"env":{}', "")) as object,
    timeoutMs: Math.round(rule.timeoutMs),
    codec: codec.dialect,
    name: name === nameOf(handler) ? null : name,
  };
}

const known = new Map<string, string>();

/**
 * Returns which of the payloads a set of rules is asked about, one digit for each. Results are cached, because few
 * fields decide them.
 */
export function askedAbout(rules: readonly Rule[], dialect: string, payloads: readonly JsonObject[]): string {
  const [first] = rules;
  if (first === undefined) return "";
  const key = JSON.stringify([dialect, ...rules.map(deciding)]);
  let answer = known.get(key);
  if (answer === undefined) {
    const index = new RuleIndex(rules.map((rule, at) => ({ ...rule, id: String(at) })));
    const events = payloads.map((payload) => eventFrom(first.event, dialect, payload));
    answer = events.map((event) => (index.select(event).length > 0 ? "1" : "0")).join("");
    known.set(key, answer);
  }
  return answer;
}

const deciding = ({ event, matcher, condition, filter, dialect, codec }: Rule) => [
  [event, matcher, condition, filter, dialect, codec.dialect],
];

/** Returns an event with a value in each required field. */
export function eventFrom(name: string, dialect: string, payload: JsonObject): HookEvent {
  const required = contractOf(name, dialect)?.required ?? [];
  const missing = Object.fromEntries(required.filter((key) => payload[key] === undefined).map((key) => [key, "x"]));
  return { name, dialect, payload: { ...missing, ...payload, hook_event_name: name } };
}

/** Returns the rules by their places in a file. */
export function byPointer(rules: readonly Rule[]): Map<string | undefined, Rule> {
  return new Map(rules.map((rule) => [rule.place?.pointer, rule]));
}
