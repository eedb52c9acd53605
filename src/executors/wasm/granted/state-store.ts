import type { Layer } from "../../../rule.ts";
import type { StateValues } from "../guest/protocol.ts";

/** Whose variables: of one rule in one session. */
export interface StateScope {
  /**
   * How far the rule's file is trusted. A store that removes values to make room must not remove those of one layer for
   * those of another: the rules of a repository could make guards of the user forget.
   */
  readonly layer: Layer;
  /** A digest of the event's `session_id`, which may be any text. */
  readonly session: string;
  /** A digest of the rule as it is configured: the same for the same rule in every process. */
  readonly rule: string;
}

/** What a call of the store may know of the call of the guard that it is for. */
export interface StoreCall {
  /** Fires at the guard's deadline, and when the caller gives up. Nobody waits for the store any more then. */
  readonly signal: AbortSignal;
}

/** One variable, and what it is to be; `null` removes it. */
export type StateChange = readonly [key: string, value: Uint8Array | null];

/**
 * Where guards' variables are kept: in memory by default. Events without a session are kept in memory in any case: no other
 * process can know which session they are of. An engine makes one call of a scope at a time, from `load` to
 * `release`. A store that several processes share can hold a scope for that long, so that no two of them change it at
 * once. Whatever throws, rejects or takes longer than the guard's deadline fails the call.
 */
export interface StateStore {
  /** What the guard has kept; an empty map for nothing. */
  load(scope: StateScope, call: StoreCall): StateValues | Promise<StateValues>;
  /** All of the changes or none. Called at most once after a `load`, when the guard has answered in time. */
  save(scope: StateScope, changes: readonly StateChange[], call: StoreCall): void | Promise<void>;
  /** After each `load` that has resolved, whether anything was saved or not. */
  release?(scope: StateScope): void | Promise<void>;
  /** The session has ended, and all of its calls. */
  forget?(session: string): void | Promise<void>;
}
