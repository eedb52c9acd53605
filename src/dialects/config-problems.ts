import { z } from "zod";
import type { ErrorCode, Problem } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { describeIssue, isMissing } from "../schema-issue.ts";
import { nearest, suggest } from "../suggest.ts";
import type { ConfigDocument } from "./dialect.ts";

/** Creates problems of a configuration, with their places. */

type Path = readonly (string | number)[];

export interface ProblemOptions {
  readonly hint?: string;
  readonly severity?: Problem["severity"];
  readonly part?: "key" | "value";
}

/** The maximum number of listed problems of one file. A file can have a hundred thousand problems. */
const MAX_PROBLEMS = 100;

/** Returns the first problems of a file, errors before warnings, plus one problem that counts the rest. */
export function firstProblems(problems: readonly Problem[], file: string): readonly Problem[] {
  const omitted = problems.length - MAX_PROBLEMS;
  if (omitted <= 0) return problems;
  const isError = ({ severity }: Problem): boolean => severity === "error";
  const byWeight = [...problems.filter(isError), ...problems.filter((problem) => !isError(problem))];
  const listed = new Set(byWeight.slice(0, MAX_PROBLEMS));
  const more: Problem = {
    severity: byWeight[MAX_PROBLEMS]?.severity ?? "error",
    code: "HOOK_CONFIG_LIMIT",
    message: `the file has ${omitted} more problems; ${MAX_PROBLEMS} are listed`,
    place: { file },
  };
  return [...problems.filter((problem) => listed.has(problem)), more];
}

export function problemAt(
  document: ConfigDocument,
  code: ErrorCode,
  path: Path,
  message: string,
  options: ProblemOptions = {},
): Problem {
  const { hint, severity = "error", part = "value" } = options;
  return { severity, code, message, place: document.locate(path, part), ...(hint === undefined ? {} : { hint }) };
}

/**
 * Checks a value with a schema and returns a problem, with its place, for each issue. If the file has a misspelt key in
 * place of a missing key, only the misspelt key is reported. The caller reports the keys in `unknownKeys`.
 */
export function schemaProblems(
  document: ConfigDocument,
  schema: z.ZodType,
  value: unknown,
  path: Path,
  unknownKeys: readonly string[] = [],
): Problem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return reportedIssues(result.error.issues, schema, value, unknownKeys).flatMap((issue) => {
    const where: Path = [...path, ...issue.path.filter((part) => typeof part !== "symbol")];
    if (issue.code === "unrecognized_keys") {
      const known = knownKeys(schema, issue.path);
      return issue.keys.map((key) =>
        problemAt(document, "HOOK_CONFIG_UNKNOWN_KEY", [...where, key], `unknown key "${key}"`, {
          ...hintOf(suggest(key, known)),
          part: "key",
        }),
      );
    }
    return [
      problemAt(document, "HOOK_CONFIG_TYPE", where, describeIssue(issue, value), hintOf(hintForIssue(issue, value))),
    ];
  });
}

/** Removes issues about keys that are missing because their names are misspelt. */
export function reportedIssues(
  issues: readonly z.core.$ZodIssue[],
  schema: z.ZodType,
  value: unknown,
  unknownKeys: readonly string[] = [],
): z.core.$ZodIssue[] {
  return issues.filter((issue) => !isMissing(issue, value) || !isMisspelt(issue.path, schema, issues, unknownKeys));
}

export function hintForIssue(issue: z.core.$ZodIssue, value: unknown): string | undefined {
  if (issue.code === "invalid_type") return UNIT_HINTS[String(issue.path.at(-1))];
  if (issue.code !== "invalid_value") return undefined;
  const found = issue.path.reduce<unknown>((inside, key) => (inside as Record<PropertyKey, unknown>)?.[key], value);
  return typeof found === "string" ? suggest(found, issue.values.map(String)) : undefined;
}

/** Returns all problems with the keys and values of a hook. */
export function hookProblems(
  document: ConfigDocument,
  schema: z.ZodType,
  hook: JsonObject,
  path: Path,
  { known, what, severity }: { known: readonly string[]; what: string; severity: Problem["severity"] },
): Problem[] {
  const unknown = Object.keys(hook).filter((key) => !known.includes(key));
  const problems = schemaProblems(document, schema, hook, path, unknown);
  // If the schema would have reported the missing key, the misspelt key is the only error.
  const isFatal = unknown.length > 0 && problems.length < schemaProblems(document, schema, hook, path).length;
  const isMissingKey = (key: string | undefined): boolean => key !== undefined && hook[key] === undefined;
  return [
    ...unknown.map((key) =>
      problemAt(document, "HOOK_CONFIG_UNKNOWN_KEY", [...path, key], `unknown key "${key}" in ${what}`, {
        ...hintOf(suggest(key, known)),
        severity: isFatal && isMissingKey(nearest(key, known)) ? "error" : severity,
        part: "key",
      }),
    ),
    ...problems,
  ];
}

/** Whether a value fits a schema that changes no values. */
export function fits<Schema extends z.ZodType>(schema: Schema, value: unknown): value is z.infer<Schema> {
  return schema.safeParse(value).success;
}

/** Returns the key that contains the value of `key` in an object: `key` itself, or a misspelling of `key`. */
export function keyMeantAs(key: string, object: JsonObject, known: readonly string[]): string {
  if (object[key] !== undefined) return key;
  return Object.keys(object).find((one) => !known.includes(one) && nearest(one, known) === key) ?? key;
}

function isMisspelt(
  path: readonly PropertyKey[],
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  unknownKeys: readonly string[],
): boolean {
  const around = path.slice(0, -1);
  const found = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.join("\n") === around.join("\n") ? issue.keys : [],
  );
  const unknown = around.length === 0 ? [...found, ...unknownKeys] : found;
  const known = knownKeys(schema, around);
  return unknown.some((key) => nearest(key, known) === path.at(-1));
}

const MILLISECONDS = "milliseconds, as a number: 5000";

/** Hints for a time with a unit, such as "5s". */
const UNIT_HINTS: Readonly<Record<string, string>> = {
  timeout: "seconds, as a number: 5",
  timeoutMs: MILLISECONDS,
  patienceMs: MILLISECONDS,
  budgetMs: MILLISECONDS,
};

/** Returns the keys that a nested strict object knows. */
export function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = schema;
  for (const part of path) {
    current = current instanceof z.ZodArray ? current.element : shapeOf(current)?.[String(part)];
  }
  return Object.keys(shapeOf(current) ?? {});
}

function shapeOf(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodExactOptional) inner = inner.unwrap();
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, unknown>) : undefined;
}

export function hintOf(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint };
}
