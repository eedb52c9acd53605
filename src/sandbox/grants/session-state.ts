import { describeThrown, HookError } from "../../errors.ts";
import type { StateGrant } from "../../grants.ts";
import type { Failure } from "../../outcome.ts";
import { MemoryStateStore } from "../../state/memory-state-store.ts";
import type { StateChange, StateStore, StateValues } from "../../state/state-store.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { cleanLine } from "../../text.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { excessOf } from "./state-limits.ts";
import { type StateOwner, StateScopes } from "./state-scopes.ts";
import { StoreOperations } from "./store-operations.ts";

/** How long closing an engine waits for its store. */
const CLOSE_WAIT_MS = 2_500;

const NO_SESSION: Failure = {
  kind: "unavailable",
  message:
    "the rule grants state, but the event has no session_id: the guard's variables would be lost when this process " +
    'ends; send a session_id, or use "hookbox run --lines" or an engine in a program, which keep them between events',
};

/** One call's exclusive access to the variables of its rule and session. */
export interface LockedState {
  readonly values: StateValues;
  /** Resolves to a failure if the changes may not have been saved. */
  save(changes: readonly StateChange[]): Promise<Failure | undefined>;
  /** Ends the access. Must be called exactly once, even after a failed call. */
  end(): void;
}

export interface SessionStateOptions {
  /** The store. Default: in memory. */
  readonly store?: StateStore | undefined;
  /** Whether events without a session fail. Set in a process that ends after one event. Default: `false`. */
  readonly needsSession?: boolean | undefined;
  /** Maximum number of calls that wait for a mutex. Default: 256. */
  readonly maxWaiting?: number | undefined;
}

/**
 * The variables of guards, by rule and session. Calls of one scope run one after the other, and each call sees the
 * changes of the previous call. Therefore a guard that counts does not lose a change.
 */
export class SessionState {
  readonly #store: StateStore;
  /** Variables of events without a session, which cannot be shared with other processes. */
  readonly #memory = new MemoryStateStore();
  readonly #needsSession: boolean;
  readonly #scopes = new StateScopes();
  readonly #mutex: KeyedMutex;
  /** Number of running and waiting calls of each session. */
  readonly #calls = new Map<string, number>();
  /** Sessions that have ended but still have running or waiting calls. */
  readonly #ended = new Set<string>();
  /** Work of stores that no call waits for. */
  readonly #underWay = new Set<Promise<unknown>>();

  constructor({ store, needsSession = false, maxWaiting = 256 }: SessionStateOptions = {}) {
    this.#store = store ?? this.#memory;
    this.#needsSession = needsSession;
    this.#mutex = new KeyedMutex(maxWaiting);
  }

  /**
   * Waits for exclusive access and loads the variables. Rejects if the signal fires during the wait, or if too many
   * calls wait. Resolves to a failure if the store fails.
   */
  async enter(owner: StateOwner, grant: StateGrant, signal: StopSignal): Promise<LockedState | Failure> {
    const isNameless = owner.session === "";
    if (isNameless && this.#needsSession) return NO_SESSION;
    const scope = this.#scopes.of(owner);
    const key = `${scope.session} ${scope.rule}`;
    this.#calls.set(scope.session, (this.#calls.get(scope.session) ?? 0) + 1);
    try {
      await this.#mutex.take(key, signal);
    } catch (error) {
      this.#leave(scope.session);
      throw error;
    }
    const operations = new StoreOperations(isNameless ? this.#memory : this.#store, scope, signal);
    const end = (): void =>
      this.#track(
        new Promise<void>((resolve) => {
          operations.end(() => {
            this.#mutex.end(key);
            this.#leave(scope.session);
            resolve();
          });
        }),
      );
    try {
      const values = await operations.load();
      return {
        values,
        save: async (changes) => excessOf(values, changes, grant) ?? (await save(operations, changes, signal)),
        end,
      };
    } catch (error) {
      end();
      return failureOf("the guard's variables could not be loaded", error, signal);
    }
  }

  /** Removes the session's variables after all of its running and waiting calls have ended. */
  sessionEnded(id: string): void {
    const session = this.#scopes.sessionOf(id);
    if (this.#calls.has(session)) this.#ended.add(session);
    else this.#forget(session);
  }

  #leave(session: string): void {
    const left = (this.#calls.get(session) ?? 1) - 1;
    if (left > 0) {
      this.#calls.set(session, left);
      return;
    }
    this.#calls.delete(session);
    if (this.#ended.delete(session)) this.#forget(session);
  }

  /** Removes a session's variables. Ignores errors, because the store then only keeps more than necessary. */
  #forget(session: string): void {
    this.#memory.forget(session);
    this.#track((async () => this.#store.forget?.(session))().catch(() => {}));
  }

  #track(work: Promise<unknown>): void {
    this.#underWay.add(work);
    void work.then(() => this.#underWay.delete(work));
  }

  /** Resolves when the store has finished its work for ended calls. */
  async settled(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    // The wait is limited, because a store that never settles must not prevent the engine from closing.
    const waited = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_WAIT_MS);
    });
    await Promise.race([Promise.all(this.#underWay), waited]);
    clearTimeout(timer);
  }
}

async function save(
  operations: StoreOperations,
  changes: readonly StateChange[],
  signal: StopSignal,
): Promise<Failure | undefined> {
  try {
    await operations.save(changes);
    return undefined;
  } catch (error) {
    return failureOf("the guard has answered, but its variables could not be saved", error, signal);
  }
}

function failureOf(what: string, error: unknown, signal: StopSignal): Failure {
  const failure: Failure = { kind: "unavailable", message: cleanLine(`${what}: ${describeThrown(error)}`) };
  // An error of the store outranks the signal's reason, because the error is the cause even after a timeout.
  if (error instanceof HookError) return { ...failure, code: error.code };
  return signal.aborted ? (signal.reason as Failure) : failure;
}
