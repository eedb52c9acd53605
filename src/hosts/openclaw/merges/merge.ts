import type { HookEventData } from "../plugin-entry.ts";

/** Merges the results of one hook's handlers into one result. */
export interface Merge<Result extends object = object> {
  /** Takes the next result. Returns whether later handlers are skipped. Throws `MalformedResult`. */
  take(result: Readonly<Record<string, unknown>>, pluginId: string): boolean;
  /** Takes the result of the engine's rules, which are asked last and outrank the plugins. Default: `take`. */
  takeLast?(result: Readonly<Record<string, unknown>>, pluginId: string): boolean;
  /** The merged result. `undefined`: no handler returned a result. */
  readonly result: Result | undefined;
  /** Returns the event for the next handler. Default: the original event. */
  shown?(original: HookEventData): HookEventData;
  /** Whether a result that is not an object is passed to `take`. */
  readonly takesAnything?: true;
}

/** Thrown for a handler's result that cannot be read. This is a failure, because the result may have been a refusal. */
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
