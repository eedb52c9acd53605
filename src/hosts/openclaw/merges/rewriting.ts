import { isolatedCopy } from "../isolation.ts";
import type { HookEventData } from "../plugin-entry.ts";
import { flag, isObject, MalformedResult, type Merge, text } from "./merge.ts";

export interface MessageSendingResult {
  readonly content?: string;
  readonly cancel?: true;
  readonly cancelReason?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ReplyPayloadResult {
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly cancel?: true;
  readonly cancelReason?: string;
}

/** Merges rewrites. Each handler sees the previous handler's rewrite. `cancel` ends the sequence of handlers. */
class RewritingMerge<Result extends object> implements Merge<Result> {
  #fields: Readonly<Record<string, unknown>> = {};
  #hasSpoken = false;
  readonly #read: (result: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;

  /** `read` returns the fields that a result changes. */
  constructor(read: (result: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>) {
    this.#read = read;
  }

  get result(): Result | undefined {
    return this.#hasSpoken ? (this.#fields as Result) : undefined;
  }

  take(result: Readonly<Record<string, unknown>>): boolean {
    const cancels = flag(result, "cancel");
    const cancelReason = text(result, "cancelReason");
    const given = Object.entries(this.#read(result)).filter(([, value]) => value !== undefined);
    const refusal = cancels ? { cancel: true, ...(cancelReason === undefined ? {} : { cancelReason }) } : {};
    this.#fields = { ...this.#fields, ...Object.fromEntries(given), ...refusal };
    this.#hasSpoken = Object.keys(this.#fields).length > 0;
    return cancels;
  }

  shown(original: HookEventData): HookEventData {
    const { cancel: _, cancelReason: __, ...rewritten } = this.#fields;
    return { ...original, ...rewritten };
  }
}

export const messageMerge = (): Merge<MessageSendingResult> =>
  new RewritingMerge((result) => ({ content: text(result, "content"), metadata: object(result, "metadata") }));

export const payloadMerge = (): Merge<ReplyPayloadResult> =>
  new RewritingMerge((result) => ({ payload: object(result, "payload") }));

function object(result: Readonly<Record<string, unknown>>, key: string): unknown {
  const value = result[key];
  if (value === undefined) return undefined;
  if (!isObject(value)) throw new MalformedResult(`${key} must be an object`);
  return isolatedCopy(value, key);
}
