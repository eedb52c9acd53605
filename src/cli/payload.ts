import { describeThrown, HookError } from "../errors.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json.ts";
import { membersBeforeExcess } from "../json-bounds.ts";
import { type Console, usageError } from "./verb.ts";

/** The maximum length of a payload. hookbox refuses longer payloads unread. */
export const MAX_PAYLOAD_BYTES = 16 * 1_048_576;

/** Thrown for a payload that exceeds a limit and is therefore not parsed. */
export class PayloadExcess extends HookError {
  /** The members before the excess, possibly none. They reveal the event and the id; they are never judged. */
  readonly members: JsonObject;

  constructor(message: string, members = "") {
    super("HOOK_PAYLOAD_LIMIT", message);
    this.members = parseJsonObject(members) ?? {};
  }
}

/** Throws before parsing if a text exceeds a limit of JSON. `what` names the text in the message. */
export function refuseExcess(text: string, what: string): void {
  const { excess, members } = membersBeforeExcess(text);
  if (excess !== undefined) throw new PayloadExcess(`${what} ${excess.message}`, members);
}

export async function readPayload(console: Console): Promise<JsonObject> {
  if (console.stdin.isTTY === true) throw usageError("the event's JSON is expected on standard input");
  return parsePayload(utf8(await readAll(console.stdin)));
}

/** Returns the payload's bytes without reading them as JSON, except to see that they are whole. */
export function readBytes(console: Console): Promise<Buffer> {
  return readAll(console.stdin);
}

/** How long to wait for the end of input after a whole object, because some agents never close the pipe. */
const STDIN_WAIT_MS = 3_000;

async function readAll(stdin: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    let length = 0;
    // Waits while the object is incomplete, because an agent on a busy machine writes late. The caller bounds the wait.
    const timer = setInterval(() => isWhole(chunks) && end(), STDIN_WAIT_MS);
    const end = (error?: Error): void => {
      clearInterval(timer);
      if (error === undefined) resolve();
      else reject(error);
    };
    stdin.on("data", (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk);
      length += bytes.byteLength;
      chunks.push(bytes);
      if (length > MAX_PAYLOAD_BYTES) {
        const message = `the payload on standard input is longer than ${MAX_PAYLOAD_BYTES} bytes`;
        end(new PayloadExcess(message, membersBeforeExcess(Buffer.concat(chunks).toString()).members));
      }
    });
    stdin.on("end", () => end());
    stdin.on("error", (error: Error) => end(invalid(`standard input cannot be read: ${error.message}`)));
  });
  return Buffer.concat(chunks);
}

export function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid("the payload on standard input is not valid UTF-8");
  }
}

function isWhole(chunks: readonly Buffer[]): boolean {
  try {
    return isJsonObject(JSON.parse(Buffer.concat(chunks).toString()));
  } catch {
    return false;
  }
}

export async function parsePayload(text: string): Promise<JsonObject> {
  if (text.trim() === "") throw invalid("standard input is empty; the event's JSON is expected there");
  refuseExcess(text, "the payload on standard input");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw await syntaxError(text, error);
  }
  if (!isJsonObject(value)) throw invalid("the payload on standard input must be a JSON object");
  return value;
}

/** Finds the place of a syntax error with `jsonc-parser`. `JSON.parse` has different texts in Node versions. */
async function syntaxError(text: string, error: unknown): Promise<HookError> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: { error: number; offset: number; length: number }[] = [];
  try {
    if (text.length <= 1_048_576) parseTree(text, errors, { disallowComments: true });
  } catch {
    // The error has no place, because the JSON is nested too deeply for `parseTree`.
    errors.length = 0;
  }
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
