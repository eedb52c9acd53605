import type { HookEvent } from "../../../event.ts";
import type { Failure } from "../../../outcome.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { Effects, StateValues } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { ServeAsk } from "../pool/guest-pool.ts";
import type { HttpBroker } from "./http-broker.ts";

/** What the engine's own side does for one call of a guard that was granted something. */
export interface GrantedCall {
  readonly state?: StateValues;
  readonly serve?: ServeAsk;
  /** Requests that `serve` has sent out so far; `undefined` where the rule grants no host. */
  readonly requests?: number | undefined;
  /** Does what an answer in time wants changed; a failure where that cannot be done. */
  commit(effects: Effects): Promise<Failure | undefined>;
  /** Whatever became of the call. */
  leave(): void;
}

/** Does for guards, outside of their threads, what their grants allow. */
export class GrantedSide {
  /** Loaded for the first rule that grants a host. */
  #http: Promise<HttpBroker> | undefined;

  /** Rejects when the signal fires while the call waits for its turn. */
  async enter(rule: WasmRule, _event: HookEvent, signal: StopSignal): Promise<GrantedCall> {
    const { hosts } = rule.handler.grants ?? {};
    const http = hosts === undefined ? undefined : (await this.#broker()).serve(hosts, signal);
    return {
      ...(http === undefined ? {} : { serve: http.serve }),
      get requests() {
        return http?.sent;
      },
      commit: () => Promise.resolve(undefined),
      leave: () => {},
    };
  }

  #broker(): Promise<HttpBroker> {
    this.#http ??= import("./http-broker.ts").then(({ HttpBroker }) => new HttpBroker());
    return this.#http;
  }

  async close(): Promise<void> {
    await (await this.#http)?.close();
  }
}
