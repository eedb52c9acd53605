import { z } from "zod";
import { describeThrown } from "../errors.ts";
import type { Failure } from "../outcome.ts";
import { describeIssue } from "../schema-issue.ts";
import { cleanLine } from "../text.ts";
import type { ModelAnswer, ModelFunction, ModelRequest, ModelResult } from "./model.ts";
import { failed } from "./stoppable-request.ts";

/** The maximum length of a thrown error's text in a message. */
const MAX_QUOTED = 300;

const count = z.number().int().nonnegative();

const answerSchema = z
  .strictObject({
    text: z.string(),
    calls: z.array(z.strictObject({ id: z.string(), name: z.string(), input: z.json() })),
    end: z.enum(["done", "calls", "length", "refusal"]),
    inputTokens: count,
    outputTokens: count,
  })
  .refine(({ calls, end }) => (end === "calls") === calls.length > 0, "`end` is `calls` exactly when there are calls");

/**
 * Asks a function of the embedder. The function gets a frozen copy of the question, and its answer is copied too. The
 * function runs in this thread, so a function that never returns and never awaits cannot be stopped.
 */
export async function askFunction(
  run: ModelFunction,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelResult> {
  let said: unknown;
  try {
    said = await run(frozen(structuredClone(request)), { signal });
  } catch (error) {
    return failed(thrown(error));
  }
  // No timer could fire while the function ran. An expired timeout is older than this timer, so it fires first.
  await new Promise((resolve) => setTimeout(resolve));
  return read(said);
}

function read(said: unknown): ModelResult {
  if (typeof said === "string")
    return answered({ text: said, calls: [], end: "done", inputTokens: 0, outputTokens: 0 });
  try {
    const { success, data, error } = answerSchema.safeParse(said);
    // JSON.stringify throws for a cyclic value.
    if (success) return answered(JSON.parse(JSON.stringify(data)) as ModelAnswer);
    const [issue] = error.issues;
    return failed(
      invalid(`the answer of the function is invalid: ${issue === undefined ? "" : describeIssue(issue, said)}`),
    );
  } catch (error) {
    return failed(invalid(`the answer cannot be read: ${described(error)}`));
  }
}

function answered(answer: ModelAnswer): ModelResult {
  return { ok: true, answer };
}

function thrown(error: unknown): Failure {
  return { kind: "trap", message: cleanLine(`threw: ${described(error)}`, MAX_QUOTED) };
}

function invalid(message: string): Failure {
  return { kind: "invalid-output", message: cleanLine(message, MAX_QUOTED) };
}

/** Describes a thrown value. Reading the value's message may throw too. */
function described(error: unknown): string {
  try {
    return String(describeThrown(error));
  } catch {
    return "something that cannot be described";
  }
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
