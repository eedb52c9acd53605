import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { CacheFolder, defaultCacheFolder } from "../../src/cache/cache-folder.ts";
import fc from "../helpers/fc.ts";
import { ABSENT } from "../helpers/folders.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const TEXT = Buffer.from("dear to compute");

/** Returns a cache in a folder that does not exist yet. */
function cacheFolder(): { readonly folder: string; readonly cache: CacheFolder } {
  const parent = mkdtempSync(join(tmpdir(), "hookbox-cache-test-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const folder = join(parent, "cache");
  return { folder, cache: new CacheFolder(folder, "kind") };
}

const entriesOf = (folder: string): readonly string[] => readdirSync(folder).map((name) => join(folder, name));
const again = (folder: string): CacheFolder => new CacheFolder(folder, "kind");

describe("a cache folder", () => {
  test("returns what was stored under an equal key, in the next process too", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put(["a", 1], TEXT);
    expect(await cache.get(["a", 1])).toEqual(TEXT);
    expect(await again(folder).get(["a", 1])).toEqual(TEXT);
    expect(await cache.get(["a", 2])).toBeUndefined();
    expect(await cache.get("a,1")).toBeUndefined();
  });

  test("returns any bytes, and never those of another key or kind", async () => {
    const { folder, cache } = cacheFolder();
    const other = new CacheFolder(folder, "other");
    const bytes = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), bytes, bytes, async (key, first, second) => {
        await cache.put(key, first);
        expect(await cache.get(key)).toEqual(Buffer.from(first));
        expect(await other.get(key)).toBeUndefined();
        expect(await cache.get(["never put", key])).toBeUndefined();
        await cache.put(key, second);
        expect(await cache.get(key)).toEqual(Buffer.from(second));
      }),
      { numRuns: 40 },
    );
  });

  test("is private to its user, and so are the entries", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    for (const path of [folder, ...entriesOf(folder)]) expect(statSync(path).mode & 0o077).toBe(0);
    expect(entriesOf(folder)).toHaveLength(1);
  });

  test("stores nothing over the limit", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", new Uint8Array(64 * 1_048_576 + 1));
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a folder is neither read nor written if", () => {
  async function expectUnused(folder: string, filled: string): Promise<void> {
    const before = readdirSync(filled).sort();
    const cache = again(folder);
    expect(await cache.get("a")).toBeUndefined();
    await cache.put("b", TEXT);
    expect(await cache.get("b")).toBeUndefined();
    expect(readdirSync(filled).sort()).toEqual(before);
  }

  test.each([0o755, 0o777, 0o770, 0o701])("other users may read it (%o)", async (mode) => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    chmodSync(folder, mode);
    await expectUnused(folder, folder);
  });

  test("it is a link to a folder", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    symlinkSync(folder, `${folder}-link`);
    await expectUnused(`${folder}-link`, folder);
  });

  test("it belongs to another user", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    const spy = vi.spyOn(process as { getuid(): number }, "getuid").mockReturnValue(statSync(folder).uid + 1);
    onTestFinished(() => spy.mockRestore());
    await expectUnused(folder, folder);
  });

  test("it is a file", async () => {
    const { folder } = cacheFolder();
    writeFileSync(folder, "");
    const cache = again(folder);
    await cache.put("a", TEXT);
    expect(await cache.get("a")).toBeUndefined();
  });

  test("it cannot be created", async () => {
    const { folder } = cacheFolder();
    writeFileSync(folder, "");
    const cache = again(join(folder, "below"));
    await cache.put("a", TEXT);
    expect(await cache.get("a")).toBeUndefined();
  });

  // Root can write anywhere.
  test.skipIf(process.getuid?.() === 0)("no file can be written to it", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    chmodSync(folder, 0o500);
    await cache.put("b", TEXT);
    expect(await cache.get("b")).toBeUndefined();
    expect(await cache.get("a")).toEqual(TEXT);
    chmodSync(folder, 0o700);
  });
});

