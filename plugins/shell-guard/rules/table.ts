// All rules by program. Built at the top level, so that the build stores the result and a call pays nothing for it. The
// tables are a few long texts, because hundreds of small objects would triple the size of the guard.

import { PACKS } from "../packs/index.ts";
import { VALUED } from "../packs/valued-options.ts";
import { type Damage, damageIn } from "./category.ts";
import { Arguments, splitPrograms } from "./rows.ts";

const DAMAGES: Damage[] = [];
/** The rules of each program during the construction. */
const found = new Map<string, { any: string; words: string }>();
/** The rules without their programs. */
const texts: string[] = [];
/** For each rule the number of its damage, as a character. */
let damageOfText = "";
/** For each rule its end in the joined texts, as a character. */
let ends = "";

/** A table from names to texts. Names with the same first letter and length share a text with the texts' numbers. */
class NameTable {
  readonly #buckets = new Map<string, string>();
  readonly #values: string[] = [];

  constructor(entries: Iterable<readonly [name: string, value: string]>) {
    for (const [name, value] of entries) {
      let number = this.#values.indexOf(value);
      if (number < 0) number = this.#values.push(value) - 1;
      const key = `${name[0]}${name.length}`;
      this.#buckets.set(key, `${this.#buckets.get(key) ?? ""}\n${name}${String.fromCharCode(FIRST + number)}`);
    }
  }

  get(name: string): string | undefined {
    const bucket = this.#buckets.get(`${name[0]}${name.length}`);
    if (bucket === undefined) return undefined;
    const at = bucket.indexOf(`\n${name}`);
    return at < 0 ? undefined : this.#values[bucket.charCodeAt(at + name.length + 1) - FIRST];
  }
}

/** Numbers are characters from here on, which neither rules nor names contain. */
const FIRST = 0x4e00;
/** The offset of the number of a rule that needs an option. Most commands have none. */
const NEEDS_OPTION = 0x1000;

for (const [pack, categories] of Object.entries(PACKS)) {
  for (const [name, { rules }] of Object.entries(categories)) {
    for (const rule of rules ?? []) {
      const [programs, text] = splitPrograms(rule);
      const needs = /(?:^| )-[^~]*/.test(text.replace(/(?:^| )~.*/s, "")) ? NEEDS_OPTION : 0;
      const number = String.fromCharCode(FIRST + needs + texts.length);
      for (const program of programs) addRule(program, firstWords(text), number);
      texts.push(text);
      damageOfText += String.fromCharCode(DAMAGES.length);
      ends += String.fromCharCode((ends === "" ? 0 : ends.charCodeAt(ends.length - 1)) + text.length);
    }
    DAMAGES.push(damageIn(pack, categories, name));
  }
}

const TEXT = texts.splice(0).join("");

/**
 * The rules of each program: the numbers of the rules for any first word, and then for each first word `|word|` and a
 * number.
 */
const RULES = new NameTable(rulesByProgram());
const OPTIONS = new NameTable(optionsByProgram());

function* rulesByProgram(): Iterable<readonly [string, string]> {
  for (const [program, { any, words }] of found) yield [program, any + words];
  found.clear();
}

function* optionsByProgram(): Iterable<readonly [string, string]> {
  for (const line of VALUED) {
    const [programs, options] = splitPrograms(line);
    for (const program of programs) yield [program, ` ${options} `];
  }
}

function firstWords(text: string): readonly string[] {
  const [, words] = /^([^-!~*\s][^*\s]*)(?:\s|$)/.exec(text) ?? [];
  return words?.split("|") ?? [];
}

function addRule(program: string, words: readonly string[], number: string): void {
  const entry = found.get(program) ?? { any: "", words: "" };
  found.set(program, entry);
  if (words.length === 0) entry.any += number;
  for (const word of words) entry.words += `|${word}|${number}`;
}

/** Returns the damage of a category, for the functions that recognize it. */
export function damageOf(name: string): Damage {
  const damage = DAMAGES.find((one) => one.name === name);
  if (damage === undefined) throw new Error(`no category ${name}`);
  return damage;
}

export function argumentsOf(program: string, args: readonly string[]): Arguments {
  return new Arguments(args, OPTIONS.get(program) ?? "", program === "git");
}

/** Returns the rules of a program, for {@link candidates}. Undefined for most programs. */
export function rulesOf(program: string): string | undefined {
  return RULES.get(program);
}

/** Returns the numbers of the rules that may match. Most commands have no rule with one of their words. */
export function candidates(rules: string, args: readonly string[]): readonly number[] {
  const numbers: number[] = [];
  const limit = FIRST + (args.some(isOption) ? 2 * NEEDS_OPTION : NEEDS_OPTION);
  const add = (code: number): void => {
    if (code < limit) numbers.push((code - FIRST) % NEEDS_OPTION);
  };
  for (let at = 0; rules.charCodeAt(at) >= FIRST; at++) add(rules.charCodeAt(at));
  for (const arg of args) {
    if (isOption(arg)) continue;
    const part = `|${arg}|`;
    for (let at = rules.indexOf(part); at >= 0; at = rules.indexOf(part, at + 1)) {
      add(rules.charCodeAt(at + part.length));
    }
  }
  return numbers;
}

function isOption(arg: string): boolean {
  return arg[0] === "-";
}

/** Returns the damages of a command, by the rules that may match. */
export function damagesOf(numbers: readonly number[], program: string, args: readonly string[]): readonly Damage[] {
  const given = argumentsOf(program, args);
  const damages: Damage[] = [];
  for (const number of new Set([...numbers].sort((one, other) => one - other))) {
    const damage = DAMAGES[damageOfText.charCodeAt(number)];
    const start = number === 0 ? 0 : ends.charCodeAt(number - 1);
    if (damage !== undefined && given.match(TEXT.slice(start, ends.charCodeAt(number)))) damages.push(damage);
  }
  return damages;
}
