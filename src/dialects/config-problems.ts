import { z } from "zod";
import type { ErrorCode, Problem } from "../errors.ts";
import type { ConfigDocument } from "./dialect.ts";
import { suggest } from "./suggest.ts";

/** Problems of a configuration, at their places. */

type Path = readonly (string | number)[];

export interface ProblemOptions {
  readonly hint?: string;
  readonly severity?: Problem["severity"];
  readonly part?: "key" | "value";
}

/** Of one file. A file may be wrong a hundred thousand times, and nobody reads that much. */
const MAX_PROBLEMS = 100;

/** The first problems of a file, errors before warnings, and how many there are besides. */
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

/** A schema's complaints, each at its place in the file. */
export function schemaProblems(document: ConfigDocument, schema: z.ZodType, value: unknown, path: Path): Problem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => {
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
    const name = where.length === path.length ? "" : `${where.slice(path.length).join(".")}: `;
    const message = `${name}${issue.message.replace(/^Invalid input: /, "")}`;
    const unit = issue.code === "invalid_type" ? UNIT_HINTS[String(where.at(-1))] : undefined;
    return [problemAt(document, "HOOK_CONFIG_TYPE", where, message, hintOf(unit))];
  });
}

const MILLISECONDS = "milliseconds, as a number: 5000";

/** What to write for a time that was written as a text, such as "5s". */
const UNIT_HINTS: Readonly<Record<string, string>> = {
  timeout: "seconds, as a number: 5",
  timeoutMs: MILLISECONDS,
  patienceMs: MILLISECONDS,
  budgetMs: MILLISECONDS,
};

/** The keys that a nested strict object knows. */
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

/** What stands there instead, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
