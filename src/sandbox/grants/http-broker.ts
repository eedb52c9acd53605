import type { HostsGrant } from "../../grants.ts";
import { type Resolver, systemResolver } from "../../net/dns-lookup.ts";
import { LookupQueue } from "../../net/lookup-queue.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { HttpCall, type RunningRequests } from "./http-call.ts";
import { HttpGate } from "./http-gate.ts";

/** Maximum number of grants whose connections are kept, because rules come and go in a long session. */
const MAX_GATES = 64;

/**
 * Sends the requests of guards, outside of their threads. Sends only what a grant allows, and uses no proxies or
 * credentials from the environment.
 */
export class HttpBroker {
  /** The queue for name lookups. All guards share it, because name lookups use a common pool of threads. */
  readonly #names: LookupQueue;
  readonly #gates = new Map<HostsGrant, HttpGate>();
  readonly #running: RunningRequests = { requests: new Set(), isClosed: false };

  constructor({ resolve = systemResolver }: { readonly resolve?: Resolver } = {}) {
    this.#names = new LookupQueue(resolve);
  }

  /** Begins a call of a guard. When the signal fires, requests end immediately, and no further ones are sent. */
  serve(grant: HostsGrant, signal: StopSignal): HttpCall {
    if (this.#running.isClosed) throw new Error("the engine is closed");
    return new HttpCall({ grant, gate: this.#gate(grant), signal, running: this.#running });
  }

  /** Ends all requests and connections. */
  async close(): Promise<void> {
    this.#running.isClosed = true;
    for (const request of this.#running.requests) request.destroy();
    await Promise.all([...this.#gates.values()].map((gate) => gate.close()));
  }

  #gate(grant: HostsGrant): HttpGate {
    let gate = this.#gates.get(grant);
    if (gate !== undefined) return gate;
    const [oldest] = this.#gates;
    if (this.#gates.size >= MAX_GATES && oldest !== undefined) {
      this.#gates.delete(oldest[0]);
      void oldest[1].dropIdle();
    }
    gate = new HttpGate(grant, this.#names);
    this.#gates.set(grant, gate);
    return gate;
  }
}
