import type { StateChange, StateScope, StateStore, StateValues } from "./state-store.ts";

/** Limits for each layer. */
interface MemoryStateLimits {
  /** Default: 1,024. */
  readonly maxSessions?: number;
  /** Total size of keys in UTF-16, and of values. Default: 64 MiB. */
  readonly maxBytes?: number;
}

interface Session {
  readonly rules: Map<string, Kept>;
  /** Number of calls between `load` and `release`. */
  calls: number;
  bytes: number;
}

interface Kept {
  /** Never modified, because a guard may be reading the map. */
  readonly values: StateValues;
  readonly bytes: number;
}

const NOTHING: Kept = { values: new Map(), bytes: 0 };

/** Keeps variables for the lifetime of the process. Values of one layer are never removed to free space for another. */
export class MemoryStateStore implements StateStore {
  readonly #limits: MemoryStateLimits;
  readonly #layers = new Map<string, LayerStore>();

  constructor(limits: MemoryStateLimits = {}) {
    this.#limits = limits;
  }

  load(scope: StateScope): StateValues {
    const layer = this.#layers.get(scope.layer) ?? new LayerStore(this.#limits);
    this.#layers.set(scope.layer, layer);
    return layer.load(scope);
  }

  save(scope: StateScope, changes: readonly StateChange[]): void {
    const layer = this.#layers.get(scope.layer);
    if (layer === undefined) throw new Error("saved without a load before it");
    layer.save(scope, changes);
  }

  release(scope: StateScope): void {
    this.#layers.get(scope.layer)?.release(scope);
  }

  forget(session: string): void {
    for (const layer of this.#layers.values()) layer.forget(session);
  }

  /** Number of sessions, counted for each layer, that have variables or a current call. */
  get sessions(): number {
    return this.#sum(({ sessions }) => sessions);
  }

  /** Size of all variables, as counted by `maxBytes`. */
  get bytes(): number {
    return this.#sum(({ bytes }) => bytes);
  }

  #sum(count: (layer: LayerStore) => number): number {
    return [...this.#layers.values()].reduce((sum, layer) => sum + count(layer), 0);
  }
}

/**
 * Variables of one layer. Agents do not always report the end of a session, so the least recently used sessions are
 * removed when a limit is exceeded, but never a session with a current call.
 */
class LayerStore {
  /** Sessions in order of use, the last used one last. */
  readonly #sessions = new Map<string, Session>();
  readonly #maxSessions: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ maxSessions = 1_024, maxBytes = 64 * 1_048_576 }: MemoryStateLimits = {}) {
    this.#maxSessions = maxSessions;
    this.#maxBytes = maxBytes;
  }

  load({ session: id, rule }: StateScope): StateValues {
    const session = this.#sessions.get(id) ?? { rules: new Map<string, Kept>(), calls: 0, bytes: 0 };
    session.calls += 1;
    this.#sessions.delete(id);
    this.#sessions.set(id, session);
    return (session.rules.get(rule) ?? NOTHING).values;
  }

  save({ session: id, rule }: StateScope, changes: readonly StateChange[]): void {
    const session = this.#sessions.get(id);
    if (session === undefined) throw new Error("saved without a load before it");
    const { values: before, bytes: bytesBefore } = session.rules.get(rule) ?? NOTHING;
    const values = new Map(before);
    for (const [key, value] of changes) {
      if (value === null) values.delete(key);
      else values.set(key, value);
    }
    let bytes = 0;
    for (const [key, value] of values) bytes += 2 * key.length + value.byteLength;
    if (values.size === 0) session.rules.delete(rule);
    else session.rules.set(rule, { values, bytes });
    session.bytes += bytes - bytesBefore;
    this.#bytes += bytes - bytesBefore;
  }

  release({ session: id }: StateScope): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    session.calls -= 1;
    if (session.calls === 0 && session.rules.size === 0) this.#sessions.delete(id);
    this.#makeRoom();
  }

  forget(id: string): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    this.#bytes -= session.bytes;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  #makeRoom(): void {
    for (const [id, { calls }] of this.#sessions) {
      if (this.#sessions.size <= this.#maxSessions && this.#bytes <= this.#maxBytes) return;
      if (calls === 0) this.forget(id);
    }
  }
}
