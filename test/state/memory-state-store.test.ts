import { describe, expect, test } from "vitest";
import { MemoryStateStore } from "../../src/state/memory-state-store.ts";
import type { StateScope } from "../../src/state/state-store.ts";
import fc from "../helpers/fc.ts";

const bytes = (length: number): Uint8Array => new Uint8Array(length);
const scope = (session: string, rule = "r", layer: StateScope["layer"] = "user"): StateScope => ({
  layer,
  session,
  rule,
});

/** Makes one call, from start to end. */
function keep(store: MemoryStateStore, where: StateScope, key = "k", length = 1): void {
  store.load(where);
  store.save(where, [[key, bytes(length)]]);
  store.release(where);
}

function kept(store: MemoryStateStore, where: StateScope): string[] {
  const keys = [...store.load(where).keys()];
  store.release(where);
  return keys;
}

describe("the least recently used sessions", () => {
  test("are dropped if there are too many", () => {
    const store = new MemoryStateStore({ maxSessions: 2 });
    for (const session of ["a", "b"]) keep(store, scope(session));
    // Uses the session once more, if only by reading.
    kept(store, scope("a"));
    keep(store, scope("c"));
    expect(["b", "a", "c"].map((session) => kept(store, scope(session)).length)).toEqual([0, 1, 1]);
    expect(store.sessions).toBe(2);
  });

  test("are dropped if too much is stored", () => {
    const store = new MemoryStateStore({ maxBytes: 100 });
    keep(store, scope("a"), "k", 48);
    keep(store, scope("b"), "k", 48);
    expect(store.bytes).toBe(100);
    keep(store, scope("c"), "k", 1);
    expect(["a", "b", "c"].map((session) => kept(store, scope(session)).length)).toEqual([0, 1, 1]);
    expect(store.bytes).toBe(53);
  });

  test("are kept while one of their calls is running", () => {
    const store = new MemoryStateStore({ maxSessions: 1 });
    keep(store, scope("a"));
    store.load(scope("a"));
    for (const session of ["b", "c", "d"]) keep(store, scope(session));
    store.save(scope("a"), [["more", bytes(1)]]);
    expect([...store.load(scope("a")).keys()]).toEqual(["k", "more"]);
  });
});

test("the state of one layer is not dropped to free space for another", () => {
  const store = new MemoryStateStore({ maxSessions: 2, maxBytes: 100 });
  keep(store, scope("a"));
  for (const session of ["b", "c", "d"]) keep(store, scope(session, "r", "project"), "k", 40);
  expect(["a"].map((session) => kept(store, scope(session)).length)).toEqual([1]);
  expect(["b", "c", "d"].map((session) => kept(store, scope(session, "r", "project")).length)).toEqual([0, 1, 1]);
});

test("sessions without state take no space", () => {
  const store = new MemoryStateStore();
  for (let index = 0; index < 100; index += 1) kept(store, scope(`s${index}`));
  keep(store, scope("a"));
  store.load(scope("a"));
  store.save(scope("a"), [["k", null]]);
  store.release(scope("a"));
  expect([store.sessions, store.bytes]).toEqual([0, 0]);
});

test("loaded state does not change under its reader", () => {
  const store = new MemoryStateStore();
  keep(store, scope("a"));
  const values = store.load(scope("a"));
  store.save(scope("a"), [
    ["k", null],
    ["l", bytes(2)],
  ]);
  expect([...values.keys()]).toEqual(["k"]);
});

/** Every session of the model has its rules, and every rule its keys with the lengths of their values. */
type Model = Map<string, { rules: Map<string, Map<string, number>>; calls: number }>;
interface Real {
  readonly store: MemoryStateStore;
}
const MAX_SESSIONS = 3;
const MAX_BYTES = 120;

const sizeOf = (model: Model): number =>
  [...model.values()]
    .flatMap(({ rules }) => [...rules.values()])
    .flatMap((values) => [...values])
    .reduce((sum, [key, length]) => sum + 2 * key.length + length, 0);

