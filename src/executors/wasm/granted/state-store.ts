import type { StateValues } from "../guest/protocol.ts";

/** Whose variables: of one rule in one session. */
export interface StateScope {
  readonly sessionId: string;
  /** The same for the same rule in every process that has its configuration. */
  readonly rule: string;
}

/** Where variables are kept. In memory by default; a store that several processes share has the same two functions. */
export interface StateStore {
  load(scope: StateScope): StateValues | Promise<StateValues>;
  /** `null` removes. Called for one call of a scope at a time. */
  save(scope: StateScope, changes: readonly (readonly [key: string, value: Uint8Array | null])[]): void | Promise<void>;
}
