import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { DiskScopes, type DiskScopesLimits, type KeptScope } from "../../src/state/disk-scopes.ts";
import type { HeldMutex } from "../../src/state/held-mutex.ts";

function open(limits: DiskScopesLimits = {}): { readonly store: DiskScopes; readonly folder: string } {
  const top = mkdtempSync(join(tmpdir(), "hookbox-state-"));
  onTestFinished(() => {
    chmodSync(top, 0o700);
    rmSync(top, { recursive: true, force: true });
  });
  const folder = join(top, "guards");
  return { store: new DiskScopes(folder, limits), folder };
}

const scope = (session = "s", rule = "r", layer = "user"): KeptScope => ({ layer, session, rule });
const take = async (store: DiskScopes, where = scope()): Promise<HeldMutex> => (await store.take(where)) as HeldMutex;
const bytes = (length: number): Map<string, Uint8Array> => new Map([["k", new Uint8Array(length)]]);

async function keep(store: DiskScopes, length = 1, where = scope()): Promise<void> {
  const mutex = await take(store, where);
  await mutex.save(bytes(length));
  await mutex.release();
}

/** The length of the stored value; 0 for none. */
async function kept(store: DiskScopes, where = scope()): Promise<number> {
  const mutex = await take(store, where);
  await mutex.release();
  return mutex.values.get("k")?.byteLength ?? 0;
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

describe("values", () => {
  test("are there in the next turn as they were saved, with any names and bytes", async () => {
    const { store } = open();
    const values = new Map([
      ["", Uint8Array.of()],
      ["\n\ud800 \u0000", Uint8Array.of(10, 0, 255)],
      ["__proto__", new Uint8Array(1_048_576).fill(7)],
    ]);
    const mutex = await take(store);
    await mutex.save(values);
    await mutex.release();
    const next = await take(store);
    expect([...next.values.keys()]).toEqual([...values.keys()]);
    for (const [key, value] of values) expect(Buffer.compare(next.values.get(key) as Uint8Array, value)).toBe(0);
    await next.release();
  });

  test("that were not saved leave nothing behind, and neither do values that were removed", async () => {
    const { store, folder } = open();
    await kept(store);
    expect(namesIn(join(folder, "user"))).toEqual([]);
    await keep(store);
    const mutex = await take(store);
    await mutex.save(new Map());
    await mutex.release();
    expect(namesIn(join(folder, "user"))).toEqual([]);
    expect(await kept(store)).toBe(0);
  });

  test("are saved atomically: until then others read the previous ones", async () => {
    const { store } = open();
    await keep(store, 1);
    const mutex = await take(store);
    expect((await store.peek(scope()))?.get("k")).toHaveLength(1);
    await mutex.save(bytes(2));
    expect((await store.peek(scope()))?.get("k")).toHaveLength(2);
    await mutex.release();
  });

  test("of a call that was stopped are not saved, at whatever time it was stopped", async () => {
    const { store, folder } = open();
    await keep(store, 1);
    // The later the stop, the more has been done by then.
    for (let ticks = 0; ticks < 40; ticks += 1) {
      const mutex = await take(store);
      const controller = new AbortController();
      const saving = mutex.save(bytes(2), controller.signal).then(
        () => true,
        () => false,
      );
      for (let tick = 0; tick < ticks; tick += 1) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      const isSaved = await saving;
      await mutex.release();
      expect(await kept(store)).toBe(isSaved ? 2 : 1);
      if (isSaved) await keep(store, 1);
    }
    expect(namesIn(join(folder, "user", "s", "r"))).toHaveLength(2);
  });
});

describe("turns", () => {
  test("are taken one after another, by all stores of a folder", async () => {
    const { store, folder } = open();
    const stores = [store, ...Array.from({ length: 7 }, () => new DiskScopes(folder))];
    let holders = 0;
    const counts = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const mutex = await take(stores[index % stores.length] as DiskScopes);
        holders += 1;
        expect(holders).toBe(1);
        const count = (mutex.values.get("k")?.byteLength ?? 0) + 1;
        await mutex.save(bytes(count));
        holders -= 1;
        await mutex.release();
        return count;
      }),
    );
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
    expect(namesIn(join(folder, "user", "s"))).toEqual(["r"]);
  });

  test("in other scopes do not wait", async () => {
    const { store } = open();
    const mutex = await take(store);
    for (const other of [scope("t"), scope("s", "q"), scope("s", "r", "project")]) {
      expect(await kept(store, other)).toBe(0);
    }
    await mutex.release();
  });

  test("that cannot be taken in time fail with the holder's name, and leave no ticket behind", async () => {
    const { store, folder } = open();
    const mutex = await take(store);
    expect(await store.take(scope(), { waits: false })).toBeUndefined();
    const waiting = store.take(scope(), { signal: AbortSignal.timeout(50) });
    await expect(waiting).rejects.toThrow(`${join(folder, "user", "s", "r")} is in use by process ${process.pid}`);
    expect(namesIn(join(folder, "user", "s"))).toEqual(["r"]);
    await mutex.release();
  });

  /** Gives the held turn to another process: `rename` replaces the present holder. */
  function pass(folder: string, rename: (holder: string) => string): void {
    const place = join(folder, "user", "s", "r");
    const name = namesIn(place).find((one) => one.includes("~")) as string;
    const [head = "", holder = ""] = name.split("~");
    renameSync(join(place, name), join(place, `${head}~${rename(holder)}`));
  }
  const dead = spawnSync("true").pid;
  const ended = (holder: string): string => holder.replace(/^\d+/, String(dead));
  const elsewhere = (holder: string): string => holder.replace(/-[0-9a-f]{12}-/, "-000000000000-");

  test("of a process that has ended are free", async () => {
    const { store, folder } = open();
    await keep(store, 3);
    await take(store);
    pass(folder, ended);
    expect(await kept(store)).toBe(3);
  });

  test("of a process whose id another process has now are free", async () => {
    const { store, folder } = open();
    await keep(store, 3);
    await take(store);
    pass(folder, (holder) => holder.replace(/^(\d+)-\d*/, "$1-1"));
    expect(await kept(store)).toBe(3);
  });

  test("of another machine are free if they were not renewed for long", async () => {
    const { store, folder } = open();
    await keep(store, 3);
    await take(store);
    pass(folder, elsewhere);
    expect(await store.take(scope(), { waits: false })).toBeUndefined();
    const place = join(folder, "user", "s", "r");
    const head = join(place, namesIn(place).find((one) => one.includes("~")) as string);
    const waiting = kept(store);
    // Only time changes the other date of a file, so this store is told that time has passed.
    const { now } = Date;
    onTestFinished(() => {
      Date.now = now;
    });
    utimesSync(head, 1, 1);
    Date.now = () => now() + 60_000;
    expect(await waiting).toBe(3);
  });

  test("that another process has taken over save nothing, and release nothing", async () => {
    const { store, folder } = open();
    await keep(store, 1);
    const late = await take(store);
    pass(folder, ended);
    const next = await take(store);
    await next.save(bytes(2));
    await expect(late.save(bytes(9))).rejects.toThrow("taken by another process");
    await late.release();
    expect(await store.take(scope(), { waits: false })).toBeUndefined();
    await next.release();
    await expect(late.save(bytes(9))).rejects.toThrow("taken by another process");
    await late.remove();
    expect(await kept(store)).toBe(2);
    expect(namesIn(join(folder, "user", "s", "r"))).toHaveLength(2);
  });

  test("go on when the first in the queue has ended, or is stopped", async () => {
    const { store, folder } = open();
    await keep(store, 1);
    const session = join(folder, "user", "s");
    const mutex = await take(store);
    const { 0: own = "" } = namesIn(join(session, "r")).filter((name) => name.includes("~"));
    const holder = own.slice(own.indexOf("~") + 1);
    await mutex.release();
    for (const name of [`wait-r-0~${ended(holder)}`, `wait-r-1~${holder}`]) writeFileSync(join(session, name), "");
    expect(await kept(store)).toBe(1);
    expect(namesIn(session)).toEqual(["r", `wait-r-1~${holder}`]);
  });
});

