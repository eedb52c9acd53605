import type { ErrorCode } from "../../../errors.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { kindOf } from "../../../schema-issue.ts";
import { suggest } from "../../../suggest.ts";
import { hintOf, type ProblemOptions } from "../../config-problems.ts";

/** A problem with a rule's grants. If there is an error, the rule gets no grants at all. */

export interface GrantProblem extends ProblemOptions {
  readonly code: ErrorCode;
  /** The path of the value below `grants`. */
  readonly at: readonly (string | number)[];
  readonly message: string;
}

/** The reason why a value is refused. The caller adds its place. */
export interface Refused {
  readonly message: string;
  readonly hint?: string;
}

export class GrantProblems {
  readonly all: GrantProblem[] = [];

  add(code: ErrorCode, at: GrantProblem["at"], message: string, options: ProblemOptions = {}): void {
    this.all.push({ code, at, message: `${["grants", ...at].join(".")}: ${message}`, ...options });
  }

  /** Reports a value of a wrong type or out of range. */
  mistype(at: GrantProblem["at"], expected: string, value: unknown, hint?: string): void {
    this.add("HOOK_CONFIG_TYPE", at, `expected ${expected}, found ${shown(value)}`, hintOf(hint));
  }

  refuse(at: GrantProblem["at"], { message, hint }: Refused): void {
    this.add("HOOK_CONFIG_GRANT", at, message, hintOf(hint));
  }

  /** Returns the value if it is an object. Reports each unknown key as an error. */
  object(value: unknown, at: GrantProblem["at"], known: readonly string[], expected: string): JsonObject | undefined {
    if (!isJsonObject(value)) {
      this.mistype(at, expected, value);
      return undefined;
    }
    for (const key of Object.keys(value).filter((one) => !known.includes(one))) {
      const hint = suggest(key, known) ?? `known: ${known.join(", ")}`;
      this.add("HOOK_CONFIG_UNKNOWN_KEY", [...at, key], `unknown key "${key}"`, { hint, part: "key" });
    }
    return value;
  }

  wholeNumber(value: unknown, at: GrantProblem["at"], { usual, most }: Cap): number {
    if (value === undefined) return usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= most) return value;
    this.mistype(at, `a whole number from 1 to ${most}`, value);
    return usual;
  }

  boolean(value: unknown, at: GrantProblem["at"]): boolean {
    if (typeof value === "boolean" || value === undefined) return value === true;
    this.mistype(at, "true or false", value);
    return false;
  }
}

/** The default and the maximum of a number that a rule may set. */
export interface Cap {
  readonly usual: number;
  readonly most: number;
}

const MAX_SHOWN_LENGTH = 60;

function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string" && value.length <= MAX_SHOWN_LENGTH) return JSON.stringify(value);
  return kindOf(value);
}
