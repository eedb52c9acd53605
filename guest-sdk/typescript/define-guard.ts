import type { CallContext } from "./call-context.ts";
import { GRANTS, type Grant } from "./capabilities/capabilities.ts";
import type { ConfigSchema } from "./config-schema.ts";
import type { EventName, EventPayloads } from "./events.ts";
import { nameValue } from "./name-value.ts";
import { didYouMean } from "./near-name.ts";
import type { Reply } from "./replies.ts";
import { isEventName, REPLIES, type ReplyFieldAt, type ReplyKindAt } from "./reply-table.ts";
import { compileConfig, type ReadConfig } from "./validate-config.ts";

/** What `handle` may return for these events. Returning nothing means no opinion. */
export type Answer<Name extends EventName = EventName> =
  | Reply<ReplyKindAt<Name>, ReplyFieldAt<Name>>
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns on one path only is the common case
  | void;

/** Limits that the author suggests. Limits in the rule override them. */
export interface Limits {
  /** Fuel in units of the cost model. */
  readonly fuel?: number;
  readonly fuelPerInputByte?: number;
  /** The depth of nested calls. */
  readonly depth?: number;
  readonly memoryMiB?: number;
  readonly outputBytes?: number;
  readonly timeoutMs?: number;
}

export interface GuardDefinition<
  Name extends EventName = EventName,
  Schema extends ConfigSchema = ConfigSchema,
  Want extends Grant = Grant,
> {
  /** The name: 1 to 100 characters. */
  readonly name: string;
  /** The version: 1 to 100 characters, e.g. `1.0.0`. */
  readonly version: string;
  /** The description: at most 1000 characters. */
  readonly description?: string;
  /** Events that the guard judges. For all other events the guard has no opinion, and `handle` is not called. */
  readonly events: readonly Name[];
  /** JSON schema of the rule's `config`. */
  readonly config?: Schema;
  /**
   * Grants that the guard needs. Each grant adds a member to the context: `state`, `hosts` (`http`), `paths` (`files`),
   * `clock`, `random`. Default: none.
   */
  readonly wants?: readonly Want[];
  readonly limits?: Limits;
  /** Judges one event. If `handle` throws, the call fails, and a gate denies the action. */
  handle(event: EventPayloads[Name], context: CallContext<Schema, Want>): Answer<Name> | Promise<Answer<Name>>;
}

/** A checked definition, made by `defineGuard` and used by the build. */
export class Guard {
  readonly definition: GuardDefinition;
  readonly readConfig: ReadConfig;

  constructor(definition: GuardDefinition, readConfig: ReadConfig) {
    this.definition = definition;
    this.readConfig = readConfig;
    Object.freeze(this);
  }
}

/**
 * Defines a guard, for `export default`.
 *
 * @throws TypeError, while the guard is built, for an invalid definition
 */
export function defineGuard<
  const Name extends EventName,
  const Schema extends ConfigSchema = { readonly type: "object" },
  const Want extends Grant = never,
>(definition: GuardDefinition<Name, Schema, Want>): Guard {
  // The definition is checked although types exist, because some authors have no compiler and bundlers ignore types.
  const { name, version, description, events, config, wants, limits, handle, ...unknown } = requireObject(definition);
  // A misspelt field is reported first, and not the field that is missing because of the misspelling.
  const [stray] = Object.keys(unknown);
  if (stray !== undefined) throw wrong(`${stray}: there is no such field${didYouMean(stray, FIELDS)}`);
  requireText("name", name, 100);
  requireText("version", version, 100);
  if (description !== undefined) requireText("description", description, 1_000);
  requireEvents(events);
  requireWants(wants);
  requireLimits(limits);
  if (typeof handle !== "function") throw wrong(`handle: expected a function, got ${nameValue(handle)}`);
  return new Guard(definition as unknown as GuardDefinition, readSchema(config));
}

const FIELDS = ["name", "version", "description", "events", "config", "wants", "limits", "handle"];

function readSchema(config: ConfigSchema | undefined): ReadConfig {
  try {
    return compileConfig(config);
  } catch (error) {
    throw error instanceof TypeError ? wrong(error.message) : error;
  }
}

function requireObject(value: unknown): Record<keyof GuardDefinition, unknown> & { config?: ConfigSchema } {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as never;
  throw wrong(`expected an object, got ${nameValue(value)}`);
}

function requireText(field: string, value: unknown, most: number): void {
  if (typeof value !== "string") throw wrong(`${field}: expected a string, got ${nameValue(value)}`);
  if (value === "") throw wrong(`${field}: must not be empty`);
  if (value.length > most) throw wrong(`${field}: at most ${most} characters, not ${value.length}`);
}

function requireEvents(events: unknown): void {
  if (!Array.isArray(events)) throw wrong(`events: expected a list of event names, got ${nameValue(events)}`);
  if (events.length === 0) throw wrong("events: a guard without events would never be asked");
  for (const event of events) {
    if (!isEventName(event))
      throw wrong(`events: there is no event ${JSON.stringify(event)}${didYouMean(event, Object.keys(REPLIES))}`);
  }
  if (new Set(events).size < events.length) throw wrong("events: a name is listed twice");
}

function requireWants(wants: unknown): void {
  if (wants === undefined) return;
  if (!Array.isArray(wants)) throw wrong(`wants: expected a list of grants, got ${nameValue(wants)}`);
  for (const want of wants) {
    if (GRANTS.includes(want)) continue;
    if (want === "wasi") throw wrong('wants: a guard in TypeScript cannot use "wasi"');
    // Members of the context whose names differ from the grant's name.
    const meant = { http: '; did you mean "hosts"?', files: '; did you mean "paths"?' }[String(want)];
    throw wrong(`wants: there is no grant ${JSON.stringify(want)}${meant ?? didYouMean(want, GRANTS)}`);
  }
  if (new Set(wants).size < wants.length) throw wrong("wants: a grant is listed twice");
}

const LEAST_LIMITS: Readonly<Record<keyof Limits, { readonly least: number; readonly whole: boolean }>> = {
  fuel: { least: 1, whole: true },
  fuelPerInputByte: { least: 0, whole: true },
  depth: { least: 1, whole: true },
  memoryMiB: { least: Number.MIN_VALUE, whole: false },
  outputBytes: { least: 1, whole: true },
  timeoutMs: { least: 1, whole: true },
};

function requireLimits(limits: unknown): void {
  if (limits === undefined) return;
  if (typeof limits !== "object" || limits === null || Array.isArray(limits)) {
    throw wrong(`limits: expected an object, got ${nameValue(limits)}`);
  }
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(LEAST_LIMITS, name)) {
      throw wrong(`limits.${name}: there is no such limit${didYouMean(name, Object.keys(LEAST_LIMITS))}`);
    }
    const { least, whole } = LEAST_LIMITS[name as keyof Limits];
    if (Number.isFinite(value) && value >= least && (!whole || Number.isSafeInteger(value))) continue;
    throw wrong(`limits.${name}: expected a ${whole ? "whole " : ""}number ${least === 0 ? "from" : "above"} 0`);
  }
}

function wrong(message: string): TypeError {
  return new TypeError(`defineGuard: ${message}`);
}
