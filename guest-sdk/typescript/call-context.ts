import type { ConfigOf, ConfigSchema } from "./config-schema.ts";
import type { Grant } from "./define-guard.ts";
import type { Host } from "./host.ts";
import { type Log, log } from "./log.ts";
import { nameValue } from "./name-value.ts";
import type { ReadConfig } from "./validate-config.ts";

/** Texts that outlive a call, for guards that want `state` and whose rule grants it. */
export interface State {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
}

/** What `handle` is given beside the event. */
export type CallContext<Schema extends ConfigSchema = ConfigSchema, Want extends Grant = Grant> = {
  /** The rule's `config`, checked against the schema, with defaults. Read and checked at the first access. */
  readonly config: ConfigOf<Schema>;
  readonly log: Log;
} & ([Want] extends [never] ? unknown : { readonly state: State });

/** Makes the context of one call. `config` is a getter, since most calls end before they need it. */
export class LazyContext {
  readonly #host: Host;
  readonly #read: ReadConfig;
  #config: Readonly<Record<string, unknown>> | undefined;

  constructor(host: Host, read: ReadConfig) {
    this.#host = host;
    this.#read = read;
  }

  get config(): Readonly<Record<string, unknown>> {
    this.#config ??= this.#read(this.#host.config);
    return this.#config;
  }

  get log(): Log {
    return log;
  }
}

export class LazyContextWithState extends LazyContext {
  readonly state: State;

  constructor(host: Host, read: ReadConfig, state: State) {
    super(host, read);
    this.state = state;
  }
}

export function makeState(host: Host): State {
  const { getVar, setVar } = host;
  if (getVar === undefined || setVar === undefined) {
    throw new TypeError("the guard wants state, and this engine has none");
  }
  return Object.freeze({
    get: (key: string) => getVar(text("key", key)),
    set: (key: string, value: string) => setVar(text("key", key), text("value", value)),
    delete: (key: string) => setVar(text("key", key), undefined),
  });
}

function text(what: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`state: the ${what} must be a string, got ${nameValue(value)}`);
}
