import type { HookEvent } from "../../../event.ts";
import type { Failure } from "../../../outcome.ts";
import type { Grants } from "../../../rule.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { Effects, StateValues } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { ServeAsk } from "../pool/guest-pool.ts";
import type { HttpBroker } from "./http-broker.ts";
import type { HttpCall } from "./http-call.ts";
import { SessionState, type SessionStateOptions, type StateTurn } from "./session-state.ts";

/** What the engine's own side does for one call of a guard that was granted something. */
export interface GrantedCall {
  readonly state?: StateValues;
  readonly serve?: ServeAsk;
  /** Requests that `serve` has begun so far; `undefined` where the rule grants no host. */
  readonly requests?: number | undefined;
  /**
   * Does what an answer in time wants changed; a failure where that cannot be done. Files first: a guard that remembers
   * having written one has written it.
   */
  commit(effects: Effects): Promise<Failure | undefined>;
  /** Once, whatever became of the call. */
  leave(): void;
}

export interface GrantedSideOptions extends SessionStateOptions {
  /** Where variables are kept for other processes, unless there is a `store`; a function is called when it is needed. */
  readonly stateFolder?: string | (() => string) | undefined;
}

/** Does for guards, outside of their threads, what their grants allow. */
export class GrantedSide {
  readonly #state: SessionState;
  /** Loaded for the first rule that grants a host. */
  #http: Promise<HttpBroker> | undefined;

  private constructor(state: SessionState) {
    this.#state = state;
  }

  static async open({ stateFolder, ...options }: GrantedSideOptions): Promise<GrantedSide> {
    if (stateFolder === undefined || options.store !== undefined) return new GrantedSide(new SessionState(options));
    const { DiskStateStore } = await import("./disk-state-store.ts");
    return new GrantedSide(new SessionState({ ...options, store: new DiskStateStore(stateFolder) }));
  }

  /** Rejects when the signal fires while the call waits for its turn. */
  async enter(rule: WasmRule, event: HookEvent, signal: StopSignal): Promise<GrantedCall | Failure> {
    const { grants = {} } = rule.handler;
    const http = grants.hosts === undefined ? undefined : (await this.#broker()).serve(grants.hosts, signal);
    if (grants.state === undefined) return callOf(grants, signal, { http });
    const turn = await this.#state.enter(rule, event, signal);
    return "kind" in turn ? turn : callOf(grants, signal, { http, turn });
  }

  /** What guards have kept in the event's session is forgotten. */
  sessionEnded(event: HookEvent): void {
    this.#state.sessionEnded(event);
  }

  #broker(): Promise<HttpBroker> {
    this.#http ??= import("./http-broker.ts").then(({ HttpBroker }) => new HttpBroker());
    return this.#http;
  }

  /** Ends every request and connection. Resolves when the store has done what it was asked for. */
  async close(): Promise<void> {
    await (await this.#http)?.close();
    await this.#state.settled();
  }
}

function callOf(
  grants: Grants,
  signal: StopSignal,
  { http, turn }: { readonly http: HttpCall | undefined; readonly turn?: StateTurn },
): GrantedCall {
  return {
    ...(turn === undefined ? {} : { state: turn.values }),
    ...(http === undefined ? {} : { serve: http.serve }),
    get requests() {
      return http?.sent;
    },
    commit: async ({ files, state }) => {
      const failure = files === undefined ? undefined : await writeFiles(grants, files, signal);
      return failure ?? (state === undefined ? undefined : turn?.save(state));
    },
    leave: () => turn?.end(),
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
