import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ownerOf } from "../../../src/executors/wasm/calls/guard-calls.ts";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { WasmRule } from "../../../src/executors/wasm/wasm-rule.ts";
import { createEngine, type StateScope, type StateStore } from "../../../src/index.ts";
import { SessionState } from "../../../src/sandbox/grants/session-state.ts";
import { count, countingRule, eventOf, fatalEvent } from "./counting-guest.ts";
import { deadline, run, runToFailure, TIMEOUT } from "./wasm-rule.ts";

const GRANT = { maxKeys: 2, maxBytes: 100 };

type Values = Map<string, Uint8Array>;
const never = <Value>(): Promise<Value> => new Promise<Value>(() => {});
const keyOf = ({ session, rule }: StateScope): string => `${session}/${rule}`;

function openWith(stateStore: StateStore, threads = 1): WasmExecutor {
  const executor = new WasmExecutor({ threads, stateStore });
  onTestFinished(() => executor.close());
  return executor;
}

/** A slow store outside of this process, which records the requests in order. */
class SlowStore implements StateStore {
  readonly kept = new Map<string, Values>();
  readonly asked: string[] = [];

  async load(scope: StateScope): Promise<Values> {
    this.asked.push("load");
    await sleep(2);
    return new Map(this.kept.get(keyOf(scope)));
  }

  async save(scope: StateScope, changes: readonly (readonly [string, Uint8Array | null])[]): Promise<void> {
    this.asked.push("save");
    const values = new Map(this.kept.get(keyOf(scope)));
    for (const [key, value] of changes) value === null ? values.delete(key) : values.set(key, value);
    await sleep(2);
    this.kept.set(keyOf(scope), values);
  }

  async release(): Promise<void> {
    this.asked.push("release");
  }
}

/** Holds a scope from `load` to `release`, like a lock in a database. */
class LockingStore extends SlowStore {
  readonly #locks = new Map<string, Promise<void>>();
  readonly #unlock = new Map<string, () => void>();

  override async load(scope: StateScope): Promise<Values> {
    const key = keyOf(scope);
    while (this.#locks.has(key)) await this.#locks.get(key);
    this.#locks.set(key, new Promise((resolve) => this.#unlock.set(key, resolve)));
    return super.load(scope);
  }

  override async release(scope?: StateScope): Promise<void> {
    const key = keyOf(scope as StateScope);
    this.#locks.delete(key);
    this.#unlock.get(key)?.();
  }
}

describe("a store of the embedder's", () => {
  test("that is slow keeps exact counts, and is asked in order", async () => {
    const store = new SlowStore();
    const executor = openWith(store);
    const rule = countingRule();
    const counts = await Promise.all([1, 2, 3, 4, 5].map(() => count(rule, "s", executor)));
    expect(counts).toEqual([1, 2, 3, 4, 5]);
    expect(store.asked).toEqual([1, 2, 3, 4, 5].flatMap(() => ["load", "save", "release"]));
  });

  test.each([
    ["more variables", [2, 1], { limit: 2, value: 3 }],
    ["more bytes", [1, 90], { limit: 100, value: 101 }],
  ])(
    "receives no %s than the rule grants, whatever the guest's side reports",
    async (_, [count = 0, size = 0], bounds) => {
      const store = new SlowStore();
      const rule = countingRule("answers", {
        handler: { grants: { state: GRANT } },
      }) as WasmRule;
      const state = new SessionState({ store });
      const save = async (...changes: [string, Uint8Array | null][]) => {
        const turn = await state.enter(ownerOf(rule, eventOf("s")), GRANT, new AbortController().signal);
        if ("kind" in turn) throw new Error(turn.message);
        const failure = await turn.save(changes);
        turn.end();
        return failure;
      };
      expect(await save(["first", new Uint8Array(5)])).toBeUndefined();
      const more = Array.from({ length: count }, (_, index): [string, Uint8Array] => [
        `${index}`,
        new Uint8Array(size),
      ]);
      expect(await save(...more)).toMatchObject({ kind: "memory", ...bounds });
      expect(await save(["first", null], ["second", new Uint8Array(94)])).toBeUndefined();
      expect([...store.kept.values()].map((values) => [...values.keys()])).toEqual([["second"]]);
    },
  );

  test("gets scopes as digests, the same in each process, and nothing that an agent sent", async () => {
    const stores = [new SlowStore(), new SlowStore()];
    const rule = countingRule();
    for (const store of stores) await count(rule, "../../secret", openWith(store));
    const [ours, others] = stores.map(({ kept }) => [...kept.keys()]);
    expect(ours).toEqual([expect.stringMatching(/^[0-9a-f]{64}\/[0-9a-f]{64}$/)]);
    expect(others).toEqual(ours);
  });

  test("that two engines share, and that locks, loses no count of either", async () => {
    const store = new LockingStore();
    const executors = [openWith(store), openWith(store)];
    const rule = countingRule();
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, index) => count(rule, "s", executors[index % 2] as WasmExecutor)),
    );
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  });

  test("is not asked to save for a call that failed, and is asked to release it", async () => {
    const store = new SlowStore();
    await runToFailure(countingRule("traps"), { executor: openWith(store), event: fatalEvent("s") });
    expect(store.asked).toEqual(["load", "release"]);
  });

  test("is informed of the end of a session", async () => {
    const store = new SlowStore();
    const forgotten: string[] = [];
    const executor = openWith(Object.assign(store, { forget: (session: string) => void forgotten.push(session) }));
    executor.sessionEnded(eventOf("s"));
    await expect.poll(() => forgotten).toHaveLength(1);
    await count(countingRule(), "s", executor);
    expect([...store.kept.keys()][0]).toContain(forgotten[0]);
  });
});

