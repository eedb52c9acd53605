import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { formatLock, type LockEntries, lockKey, readLockFile } from "../../src/config/lockfile.ts";
import fc from "../helpers/fc.ts";
import { ABSENT } from "../helpers/folders.ts";

const DIGEST = "0123456789abcdef".repeat(4);
const ENTRY = {
  sha256: DIGEST,
  imports: ["extism:host/env alloc"],
  bytes: 100,
  capabilities: [],
  memory: null,
  manifest: null,
  fixtures: 0,
  may: ["deny"],
  limits: { fuel: 10_000 },
};

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "hookbox-lock-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function withLock(content: string | Uint8Array): string {
  const path = folder();
  writeFileSync(join(path, "hookbox.lock"), content);
  return path;
}

const withEntry = (entry: unknown): string => JSON.stringify({ lockVersion: 1, modules: { "./a.wasm": entry } });

describe("a lock file", () => {
  test("does not exist if there is no file", async () => {
    expect(await readLockFile(folder())).toEqual({ kind: "none" });
    expect(await readLockFile(`${ABSENT}/folder`)).toEqual({ kind: "none" });
  });

  test("contains after writing and reading what it was given, under any name", async () => {
    const path = folder();
    const entries = fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.constant(ENTRY));
    await fc.assert(
      fc.asyncProperty(entries, async (all: LockEntries) => {
        writeFileSync(join(path, "hookbox.lock"), formatLock(all));
        const read = await readLockFile(path);
        const pairs = read.kind === "entries" ? Object.entries(read.entries) : [];
        expect(new Map(pairs)).toEqual(new Map(Object.entries(all)));
      }),
      { numRuns: 50 },
    );
  });

  test("is written in one order, whatever the order of the modules", () => {
    const text = formatLock({ "./b": ENTRY, "./a": ENTRY });
    expect(text).toBe(formatLock({ "./a": ENTRY, "./b": ENTRY }));
    expect(text.indexOf("./a")).toBeLessThan(text.indexOf("./b"));
  });

  test("may contain comments, and unknown fields in an entry", async () => {
    const text = `// reviewed by us\n${withEntry({ ...ENTRY, note: "fine" })}`;
    expect(await readLockFile(withLock(text))).toMatchObject({ kind: "entries" });
  });

  test("that is cut off is reported with its line", async () => {
    const path = withLock('{\n  "lockVersion": 1,');
    expect(await readLockFile(path)).toMatchObject({
      problem: {
        message: expect.stringMatching(/^the lock file cannot be read: [a-z ]+ expected$/),
        place: { line: 2, column: 20 },
      },
    });
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    ["text", "hello", /the lock file/],
    ["nothing", "", /the file is empty/],
    ["bytes", Uint8Array.of(0xff, 0xfe), /cannot be read/],
    ["a list", "[]", /not a lock file of version 1/],
    ["null", "null", /not a lock file of version 1/],
    ["another version", '{"lockVersion":2,"modules":{}}', /not a lock file of version 1/],
    ["a version in words", '{"lockVersion":"1","modules":{}}', /not a lock file of version 1/],
    ["no modules", '{"lockVersion":1}', /not a lock file of version 1/],
    ["modules in a list", '{"lockVersion":1,"modules":[]}', /not a lock file of version 1/],
    ["a key twice", `{"lockVersion":1,"modules":{"a":{},"\\u0061":{}}}`, /duplicate key "a"/],
    ["an entry that is null", withEntry(null), /invalid entry for \.\/a\.wasm/],
    ["an entry without a sha256", withEntry({ imports: [] }), /needs a sha256/],
    ["an entry without imports", withEntry({ sha256: DIGEST }), /list of imports/],
    ["imports that are no list", withEntry({ sha256: DIGEST, imports: "all" }), /list of imports/],
    ["imports that are no text", withEntry({ sha256: DIGEST, imports: [1] }), /list of imports/],
    ["a digest that is too short", withEntry({ ...ENTRY, sha256: DIGEST.slice(1) }), /needs a sha256/],
    ["a digest with a line end", withEntry({ ...ENTRY, sha256: `${DIGEST}\n` }), /needs a sha256/],
    ["a digest in upper case", withEntry({ ...ENTRY, sha256: DIGEST.toUpperCase() }), /needs a sha256/],
    ["depth", `${"[".repeat(100)}${"]".repeat(100)}`, /nested deeper/],
    ["more than anybody reviews", " ".repeat(4 * 1_048_576 + 1), /longer than 4194304 bytes/],
  ])("of %s is broken, and not missing", async (_, content, message) => {
    const path = withLock(content);
    expect(await readLockFile(path)).toEqual({
      kind: "broken",
      problem: {
        severity: "error",
        code: "HOOK_LOCK_INVALID",
        message: expect.stringMatching(message),
        hint: expect.stringContaining("hookbox lock"),
        place: expect.objectContaining({ file: join(path, "hookbox.lock") }),
      },
    });
  });

  test("that is a folder, or a link to nowhere or to itself, is broken, and not missing", async () => {
    const paths = [folder(), folder(), folder()].map((path) => join(path, "hookbox.lock"));
    const [directory = "", lost = "", circle = ""] = paths;
    mkdirSync(directory);
    symlinkSync(ABSENT, lost);
    symlinkSync(circle, circle);
    for (const path of paths) expect(await readLockFile(join(path, ".."))).toMatchObject({ kind: "broken" });
  });
});

describe("a module's name in a lock file", () => {
  test.each([
    ["guard.wasm", "./guard.wasm"],
    ["./guard.wasm", "./guard.wasm"],
    [".//guard.wasm", "./guard.wasm"],
    ["a/../guard.wasm", "./guard.wasm"],
    ["./a/./b/../guard.wasm", "./a/guard.wasm"],
    ["a\\guard.wasm", "./a/guard.wasm"],
    [".\\a\\..\\guard.wasm", "./guard.wasm"],
    ["../guard.wasm", "../guard.wasm"],
    ["a/../../guard.wasm", "../guard.wasm"],
    ["..\\guard.wasm", "../guard.wasm"],
    ["/srv/a/../guard.wasm", "/srv/guard.wasm"],
    ["C:\\guards\\guard.wasm", "C:/guards/guard.wasm"],
    ["..guard.wasm", "./..guard.wasm"],
    ["__proto__", "./__proto__"],
  ])("for %s is %s", (module, key) => {
    expect(lockKey(module)).toBe(key);
  });

  test("is unchanged by a second conversion, and never an inherited property of objects", () => {
    const path = fc.array(fc.constantFrom(".", "..", "a", "b.wasm", "/", "\\", "__proto__"), { minLength: 1 });
    fc.assert(
      fc.property(path, (parts) => {
        const key = lockKey(parts.join(""));
        expect(lockKey(key)).toBe(key);
        expect(key).toMatch(/^(\.{1,2})?\//);
        expect(key).not.toContain("\\");
      }),
    );
  });
});
