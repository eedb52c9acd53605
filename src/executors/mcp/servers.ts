import type { McpServer } from "../../rule.ts";
import type { Sdk } from "./http-transport.ts";
import type { McpLimits } from "./limits.ts";
import { SharedServer } from "./shared-server.ts";
import type { StdioTransport } from "./stdio-transport.ts";

/** All servers of an engine, one for all rules that mean the same. */
export class Servers {
  readonly #limits: McpLimits;
  readonly #sdk: Sdk;
  readonly #servers = new Map<string, SharedServer>();
  readonly #processes = new Set<StdioTransport>();
  readonly #onExit = (): void => {
    for (const one of this.#processes) one.kill();
  };

  constructor(sdk: Sdk, limits: McpLimits) {
    this.#sdk = sdk;
    this.#limits = limits;
    // An idle server does not hold our own process, and must not outlive it either.
    process.once("exit", this.#onExit);
  }

  find(server: McpServer, inherit: "listed" | "most"): SharedServer {
    const key = JSON.stringify([server, inherit]);
    let shared = this.#servers.get(key);
    if (shared === undefined) {
      const common = { limits: this.#limits, sdk: this.#sdk, processes: this.#processes };
      shared = new SharedServer({ ...common, server, inherit });
      this.#servers.set(key, shared);
    }
    return shared;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    process.removeListener("exit", this.#onExit);
  }
}