describe("a store that fails", () => {
  const thrown = new Error("the disk is full\u001b[31m");
  const loads = {
    "throws while it loads": () => {
      throw thrown;
    },
    "rejects while it loads": () => Promise.reject(thrown),
    "loads nothing at all": () => undefined,
    "loads an object": () => Promise.resolve({ n: new Uint8Array(8) }),
    "loads a text for bytes": () => new Map([["n", "1"]]),
    "loads a key that is no text": () => new Map([[1, new Uint8Array(8)]]),
  } as unknown as Record<string, StateStore["load"]>;

  test.each(Object.entries(loads))("and %s fails the call by name, before the guard has run", async (_, load) => {
    const executor = openWith({ load, save: () => {} });
    const failure = await runToFailure(countingRule(), { executor, event: eventOf("s") });
    expect(failure).toMatchObject({ kind: "unavailable" });
    expect(failure.message).toMatch(/^the guard's variables could not be loaded: [^\u001b]+$/);
    expect(failure.receipt.fuel).toBeUndefined();
  });

  const saves: Record<string, StateStore["save"]> = {
    throws: () => {
      throw thrown;
    },
    rejects: () => Promise.reject(thrown),
    "throws nothing that has a message": () => Promise.reject(undefined),
  };

  test.each(Object.entries(saves))("and %s while it saves fails a call that was answered", async (_, save) => {
    const executor = openWith({ load: () => new Map(), save });
    const failure = await runToFailure(countingRule(), { executor, event: eventOf("s") });
    expect(failure).toMatchObject({ kind: "unavailable" });
    expect(failure.message).toMatch(/^the guard has answered, but its variables could not be saved: [^\u001b]+$/);
  });

  test("for one call serves the next call of the same scope", async () => {
    let isBroken = true;
    const store = new SlowStore();
    const save: StateStore["save"] = (...call) => (isBroken ? Promise.reject(thrown) : store.save(call[0], call[1]));
    const release = (): never => {
      throw thrown;
    };
    const executor = openWith({ load: store.load.bind(store), save, release });
    const rule = countingRule();
    await runToFailure(rule, { executor, event: eventOf("s") });
    isBroken = false;
    expect([await count(rule, "s", executor), await count(rule, "s", executor)]).toEqual([1, 2]);
  });
});

describe("a store that never settles", () => {
  /** Never settles, and lets the deadline pass after the store was asked. */
  const hangs = (pass: () => void): Promise<never> => {
    setImmediate(pass);
    return never();
  };
  const hanging: Record<string, (pass: () => void) => StateStore> = {
    "from loading": (pass) => ({ load: () => hangs(pass), save: () => {} }),
    "from saving": (pass) => ({ load: () => new Map(), save: () => hangs(pass) }),
  };

  test.each(Object.entries(hanging))(
    "and is asked %s does not delay a call beyond its deadline",
    async (_, storeOf) => {
      let limit = deadline();
      const executor = openWith(storeOf(() => limit.pass()));
      const rule = countingRule();
      for (const session of ["s", "t"]) {
        limit = deadline();
        const failure = await runToFailure(rule, { executor, event: eventOf(session), signal: limit.signal });
        expect(failure).toMatchObject(TIMEOUT);
      }
    },
  );

  test("is asked nothing more once the deadline has passed", async () => {
    const store = new SlowStore();
    const { signal, pass } = deadline();
    const turn = await new SessionState({ store }).enter(
      ownerOf(countingRule() as WasmRule, eventOf("s")),
      GRANT,
      signal,
    );
    if ("kind" in turn) throw new Error(turn.message);
    pass();
    expect(await turn.save([["n", Uint8Array.of(1)]])).toEqual(TIMEOUT);
    turn.end();
    await expect.poll(() => store.asked).toEqual(["load", "release"]);
  });

  test("from one load does not block the next call of the scope, and is asked to release what loads late", async () => {
    const store = new SlowStore();
    let late: ((values: Values) => void) | undefined;
    const { signal, pass } = deadline();
    const load: StateStore["load"] = (scope) =>
      late === undefined
        ? new Promise((resolve) => {
            late = resolve;
            setImmediate(pass);
          })
        : store.load(scope);
    const executor = openWith({ load, save: store.save.bind(store), release: () => store.release() });
    const rule = countingRule();
    const first = run(rule, { executor, event: eventOf("s"), signal });
    expect(await first).toMatchObject({ failure: TIMEOUT });
    expect(store.asked).not.toContain("release");
    expect(await count(rule, "s", executor)).toBe(1);
    expect(store.asked).toEqual(["load", "save", "release"]);
    late?.(new Map());
    await expect.poll(() => store.asked).toEqual(["load", "save", "release", "release"]);
  });

  test("gets a signal that no call waits any more", async () => {
    const reasons: unknown[] = [];
    const limit = deadline();
    const load: StateStore["load"] = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reasons.push(signal.reason);
          reject(signal.reason as Error);
        });
        setImmediate(limit.pass);
      });
    const executor = openWith({ load, save: () => {} });
    await run(countingRule(), { executor, event: eventOf("s"), signal: limit.signal });
    expect(reasons).toEqual([TIMEOUT]);
  });

  test("from saving in time does not get the next call of its scope before it has settled", async () => {
    const store = new SlowStore();
    let end: (() => void) | undefined;
    const save: StateStore["save"] = async (...call) => {
      if (end === undefined) {
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      }
      await store.save(call[0], call[1]);
    };
    const executor = openWith({ load: store.load.bind(store), save });
    const rule = countingRule();
    const { signal, pass } = deadline();
    const late = run(rule, { executor, event: eventOf("s"), signal });
    await expect.poll(() => end).toBeDefined();
    pass();
    expect(await late).toMatchObject({ failure: TIMEOUT });
    const next = count(rule, "s", executor);
    await sleep(50);
    expect(store.asked.filter((word) => word === "load")).toHaveLength(1);
    end?.();
    expect(await next).toBe(2);
  });
});

test("an engine rejects a store without one of the functions", async () => {
  const stateStore = { load: () => new Map() } as unknown as StateStore;
  await expect(createEngine({ stateStore })).rejects.toMatchObject({ code: "HOOK_API_MISUSE" });
});
