import type { HookEventData } from "../plugin-entry.ts";

/** How the results of one hook's handlers become one. */
export interface Merge<Result extends object = object> {
  /** Takes the next result, and says whether it ends the row. Throws `MalformedResult`. */
  take(result: Readonly<Record<string, unknown>>, pluginId: string): boolean;
  /** Of whoever is asked last and outranks the others, where that is read in another way. */
  takeLast?(result: Readonly<Record<string, unknown>>, pluginId: string): boolean;
  /** `undefined`: nobody has said anything. */
  readonly result: Result | undefined;
  /** What the next handler is shown, where that is not the original. */
  shown?(original: HookEventData): HookEventData;
  /** Whether a result that is no object is to be taken as well. */
  readonly takesAnything?: true;
}

/** A handler has said something that cannot be read. That is a failure: it may have been a "no". */
export class MalformedResult extends Error {}

export function flag(result: Readonly<Record<string, unknown>>, key: string): boolean {
  const value = result[key];
  if (value === undefined || typeof value === "boolean") return value === true;
  throw new MalformedResult(`${key} must be true or false`);
}

export function text(result: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = result[key];
  if (value === undefined || typeof value === "string") return value;
  throw new MalformedResult(`${key} must be a string`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
