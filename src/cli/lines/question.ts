import { HookError } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { PayloadExcess, refuseExcess } from "../payload.ts";
import type { Line } from "./read-lines.ts";

/** The client's id of a question. hookbox repeats the id in the answer and does not use it otherwise. */
export type QuestionId = string | number | null;

export interface Question {
  /** The id in the line. `undefined`: the line has no id. */
  readonly id: QuestionId | undefined;
  /** The agent's payload, without the id. */
  readonly payload: JsonObject;
}

/** Thrown for a line that is not JSON, because JSON-RPC has a separate error code for such lines. */
export class NotJson extends HookError {}

/** Finds the id of a line that cannot be answered, so that the refusal contains the id. */
export function readId(line: Line, error: HookError): QuestionId | undefined {
  if (error instanceof PayloadExcess) return idOf(error.members);
  return "text" in line ? idOf(parseJsonObject(line.text)) : undefined;
}

export function readQuestion(line: Line): Question {
  if ("unreadable" in line) {
    throw line.isTooLong === true
      ? new PayloadExcess(line.unreadable)
      : new NotJson("HOOK_PAYLOAD_INVALID", line.unreadable);
  }
  refuseExcess(line.text, "the line");
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    const what = line.text.trim() === "" ? "is empty" : "is not valid JSON";
    throw new NotJson("HOOK_PAYLOAD_INVALID", `the line ${what}`, {
      hint: "write one payload per line, without line breaks",
    });
  }
  if (!isJsonObject(value)) throw new HookError("HOOK_PAYLOAD_INVALID", "the payload must be a JSON object");
  const { id, ...payload } = value;
  if (id !== undefined && idOf(value) === undefined)
    throw new HookError("HOOK_PAYLOAD_INVALID", "an id must be a string or a number");
  return { id: idOf(value), payload };
}

function idOf(value: unknown): QuestionId | undefined {
  const id = isJsonObject(value) ? value["id"] : undefined;
  return typeof id === "string" || typeof id === "number" || id === null ? id : undefined;
}
