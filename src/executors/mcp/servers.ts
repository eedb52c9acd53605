import type { McpServer } from "../../rule.ts";
import type { Sdk } from "./http-transport.ts";
import type { McpLimits } from "./limits.ts";
import { SharedServer } from "./shared-server.ts";

/** The MCP servers of an engine. Rules with the same settings share a server. */
export class Servers {
  readonly #limits: McpLimits;
  readonly #sdk: Sdk;
  readonly #servers = new Map<string, SharedServer>();

  constructor(sdk: Sdk, limits: McpLimits) {
    this.#sdk = sdk;
    this.#limits = limits;
  }

  /** Returns a rule's server. Rules of different trust share none, so that no rule breaks a more trusted rule's. */
  find(server: McpServer, inherit: "listed" | "most", trust: number): SharedServer {
    const key = JSON.stringify([server, inherit, trust]);
    let shared = this.#servers.get(key);
    if (shared === undefined) {
      shared = new SharedServer({ server, inherit, limits: this.#limits, sdk: this.#sdk });
      this.#servers.set(key, shared);
    }
    return shared;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }
}
