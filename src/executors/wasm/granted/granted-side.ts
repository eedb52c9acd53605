import type { HookEvent } from "../../../event.ts";
import type { Failure } from "../../../outcome.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import type { Effects, StateValues } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { ServeAsk } from "../pool/guest-pool.ts";

/** What the engine's own side does for one call of a guard that was granted something. */
export interface GrantedCall {
  readonly state?: StateValues;
  readonly serve?: ServeAsk;
  /** Does what an answer in time wants changed; a failure where that cannot be done. */
  commit(effects: Effects): Promise<Failure | undefined>;
  /** Whatever became of the call. */
  leave(): void;
}

/** Does for guards, outside of their threads, what their grants allow. */
export class GrantedSide {
  /** Rejects when the signal fires while the call waits for its turn. */
  enter({ handler: { grants } }: WasmRule, _event: HookEvent, _signal: StopSignal): Promise<GrantedCall> {
    return Promise.resolve({
      commit: async ({ files }) => {
        if (files === undefined) return undefined;
        const { commitFiles } = await import("./file-writes.ts");
        return commitFiles(grants?.paths ?? [], files);
      },
      leave: () => {},
    });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
