import { describeThrown, HookError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../event.ts";
import { type Console, usageError } from "./verb.ts";

/** A larger event is not an event any more. */
const MAX_PAYLOAD_BYTES = 16 * 1_048_576;

export async function readPayload(console: Console): Promise<JsonObject> {
  if (console.stdin.isTTY === true) throw usageError("the event's JSON is expected on standard input");
  return parsePayload(await readAll(console.stdin));
}

async function readAll(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.byteLength;
    if (length > MAX_PAYLOAD_BYTES)
      throw invalid(`the payload on standard input is longer than ${MAX_PAYLOAD_BYTES} bytes`);
    chunks.push(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalid("the payload on standard input is not valid UTF-8");
  }
}

async function parsePayload(text: string): Promise<JsonObject> {
  if (text.trim() === "") throw invalid("standard input is empty; the event's JSON is expected there");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw await syntaxError(text, error);
  }
  if (!isJsonObject(value)) throw invalid("the payload on standard input must be a JSON object");
  return value;
}

/** `JSON.parse` says where in words that differ between Node versions; the place is looked up only when needed. */
async function syntaxError(text: string, error: unknown): Promise<HookError> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  if (text.length <= 1_048_576) parseTree(text, errors, { disallowComments: true });
  const first = errors[0];
  if (first === undefined) return invalid(`the payload on standard input is not valid JSON: ${describeThrown(error)}`);
  const before = text.slice(0, first.offset).split("\n");
  const place = { file: "<stdin>", line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  return new HookError("HOOK_PAYLOAD_INVALID", `the payload is not valid JSON: ${printParseErrorCode(first.error)}`, {
    place,
  });
}

function invalid(message: string): HookError {
  return new HookError("HOOK_PAYLOAD_INVALID", message);
}
