import type { JsonObject, JsonValue } from "../json.ts";
import type { Handler } from "../rule.ts";

/** Converts rules to the value of a configuration file, for each dialect that has files. */

export type Path = readonly (string | number)[];

/**
 * What a change means for the user of the rule. `looser`: a gate lets more through. `stricter`: a gate lets less
 * through. `gone`: a hook that guards nothing is missing. `other-words`: the same script gets its input in another
 * format, at an event where this lets nothing through. `changed`: any other change.
 */
export type Consequence = "looser" | "stricter" | "gone" | "other-words" | "changed";

export interface Remark {
  /** The part of the rule. */
  readonly what: string;
  readonly why: string;
  readonly consequence: Consequence;
}

/** The result for a rule: its path in the new file, or the reason why it was not written. */
export type Fate =
  | {
      /** The paths of the hooks. A format that splits a matcher has several hooks for one rule. */
      readonly paths: readonly Path[];
      /** Changes that reading the new file again cannot find. */
      readonly remarks: readonly Remark[];
    }
  | { readonly refused: string };

/**
 * Whether the rule's output can be read strictly or leniently. Answers of models and of hookbox's own functions are
 * read in one way.
 */
export function hasStrictness({ type }: Handler): boolean {
  return type === "command" || type === "http" || type === "mcp_tool";
}

/** Returns the fields in their order, without fields that are `undefined`. */
export function withoutUndefined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Returns whole seconds, rounded up and at least 1. */
export function wholeSeconds(timeoutMs: number): number {
  return Math.max(1, Math.ceil(timeoutMs / 1_000));
}

/** Returns a program and its arguments as one line for `sh`. */
export function shellLine(command: string, args: readonly string[] | undefined): string {
  return args === undefined ? command : [command, ...args].map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
