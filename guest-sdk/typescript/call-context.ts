import { addCapabilities, type CapabilitiesOf, type Grant } from "./capabilities/capabilities.ts";
import type { ConfigOf, ConfigSchema } from "./config-schema.ts";
import type { Host } from "./host.ts";
import { type Log, log } from "./log.ts";
import type { ReadConfig } from "./validate-config.ts";

/** The second argument of `handle`: these members, and one member for each grant in `wants`. */
export type CallContext<Schema extends ConfigSchema = ConfigSchema, Want extends Grant = Grant> = {
  /**
   * The rule's `config`, checked against the schema, with defaults. `config` is read and checked at the first access.
   */
  readonly config: ConfigOf<Schema>;
  readonly log: Log;
} & CapabilitiesOf<Want>;

/** A context whose members are getters on the prototype, because most calls end before they use any member. */
interface LazyContext {
  readonly config: Readonly<Record<string, unknown>>;
  readonly log: Log;
}

/** Returns a function that creates the context of one call. */
export function contextMaker(host: Host, read: ReadConfig, wants: readonly Grant[]): () => LazyContext {
  class Context implements LazyContext {
    #config: Readonly<Record<string, unknown>> | undefined;

    get config(): Readonly<Record<string, unknown>> {
      this.#config ??= read(host.config);
      return this.#config;
    }

    get log(): Log {
      return log;
    }
  }
  addCapabilities(Context.prototype, host, wants);
  return () => new Context();
}