describe("files of a process that was killed", () => {
  test("are removed by the next one: values that no head names", async () => {
    const { store, folder } = open();
    await keep(store, 1);
    const place = join(folder, "user", "s", "r");
    writeFileSync(join(place, `data-${"0".repeat(32)}`), "half of it");
    expect(await kept(store)).toBe(1);
    expect(namesIn(place)).toHaveLength(2);
  });

  test("do not prevent creating a scope: an empty folder, a draft", async () => {
    const { store, folder } = open();
    mkdirSync(join(folder, "user", "s", "r"), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder, "user", "s", "draft~1-1-000000000000-00"), { mode: 0o700 });
    await keep(store, 1);
    expect(await kept(store)).toBe(1);
  });
});

describe("a damaged store", () => {
  const only = (place: string, start: string): string =>
    join(place, namesIn(place).find((name) => name.startsWith(start)) as string);
  const damage: Record<string, (place: string) => void> = {
    "has an edited value": (place) => {
      const file = only(place, "data-");
      const content = readFileSync(file);
      content[content.length - 1] = 0xff;
      writeFileSync(file, content);
    },
    "has a torn file": (place) =>
      writeFileSync(only(place, "data-"), readFileSync(only(place, "data-")).subarray(0, 70)),
    "has an empty file": (place) => writeFileSync(only(place, "data-"), ""),
    "lacks its values": (place) => rmSync(only(place, "data-")),
    "lacks its head": (place) => rmSync(only(place, "kept-")),
    "has two heads": (place) => writeFileSync(join(place, `none-${"0".repeat(32)}`), ""),
    "has values that others may read": (place) => chmodSync(only(place, "data-"), 0o644),
    "has values that are a link": (place) => {
      const file = only(place, "data-");
      renameSync(file, join(place, "elsewhere"));
      symlinkSync(join(place, "elsewhere"), file);
    },
    "has values that are a folder": (place) => {
      const file = only(place, "data-");
      rmSync(file);
      mkdirSync(file);
    },
    "has another rule's values": (place) => {
      const other = join(place, "..", "q");
      const token = only(place, "data-").slice(-32);
      const stranger = readFileSync(only(other, "data-"));
      writeFileSync(join(place, `data-${token}`), stranger);
    },
    "is a file in place of a folder": (place) => {
      rmSync(place, { recursive: true });
      writeFileSync(place, "");
    },
    "is a link in place of a folder": (place) => {
      renameSync(place, `${place}-elsewhere`);
      symlinkSync(`${place}-elsewhere`, place);
    },
    "may be entered by others": (place) => chmodSync(place, 0o755),
    "is below a session that is a link": (place) => {
      const session = join(place, "..");
      renameSync(session, `${session}-elsewhere`);
      symlinkSync(`${session}-elsewhere`, session);
    },
    "is in a folder that others may enter": (place) => chmodSync(join(place, "../../.."), 0o770),
  };

  test.each(Object.entries(damage))("that %s gives no turn, and says what to do", async (_, spoil) => {
    const { store, folder } = open();
    await keep(store, 3);
    await keep(store, 4, scope("s", "q"));
    const place = join(folder, "user", "s", "r");
    spoil(place);
    const error = (await store
      .take(scope(), { signal: AbortSignal.timeout(5_000) })
      .catch((one: unknown) => one)) as Error;
    expect(error).toMatchObject({ code: "HOOK_STATE" });
    // A user who follows the message has a working store.
    const [, path = "", mend] = /^(\S+) .*; to fix it: (remove it|chmod 700)/.exec(error.message) ?? [];
    expect(path.startsWith(folder)).toBe(true);
    if (mend === "remove it") rmSync(path, { recursive: true });
    else chmodSync(path, 0o700);
    expect(await kept(store)).toBe(mend === "remove it" ? 0 : 3);
  });

  test("does not block other rules and sessions", async () => {
    const { store, folder } = open();
    for (const where of [scope(), scope("s", "q"), scope("t")]) await keep(store, 3, where);
    (damage["has an edited value"] as (place: string) => void)(join(folder, "user", "s", "r"));
    await expect(store.take(scope())).rejects.toThrow("is damaged");
    expect([await kept(store, scope("s", "q")), await kept(store, scope("t"))]).toEqual([3, 3]);
  });
});

