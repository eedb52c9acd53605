import { isObject } from "./merges/merge.ts";

/** A tool's result for the transcript. `details` are for programs, and the model does not see them. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId?: string;
  readonly toolName: string;
  readonly content: unknown;
  readonly details?: unknown;
  readonly isError?: boolean;
  readonly [field: string]: unknown;
}

/** The maximum length of the details as JSON, in UTF-16 code units. */
const MAX_DETAILS = 8_192;
const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 80;

/** Returns the message for the model. */
export function withoutDetails<Message>(message: Message): Message {
  if (!isObject(message) || !("details" in message)) return message;
  const { details: _, ...rest } = message;
  return rest as Message;
}

/** Returns the message for the transcript. A summary replaces details that are too long. */
export function withBoundedDetails<Message>(message: Message): Message {
  if (!isObject(message) || message["details"] === undefined) return message;
  const { details } = message;
  const length = lengthOf(details);
  if (length !== undefined && length <= MAX_DETAILS) return message;
  const keys = isObject(details) ? Object.keys(details).slice(0, MAX_KEYS) : [];
  return {
    ...message,
    details: {
      persistedDetailsTruncated: true,
      ...(length === undefined ? {} : { originalLength: length }),
      ...(keys.length === 0 ? {} : { keys: keys.map((key) => key.slice(0, MAX_KEY_LENGTH)) }),
    },
  };
}

/** Returns the length of the details as JSON. Returns `undefined` for a value that has no JSON form. */
function lengthOf(details: unknown): number | undefined {
  try {
    return (JSON.stringify(details) as string | undefined)?.length;
  } catch {
    return undefined;
  }
}

/** Converts a tool's return value to a message. A tool may return `content` itself. */
export function toolResultMessage(
  call: { readonly toolName: string; readonly toolCallId?: string },
  given: unknown,
  isError: boolean,
): ToolResultMessage {
  const isMessage = isObject(given) && "content" in given;
  return {
    ...(isMessage ? given : { content: given }),
    role: "toolResult",
    toolName: call.toolName,
    ...(call.toolCallId === undefined ? {} : { toolCallId: call.toolCallId }),
    ...(isError ? { isError: true } : {}),
  } as ToolResultMessage;
}