class Begin implements fc.Command<Model, Real> {
  readonly where: StateScope;
  constructor(where: StateScope) {
    this.where = where;
  }
  check = (): boolean => true;
  run(model: Model, { store }: Real): void {
    const { session, rule } = this.where;
    const known = model.get(session) ?? { rules: new Map(), calls: 0 };
    known.calls += 1;
    model.delete(session);
    model.set(session, known);
    const values = [...store.load(this.where)].map(([key, { byteLength }]) => [key, byteLength] as const);
    expect(new Map(values)).toEqual(known.rules.get(rule) ?? new Map());
  }
  toString = (): string => `load ${this.where.session}/${this.where.rule}`;
}

class Save implements fc.Command<Model, Real> {
  readonly where: StateScope;
  readonly changes: readonly (readonly [string, number | null])[];
  constructor(where: StateScope, changes: readonly (readonly [string, number | null])[]) {
    this.where = where;
    this.changes = changes;
  }
  check = (model: Readonly<Model>): boolean => (model.get(this.where.session)?.calls ?? 0) > 0;
  run(model: Model, { store }: Real): void {
    const known = model.get(this.where.session);
    const values = known?.rules.get(this.where.rule) ?? new Map<string, number>();
    for (const [key, length] of this.changes) length === null ? values.delete(key) : values.set(key, length);
    if (values.size === 0) known?.rules.delete(this.where.rule);
    else known?.rules.set(this.where.rule, values);
    store.save(
      this.where,
      this.changes.map(([key, length]) => [key, length === null ? null : bytes(length)]),
    );
    expect(store.bytes).toBe(sizeOf(model));
  }
  toString = (): string => `save ${this.where.session}/${this.where.rule} ${JSON.stringify(this.changes)}`;
}

class End implements fc.Command<Model, Real> {
  readonly where: StateScope;
  constructor(where: StateScope) {
    this.where = where;
  }
  check = (model: Readonly<Model>): boolean => (model.get(this.where.session)?.calls ?? 0) > 0;
  run(model: Model, { store }: Real): void {
    const known = model.get(this.where.session);
    if (known !== undefined) known.calls -= 1;
    if (known?.calls === 0 && known.rules.size === 0) model.delete(this.where.session);
    for (const [session, { calls }] of [...model]) {
      if (model.size <= MAX_SESSIONS && sizeOf(model) <= MAX_BYTES) break;
      if (calls === 0) model.delete(session);
    }
    store.release(this.where);
    expect([store.sessions, store.bytes]).toEqual([model.size, sizeOf(model)]);
  }
  toString = (): string => `release ${this.where.session}`;
}

class Forget implements fc.Command<Model, Real> {
  readonly session: string;
  constructor(session: string) {
    this.session = session;
  }
  // The engine calls it once all calls of the session have ended.
  check = (model: Readonly<Model>): boolean => (model.get(this.session)?.calls ?? 0) === 0;
  run(model: Model, { store }: Real): void {
    model.delete(this.session);
    store.forget(this.session);
    expect([store.sessions, store.bytes]).toEqual([model.size, sizeOf(model)]);
  }
  toString = (): string => `forget ${this.session}`;
}

test("in any order of starting, saving and ending calls, it stores what a simple model stores", () => {
  const session = fc.constantFrom("a", "b", "c", "d", "e");
  const where = fc.record({ layer: fc.constant("user" as const), session, rule: fc.constantFrom("r", "q") });
  const change = fc.tuple(fc.constantFrom("k", "long key"), fc.option(fc.nat({ max: 40 })));
  const command = fc.commands(
    [
      where.map((one) => new Begin(one)),
      fc.tuple(where, fc.array(change, { maxLength: 3 })).map(([one, changes]) => new Save(one, changes)),
      where.map((one) => new End(one)),
      session.map((one) => new Forget(one)),
    ],
    { maxCommands: 60 },
  );
  fc.assert(
    fc.property(command, (commands) => {
      const setup = () => ({
        model: new Map() as Model,
        real: { store: new MemoryStateStore({ maxSessions: MAX_SESSIONS, maxBytes: MAX_BYTES }) },
      });
      fc.modelRun(setup, commands);
    }),
    { numRuns: 300 },
  );
});