describe("an entry is rejected if", () => {
  async function oneEntry(): Promise<{ readonly folder: string; readonly entry: string }> {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    const [entry = ""] = entriesOf(folder);
    return { folder, entry };
  }

  async function expectComputedAnew(folder: string): Promise<void> {
    const cache = again(folder);
    expect(await cache.get("a")).toBeUndefined();
    await cache.put("a", TEXT);
    expect(await cache.get("a")).toEqual(TEXT);
  }

  test("it is shorter than it was", async () => {
    for (const length of [0, 1, 63, 64, 70]) {
      const { folder, entry } = await oneEntry();
      truncateSync(entry, length);
      await expectComputedAnew(folder);
    }
  });

  test("any bit of it has changed", async () => {
    const { folder, entry } = await oneEntry();
    const bytes = readFileSync(entry);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
        const flipped = Buffer.from(bytes);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        writeFileSync(entry, flipped);
        expect(await again(folder).get("a")).toBeUndefined();
      }),
      { numRuns: 60 },
    );
    await expectComputedAnew(folder);
  });

  test("it was stored under another key", async () => {
    const { folder, entry } = await oneEntry();
    const cache = again(folder);
    await cache.put("b", Buffer.from("another"));
    const other = entriesOf(folder).find((path) => path !== entry) ?? "";
    copyFileSync(other, entry);
    await expectComputedAnew(folder);
  });

  test("it is a link, even to a valid one", async () => {
    const { folder, entry } = await oneEntry();
    const elsewhere = join(folder, "elsewhere");
    copyFileSync(entry, elsewhere);
    chmodSync(elsewhere, 0o600);
    rmSync(entry);
    symlinkSync(elsewhere, entry);
    await expectComputedAnew(folder);
    expect(existsSync(elsewhere)).toBe(true);
  });

  test("other users may write to it", async () => {
    const { folder, entry } = await oneEntry();
    chmodSync(entry, 0o622);
    await expectComputedAnew(folder);
  });

  test("it is a folder, which stays, without a draft next to it", async () => {
    const { folder, entry } = await oneEntry();
    rmSync(entry);
    mkdirSync(entry);
    const cache = again(folder);
    expect(await cache.get("a")).toBeUndefined();
    await cache.put("a", TEXT);
    expect(await cache.get("a")).toBeUndefined();
    expect(entriesOf(folder)).toEqual([entry]);
  });
});

describe("many", () => {
  test("writers of one entry leave one complete entry, and no draft", async () => {
    const { folder } = cacheFolder();
    const contents = Array.from({ length: 20 }, (_, index) => Buffer.alloc(100_000, index));
    await Promise.all(contents.map((content) => again(folder).put("a", content)));
    const found = await again(folder).get("a");
    expect(contents.some((content) => found?.equals(content))).toBe(true);
    expect(entriesOf(folder)).toHaveLength(1);
  });

  test("entries remove the oldest ones", async () => {
    const { folder, cache } = cacheFolder();
    for (let index = 0; index < 64; index += 1) {
      const before = new Set(existsSync(folder) ? entriesOf(folder) : []);
      await cache.put(index, TEXT);
      const fresh = entriesOf(folder).find((path) => !before.has(path)) ?? "";
      utimesSync(fresh, 1_000 + index, 1_000 + index);
    }
    expect(entriesOf(folder)).toHaveLength(64);
    await cache.put("one more", TEXT);
    await cache.put("and another", TEXT);
    expect(entriesOf(folder)).toHaveLength(64);
    const found = await Promise.all([0, 1, 2, 63, "one more", "and another"].map((key) => cache.get(key)));
    expect(found.map((content) => content !== undefined)).toEqual([false, false, true, true, true, true]);
  });

  // A user may name a folder that is private, and not empty.
  test("other files are not removed", async () => {
    const { folder, cache } = cacheFolder();
    mkdirSync(folder, { mode: 0o700 });
    const own = Array.from({ length: 70 }, (_, index) => `letter-${index}.txt`);
    for (const name of [...own, `${"0".repeat(64)}.other`, `${"0".repeat(64)}.kind.bak.x`]) {
      writeFileSync(join(folder, name), "mine");
      utimesSync(join(folder, name), 1, 1);
    }
    await cache.put("a", TEXT);
    expect(readdirSync(folder)).toHaveLength(73);
    expect(await cache.get("a")).toEqual(TEXT);
  });

  test("drafts of processes that ended early are removed like entries", async () => {
    const { folder, cache } = cacheFolder();
    await cache.put("a", TEXT);
    const [entry = ""] = entriesOf(folder);
    for (let index = 0; index < 70; index += 1) {
      const draft = `${entry}.${index.toString(16).padStart(12, "0")}`;
      writeFileSync(draft, "half");
      utimesSync(draft, 1, 1);
    }
    symlinkSync(ABSENT, `${entry}.0`);
    await cache.put("b", TEXT);
    expect(entriesOf(folder)).toHaveLength(64);
    expect(await cache.get("a")).toEqual(TEXT);
  });
});

test("the usual folder is the user's, and a relative one is ignored", () => {
  vi.stubEnv("XDG_CACHE_HOME", "/somewhere");
  expect(defaultCacheFolder()).toBe("/somewhere/hookbox");
  for (const value of ["", "relative", "./x"]) {
    vi.stubEnv("XDG_CACHE_HOME", value);
    expect(defaultCacheFolder()).toBe(join(homedir(), ".cache/hookbox"));
  }
});
