import type { Layer } from "../layer-trust.ts";

/** Variables by key. A value may be any bytes. */
export type StateValues = ReadonlyMap<string, Uint8Array>;

/** Identifies the variables of one rule in one session. */
export interface StateScope {
  /**
   * The rule's layer. A store that removes values to free space must not remove values of one layer for another.
   * Otherwise rules of a repository could make the user's guards lose their variables.
   */
  readonly layer: Layer;
  /** A digest of the event's `session_id`, which may be any text. */
  readonly session: string;
  /** A digest of the rule's configuration, which is the same in every process. */
  readonly rule: string;
}

/** What the store gets to know about the guard's call. */
export interface StoreCall {
  /**
   * Fires at the guard's timeout, and when the caller cancels the call. The caller no longer waits for the store then.
   */
  readonly signal: AbortSignal;
}

/** A variable and its new value. `null` removes the variable. */
export type StateChange = readonly [key: string, value: Uint8Array | null];

/**
 * Stores guards' variables. The default store is in memory. Variables of events without a session are always in memory,
 * because other processes cannot know to which session they belong. An engine makes one call of a scope at a time, from
 * `load` to `release`. A store that several processes share can lock the scope for that time, so that two processes do
 * not change it at once. If a method throws, rejects or takes longer than the guard's timeout, the call fails.
 */
export interface StateStore {
  /** Returns the guard's variables. An empty map if there are none. */
  load(scope: StateScope, call: StoreCall): StateValues | Promise<StateValues>;
  /** Saves all changes or none. Called at most once after a `load`, if the guard has answered in time. */
  save(scope: StateScope, changes: readonly StateChange[], call: StoreCall): void | Promise<void>;
  /** Called after each `load` that resolved, even if no changes were saved. */
  release?(scope: StateScope): void | Promise<void>;
  /** Removes the variables of a session. Called when the session and all of its calls have ended. */
  forget?(session: string): void | Promise<void>;
}