test("a folder that cannot be created is reported with the system's error", async () => {
  for (const folder of ["/proc/nowhere/guards", "/dev/null/guards"]) {
    await expect(new DiskScopes(folder).take(scope())).rejects.toThrow(/cannot be used \(E[A-Z]+\); to fix it: /);
  }
});

describe("a session that is removed", () => {
  const forget = (store: DiskScopes, session: string): Promise<void> =>
    store.forget(session, AbortSignal.timeout(5_000));

  test("is gone for all rules and layers, damaged ones included, and no other session is", async () => {
    const { store, folder } = open();
    const own = [scope(), scope("s", "q"), scope("s", "r", "project")];
    for (const where of [...own, scope("t")]) await keep(store, 3, where);
    writeFileSync(join(folder, "user", "s", "q", `none-${"0".repeat(32)}`), "");
    await forget(store, "s");
    expect(["user", "project"].map((layer) => namesIn(join(folder, layer)))).toEqual([["t"], []]);
    for (const where of own) expect(await kept(store, where)).toBe(0);
    expect(await kept(store, scope("t"))).toBe(3);
    await forget(store, "no such session");
    await forget(new DiskScopes(join(folder, "none")), "s");
  });

  test("waits for a call that is running in another process", async () => {
    const { store, folder } = open();
    const mutex = await take(store);
    const forgotten = forget(new DiskScopes(folder), "s");
    await mutex.save(bytes(3));
    await mutex.release();
    await forgotten;
    expect(await kept(store)).toBe(0);
  });
});

