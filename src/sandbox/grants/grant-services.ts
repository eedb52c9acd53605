import type { Grants } from "../../grants.ts";
import type { Failure } from "../../outcome.ts";
import type { StateValues } from "../../state/state-store.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { Effects } from "../guest/protocol.ts";
import type { ServeAsk } from "../pool/guest-pool.ts";
import type { HttpBroker } from "./http-broker.ts";
import type { HttpCall } from "./http-call.ts";
import { type LockedState, SessionState, type SessionStateOptions } from "./session-state.ts";
import type { StateOwner } from "./state-scopes.ts";

/** The engine's work for one call of a guard with grants. */
export interface GrantedCall {
  readonly state?: StateValues;
  readonly serve?: ServeAsk;
  /** Number of requests that `serve` has begun. `undefined` if the rule grants no hosts. */
  readonly requests?: number | undefined;
  /**
   * Applies the changes of an answer that came in time. Resolves to a failure if the changes cannot be applied. Files
   * are written before state, so that state never reports a file that was not written.
   */
  commit(effects: Effects): Promise<Failure | undefined>;
  /** Ends the call. Must be called exactly once, even after a failed call. */
  leave(): void;
}

export interface GrantServicesOptions extends SessionStateOptions {
  /** Folder of variables for other processes, unless `store` is set. A function is called when the folder is needed. */
  readonly stateFolder?: string | (() => string) | undefined;
}

/** Carries out, outside of the guards' threads, what their grants allow. */
export class GrantServices {
  readonly #state: SessionState;
  /** The HTTP broker, loaded for the first rule that grants hosts. */
  #http: Promise<HttpBroker> | undefined;

  private constructor(state: SessionState) {
    this.#state = state;
  }

  static async open({ stateFolder, ...options }: GrantServicesOptions): Promise<GrantServices> {
    if (stateFolder === undefined || options.store !== undefined) return new GrantServices(new SessionState(options));
    const { DiskStateStore } = await import("../../state/locked-state-store.ts");
    return new GrantServices(new SessionState({ ...options, store: new DiskStateStore(stateFolder) }));
  }

  /** Begins a call. Rejects if the signal fires while the call waits for the mutex of its variables. */
  async enter(grants: Grants, owner: StateOwner, signal: StopSignal): Promise<GrantedCall | Failure> {
    const http = grants.hosts === undefined ? undefined : (await this.#broker()).serve(grants.hosts, signal);
    if (grants.state === undefined) return callOf(grants, signal, { http });
    const locked = await this.#state.enter(owner, grants.state, signal);
    return "kind" in locked ? locked : callOf(grants, signal, { http, locked });
  }

  /** Removes the variables of the session with this id. */
  sessionEnded(session: string): void {
    this.#state.sessionEnded(session);
  }

  #broker(): Promise<HttpBroker> {
    this.#http ??= import("./http-broker.ts").then(({ HttpBroker }) => new HttpBroker());
    return this.#http;
  }

  /** Ends all requests and connections. Resolves when the store has finished its work. */
  async close(): Promise<void> {
    await (await this.#http)?.close();
    await this.#state.settled();
  }
}

function callOf(
  grants: Grants,
  signal: StopSignal,
  { http, locked }: { readonly http: HttpCall | undefined; readonly locked?: LockedState },
): GrantedCall {
  return {
    ...(locked === undefined ? {} : { state: locked.values }),
    ...(http === undefined ? {} : { serve: http.serve }),
    get requests() {
      return http?.sent;
    },
    commit: async ({ files, state }) => {
      const failure = files === undefined ? undefined : await writeFiles(grants, files, signal);
      return failure ?? (state === undefined ? undefined : locked?.save(state));
    },
    leave: () => locked?.end(),
  };
}

async function writeFiles(
  { paths = [] }: Grants,
  files: NonNullable<Effects["files"]>,
  signal: StopSignal,
): Promise<Failure | undefined> {
  const { commitFiles } = await import("./file-writes.ts");
  return commitFiles(paths, files, { signal });
}
