import { describeThrown } from "../../../errors.ts";
import type { HookEvent } from "../../../event.ts";
import type { Failure } from "../../../outcome.ts";
import type { StateGrant } from "../../../rule.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { cleanLine } from "../../../text.ts";
import type { StateValues } from "../guest/protocol.ts";
import type { WasmRule } from "../modules/module-store.ts";
import { MemoryStateStore } from "./memory-state-store.ts";
import { excessOf } from "./state-caps.ts";
import { StateScopes } from "./state-scopes.ts";
import type { StateChange, StateStore } from "./state-store.ts";
import { StoreTurn } from "./store-turn.ts";
import { Turns } from "./turns.ts";

const NOTHING: StateGrant = { maxKeys: 0, maxBytes: 0 };

/** One call's turn at the variables of its rule and session. */
export interface StateTurn {
  readonly values: StateValues;
  /** Resolves to why nothing is known to have been saved, if it is not. */
  save(changes: readonly StateChange[]): Promise<Failure | undefined>;
  /** Once, whatever became of the call. */
  end(): void;
}

export interface SessionStateOptions {
  /** Default: in memory. */
  readonly store?: StateStore | undefined;
  /** Most calls that may wait for their turn. Default 256. */
  readonly maxWaiting?: number | undefined;
}

/**
 * The variables of guards, by rule and session. Calls of one scope take turns, so that a guard that counts does not
 * lose count: each sees what the one before it has left.
 */
export class SessionState {
  readonly #store: StateStore;
  readonly #scopes = new StateScopes();
  readonly #turns: Turns;
  /** Calls of each session that have begun or wait. */
  readonly #calls = new Map<string, number>();
  /** Sessions that are over but for such calls. */
  readonly #ended = new Set<string>();

  constructor({ store = new MemoryStateStore(), maxWaiting = 256 }: SessionStateOptions = {}) {
    this.#store = store;
    this.#turns = new Turns(maxWaiting);
  }

  /** Rejects when the signal fires before the turn has come, or too many wait. What a store fails at is a failure. */
  async enter(rule: WasmRule, event: HookEvent, signal: StopSignal): Promise<StateTurn | Failure> {
    const scope = this.#scopes.of(rule, event);
    const key = `${scope.session} ${scope.rule}`;
    this.#calls.set(scope.session, (this.#calls.get(scope.session) ?? 0) + 1);
    try {
      await this.#turns.take(key, signal);
    } catch (error) {
      this.#leave(scope.session);
      throw error;
    }
    const turn = new StoreTurn(this.#store, scope, signal);
    const end = (): void =>
      turn.end(() => {
        this.#turns.end(key);
        this.#leave(scope.session);
      });
    try {
      const values = await turn.load();
      const { state: caps = NOTHING } = rule.handler.grants ?? {};
      return {
        values,
        save: async (changes) => excessOf(values, changes, caps) ?? (await save(turn, changes, signal)),
        end,
      };
    } catch (error) {
      end();
      return failureOf("what the guard has kept could not be loaded", error, signal);
    }
  }

  /** The session's variables are forgotten, once all of its calls have ended that have begun. */
  sessionEnded(event: HookEvent): void {
    const session = this.#scopes.sessionOf(event);
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

  /** Nobody waits for it: a store that cannot forget has only more to keep. */
  #forget(session: string): void {
    void (async () => this.#store.forget?.(session))().catch(() => {});
  }
}

async function save(
  turn: StoreTurn,
  changes: readonly StateChange[],
  signal: StopSignal,
): Promise<Failure | undefined> {
  try {
    await turn.save(changes);
    return undefined;
  } catch (error) {
    return failureOf("the guard has answered, and what it keeps could not be saved", error, signal);
  }
}

function failureOf(what: string, error: unknown, signal: StopSignal): Failure {
  if (signal.aborted) return signal.reason as Failure;
  return { kind: "unavailable", message: cleanLine(`${what}: ${describeThrown(error)}`) };
}
