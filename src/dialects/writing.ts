import type { JsonObject, JsonValue } from "../event.ts";
import type { Handler, Rule } from "../rule.ts";
import type { ConfigSettings, RuleDefaults } from "./dialect.ts";

/** Rules -> the value of a configuration file, for each dialect that has one. */

export type Path = readonly (string | number)[];

/**
 * What a change means for whoever relied on the rule. `looser`: a gate lets more through. `stricter`: it lets less
 * through. `gone`: a hook that guards nothing is not there any more. `other-words`: the script is the same, and will be
 * spoken to in another language, where that lets nothing through. `changed`: anything else.
 */
export type Consequence = "looser" | "stricter" | "gone" | "other-words" | "changed";

export interface Remark {
  /** The part of the rule. */
  readonly what: string;
  readonly why: string;
  readonly consequence: Consequence;
}

/** What became of a rule: where it stands, or why it stands nowhere. */
export type Fate =
  | {
      /** More than one where the format takes a matcher apart. */
      readonly paths: readonly Path[];
      /** What cannot be seen from reading the file again. */
      readonly remarks: readonly Remark[];
    }
  | { readonly refused: string };

export interface WrittenConfig {
  readonly value: JsonObject;
  /** One for each rule, in their order. */
  readonly fates: readonly Fate[];
}

export interface WriteContext {
  /** Of the whole file. What the format has no word for is left out. */
  readonly settings: ConfigSettings;
  /** What the format's reader takes for a rule that does not say. */
  readonly defaults: RuleDefaults;
  /** The folder of the new file. */
  readonly baseDir?: string;
}

export interface ConfigWriter {
  /** Whether rules of different priority may stand in any order. Others get them in the order in which they count. */
  readonly keepsPriority: boolean;
  /** Writes what it can. What got lost on the way is found by reading the result. */
  write(rules: readonly Rule[], context: WriteContext): WrittenConfig;
}

/** Whether the rule's output may be read strictly or less so: answers of models and of our own functions have one reading. */
export function hasStrictness({ type }: Handler): boolean {
  return type === "command" || type === "http" || type === "mcp_tool";
}

/** Keys in order, without those that have no value. */
export function withoutUndefined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Whole seconds, and never less than asked. */
export function wholeSeconds(timeoutMs: number): number {
  return Math.max(1, Math.ceil(timeoutMs / 1_000));
}

/** A program and its arguments as one line for `sh`. */
export function shellLine(command: string, args: readonly string[] | undefined): string {
  return args === undefined ? command : [command, ...args].map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
