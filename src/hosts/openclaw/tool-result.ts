import { isObject } from "./merges/merge.ts";

/** A tool's result on its way into the transcript. `details` are for programs, and no part of what a model reads. */
export interface ToolResultMessage {
  readonly role: "toolResult";
  readonly toolCallId?: string;
  readonly toolName: string;
  readonly content: unknown;
  readonly details?: unknown;
  readonly isError?: boolean;
  readonly [field: string]: unknown;
}

/** Most that details may be as JSON, in UTF-16 units. */
const MAX_DETAILS = 8_192;
const MAX_KEYS = 20;
const MAX_KEY_LENGTH = 80;

/** As the model gets it. */
export function withoutDetails<Message>(message: Message): Message {
  if (!isObject(message) || !("details" in message)) return message;
  const { details: _, ...rest } = message;
  return rest as Message;
}

/** As it is kept: details that are too long give way to a summary of them. */
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

/** `undefined` for what has no JSON. */
function lengthOf(details: unknown): number | undefined {
  try {
    return (JSON.stringify(details) as string | undefined)?.length;
  } catch {
    return undefined;
  }
}

/** What a tool gave, as a message. Tools that know of messages give `content` themselves. */
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