describe("what is stored", () => {
  const usedSecondsAgo = (seconds: number, path: string): void => {
    const at = Date.now() / 1_000 - seconds;
    utimesSync(path, at, at);
  };
  const sessions = (folder: string, layer = "user"): string[] => namesIn(join(folder, layer));

  test("is limited by number: the least recently used sessions are removed", async () => {
    const { store, folder } = open({ maxSessions: 16 });
    for (let at = 10; at < 26; at += 1) {
      await keep(store, 1, scope(`s${at}`));
      usedSecondsAgo(100 - at, join(folder, "user", `s${at}`));
    }
    await kept(store, scope("s10"));
    await keep(store, 1, scope("new"));
    expect(sessions(folder)).toEqual(["new", "s10", ...Array.from({ length: 13 }, (_, at) => `s${at + 13}`)]);
  });

  test("is limited in bytes", async () => {
    const { store, folder } = open({ maxBytes: 1_000 });
    for (const session of ["a", "b", "c", "d"]) {
      await keep(store, 200, scope(session));
      usedSecondsAgo(200 - session.charCodeAt(0), join(folder, "user", session));
    }
    await keep(store, 300, scope("e"));
    expect(sessions(folder)).toEqual(["c", "d", "e"]);
  });

  test("is limited in time", async () => {
    const { store, folder } = open({ maxBytes: 100_000, maxAgeMs: 60_000 });
    await keep(store, 1, scope("old"));
    usedSecondsAgo(61, join(folder, "user", "old"));
    await keep(store, 10_000, scope("new"));
    expect(sessions(folder)).toEqual(["new"]);
  });

  test("stays while a call is running, and for one layer whatever another stores", async () => {
    const { store, folder } = open({ maxSessions: 2 });
    await keep(store, 1, scope("ours"));
    const mutex = await take(store, scope("busy", "r", "project"));
    await mutex.save(bytes(1));
    for (const session of ["a", "b", "c", "d"]) await keep(store, 1, scope(session, "r", "project"));
    await mutex.release();
    expect(sessions(folder)).toEqual(["ours"]);
    expect(sessions(folder, "project")).toEqual(["busy", "d"]);
    expect(await kept(store, scope("busy", "r", "project"))).toBe(1);
  });
});
