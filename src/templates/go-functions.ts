import type { JsonValue } from "../json.ts";
import { printf } from "./go-printf.ts";
import { compareBytes, goJson, isMap, isTrue, kindOf, Missing, sortedKeys, textOf, type Value } from "./go-values.ts";

/** The functions that prompts may call. They throw if an argument has the wrong type. */

export class WrongValue extends Error {}

interface GoFunction {
  /** The minimum and maximum number of arguments, a piped argument included. */
  readonly takes: readonly [least: number, most: number];
  /** Runs the function. `spend` counts how many characters the function reads. */
  readonly run: (args: readonly Value[], spend: (units: number) => void) => Value | Missing;
}

const MANY = Number.POSITIVE_INFINITY;

export const FUNCTIONS: Readonly<Record<string, GoFunction>> = {
  toJSON: { takes: [1, 1], run: ([value = null], spend) => spent(goJson(value), spend) },
  truncate: { takes: [2, 2], run: ([most = null, text = null], spend) => truncate(most, text, spend) },
  eq: { takes: [2, MANY], run: ([one = null, ...others], spend) => others.some((other) => isEqual(one, other, spend)) },
  ne: { takes: [2, 2], run: ([one = null, other = null], spend) => !isEqual(one, other, spend) },
  lt: { takes: [2, 2], run: ([one = null, other = null], spend) => order(one, other, spend) < 0 },
  le: { takes: [2, 2], run: ([one = null, other = null], spend) => order(one, other, spend) <= 0 },
  gt: { takes: [2, 2], run: ([one = null, other = null], spend) => order(one, other, spend) > 0 },
  ge: { takes: [2, 2], run: ([one = null, other = null], spend) => order(one, other, spend) >= 0 },
  // The renderer evaluates the arguments of `and` and `or` lazily.
  and: { takes: [1, MANY], run: (args) => args.find((value) => !isTrue(value)) ?? args.at(-1) ?? null },
  or: { takes: [1, MANY], run: (args) => args.find(isTrue) ?? args.at(-1) ?? null },
  not: { takes: [1, 1], run: ([value = null]) => !isTrue(value) },
  len: { takes: [1, 1], run: ([value = null], spend) => length(value, spend) },
  index: { takes: [1, MANY], run: ([value = null, ...keys]) => index(value, keys) },
  print: { takes: [0, MANY], run: (args, spend) => print(args, spend) },
  println: { takes: [0, MANY], run: (args, spend) => `${args.map((value) => printed(value, spend)).join(" ")}\n` },
  printf: {
    takes: [1, MANY],
    run: ([format = null, ...args], spend) => {
      if (typeof format !== "string") throw new WrongValue(`printf takes a text first, not ${kindOf(format)}`);
      const made = printf(format, args, spend);
      if (!made.ok) throw new WrongValue(made.message);
      return spent(made.text, spend);
    },
  },
};

function spent(text: string, spend: (units: number) => void): string {
  spend(text.length);
  return text;
}

/** Cuts a text at a number of bytes, between characters. A number of zero or less cuts nothing. */
function truncate(most: Value, text: Value, spend: (units: number) => void): string {
  if (typeof most !== "number" || !Number.isInteger(most)) {
    throw new WrongValue(`truncate takes a whole number first, not ${kindOf(most)}`);
  }
  if (typeof text !== "string") throw new WrongValue(`truncate takes a text, not ${kindOf(text)}`);
  spend(text.length);
  if (most <= 0 || Buffer.byteLength(text) <= most) return text;
  const bytes = Buffer.from(text);
  let end = most;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString("utf8", 0, end)}…`;
}

type Basic = string | number | boolean | null;

function basic(value: Value): Basic {
  if (value !== null && typeof value === "object") throw new WrongValue(`${kindOf(value)} cannot be compared`);
  return value;
}

function isEqual(one: Value, other: Value, spend: (units: number) => void): boolean {
  const [left, right] = [basic(one), basic(other)];
  if (left === null || right === null) return left === right;
  if (typeof left !== typeof right) {
    throw new WrongValue(`${kindOf(left)} and ${kindOf(right)} cannot be compared`);
  }
  if (typeof left === "string") spend(left.length);
  return left === right;
}

function order(one: Value, other: Value, spend: (units: number) => void): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  if (typeof one === "string" && typeof other === "string") {
    spend(one.length + other.length);
    return compareBytes(one, other);
  }
  throw new WrongValue(`${kindOf(one)} and ${kindOf(other)} have no order`);
}

function length(value: Value, spend: (units: number) => void): number {
  if (typeof value === "string") {
    spend(value.length);
    return Buffer.byteLength(value);
  }
  if (Array.isArray(value)) return value.length;
  if (isMap(value)) return sortedKeys(value).length;
  throw new WrongValue(`${kindOf(value)} has no length`);
}

function index(value: Value, keys: readonly Value[]): Value | Missing {
  let at: Value = value;
  for (const key of keys) {
    if (Array.isArray(at)) {
      if (typeof key !== "number" || !Number.isInteger(key))
        throw new WrongValue(`not an index of a list: ${textOf(key)}`);
      if (key < 0 || key >= at.length) throw new WrongValue(`the list has ${at.length} items, and none at ${key}`);
      at = at[key] as Value;
    } else if (isMap(at)) {
      if (typeof key !== "string") throw new WrongValue(`the key of a map is a text, not ${kindOf(key)}`);
      if (!Object.hasOwn(at, key)) return new Missing(`key ${JSON.stringify(key.slice(0, 80))}`);
      at = at[key] as JsonValue;
    } else throw new WrongValue(`${kindOf(at)} has no index`);
  }
  return at;
}

/** Joins values, with a space between two values that are not texts. */
function print(args: readonly Value[], spend: (units: number) => void): string {
  let text = "";
  for (const [at, value] of args.entries()) {
    const before = args[at - 1];
    const spaces = at > 0 && typeof value !== "string" && typeof before !== "string";
    text += `${spaces ? " " : ""}${printed(value, spend)}`;
  }
  return text;
}

function printed(value: Value, spend: (units: number) => void): string {
  return spent(value === null ? "<nil>" : textOf(value), spend);
}
