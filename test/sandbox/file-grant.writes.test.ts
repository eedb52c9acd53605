import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { WAITING, type WaitingDisk } from "../../src/files/disk.ts";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import type { PathGrant } from "../../src/grants.ts";
import type { Failure } from "../../src/outcome.ts";
import { commitFiles } from "../../src/sandbox/grants/file-writes.ts";
import { deadline, TIMEOUT } from "../executors/wasm/wasm-rule.ts";
import { INSIDE, MARKER } from "../files/attacked-folder.ts";
import { makeFolder } from "../helpers/folders.ts";

const isLinux = process.platform === "linux";
const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(isLinux ? ([["by descriptor", byDescriptor]] as const) : []),
];

const writable = (path: string, name = "name"): PathGrant => ({ name, path, access: "write" });
const bytes = (text: string) => new TextEncoder().encode(text);
const openDescriptors = (): number => (isLinux ? readdirSync("/proc/self/fd").length : 0);

describe.each(OPENERS)("a file that a guard has written (%s)", (_, opener) => {
  async function commit(
    grants: readonly PathGrant[],
    files: Readonly<Record<string, string>>,
    disk?: WaitingDisk,
  ): Promise<Failure | undefined> {
    const before = openDescriptors();
    const failure = await commitFiles(
      grants,
      Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) })),
      { opener, ...(disk === undefined ? {} : { disk }) },
    );
    expect(openDescriptors()).toBe(before);
    return failure;
  }

  test("is complete and readable by the user only, without other files next to it", async () => {
    const root = makeFolder({ "cache/deep": null, alone: null });
    const [inFolder, deep, alone] = [
      join(root, "cache/a"),
      join(root, "cache/deep/b"),
      join(root, "alone/policy.json"),
    ];
    const grants = [writable(join(root, "cache")), writable(alone)];
    expect(await commit(grants, { [inFolder]: "one", [deep]: "two", [alone]: "three" })).toBeUndefined();
    expect([inFolder, deep, alone].map((path) => readFileSync(path, "utf8"))).toEqual(["one", "two", "three"]);
    for (const path of [inFolder, deep, alone]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(root, "cache")).sort()).toEqual(["a", "deep"]);
    expect(readdirSync(join(root, "alone"))).toEqual(["policy.json"]);
  });

  test("replaces the previous file with its permissions, and does not change its hard links", async () => {
    const root = makeFolder({ a: "old", b: "old" });
    chmodSync(join(root, "a"), 0o2644);
    linkSync(join(root, "a"), join(root, "hard"));
    expect(await commit([writable(root)], { [join(root, "a")]: "new", [join(root, "b")]: "" })).toBeUndefined();
    expect(readFileSync(join(root, "a"), "utf8")).toBe("new");
    expect(readFileSync(join(root, "b"), "utf8")).toBe("");
    expect(readFileSync(join(root, "hard"), "utf8")).toBe("old");
    expect(statSync(join(root, "a")).mode & 0o7777).toBe(0o644);
  });

  test("is where the granted path leads through links that the rule's author has named", async () => {
    const root = makeFolder({ "real/a": "old" });
    symlinkSync("real/a", join(root, "link"));
    symlinkSync("real", join(root, "folder"));
    const grants = [writable(join(root, "link")), writable(join(root, "folder"))];
    expect(await commit(grants, { [join(root, "link")]: "new", [join(root, "folder/b")]: "two" })).toBeUndefined();
    expect(readFileSync(join(root, "real/a"), "utf8")).toBe("new");
    expect(readFileSync(join(root, "real/b"), "utf8")).toBe("two");
    expect(readdirSync(root).sort()).toEqual(["folder", "link", "real"]);
  });

  test.each([
    ["outside of every grant", "secret", "is not granted for writing"],
    ["beside a granted folder", "app-other/x", "is not granted for writing"],
    ["where only reading is granted", "readable/x", "is not granted for writing"],
    ["above the granted folder", "app/../secret", 'the part ".."'],
    ["at a path that says more than it has to", "app/./x", 'the part "."'],
    ["through a folder's link", "app/out/x", "symbolic link"],
    ["at a link", "app/link", "symbolic link"],
    ["at a link that leads to nothing", "app/dangling", "symbolic link"],
    ["at a folder", "app/folder", "is a folder"],
    ["at a pipe", "app/pipe", "is not a regular file"],
    ["at a file that is read-only", "app/read-only", "is read-only"],
    ["in a folder that there is not", "app/none/x", "its folder does not exist"],
    ["in a file", "app/file/x", "is in no folder"],
    ["at the granted folder itself", "app", "is a folder"],
    ["at a granted path that is a link to nothing", "granted-dangling", "symbolic link"],
    ["in a folder that has a name as long as can be", `app/${"x".repeat(256)}`, "limit is 255"],
  ])("is not written, %s; and no other file of the same call is", async (_, path, why) => {
    const root = makeFolder({
      secret: MARKER,
      "app/folder": null,
      "app/file": INSIDE,
      "app/read-only": INSIDE,
      "app-other": null,
      elsewhere: null,
      readable: null,
      "first/a": INSIDE,
    });
    chmodSync(join(root, "app/read-only"), 0o444);
    symlinkSync("../elsewhere", join(root, "app/out"));
    symlinkSync("../secret", join(root, "app/link"));
    symlinkSync("../nothing", join(root, "app/dangling"));
    symlinkSync("nothing", join(root, "granted-dangling"));
    execFileSync("mkfifo", [join(root, "app/pipe")]);
    const seen = (): string =>
      execFileSync("sh", ["-c", 'find . -printf "%p %y %m\\n" | sort; cat secret app/file app/read-only first/a'], {
        cwd: root,
        encoding: "utf8",
      });
    const before = seen();
    const grants: PathGrant[] = [
      writable(join(root, "first")),
      writable(join(root, "app")),
      { name: "readable", path: join(root, "readable"), access: "read" },
      writable(join(root, "granted-dangling")),
    ];
    const failure = await commit(grants, { [join(root, "first/a")]: "new", [`${root}/${path}`]: "bad" });
    expect(failure).toMatchObject({ kind: /does not exist/.test(why) ? "unavailable" : "capability" });
    expect(failure?.message).toMatch(why);
    expect(failure?.message).toContain(JSON.stringify(`${root}/${path}`));
    expect(seen()).toBe(before);
  });

  test("is not changed at all if the disk fails while it is written", async () => {
    for (const name of ["open", "write", "fchmod", "close", "readlink", "lstat", "fstat"] as const) {
      for (let nth = 1; nth < 40; nth++) {
        const root = makeFolder({ "a/x": "old", "b/y": "old" });
        let [calls, renames] = [0, 0];
        const original = WAITING[name] as (...requirements: unknown[]) => Promise<unknown>;
        const disk = {
          ...WAITING,
          rename: (...requirements: Parameters<WaitingDisk["rename"]>) => {
            renames++;
            return WAITING.rename(...requirements);
          },
          [name]: async (...requirements: unknown[]) => {
            calls += 1;
            // A descriptor is closed even if close reports an error.
            if (calls !== nth || renames > 0) return original(...requirements);
            if (name === "close") await original(...requirements);
            throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
          },
        } as WaitingDisk;
        const wanted = { [join(root, "a/x")]: "new", [join(root, "b/y")]: "new", [join(root, "b/z")]: "new" };
        const failure = await commit([writable(root)], wanted, disk);
        if (failure !== undefined) expect(failure).toMatchObject({ kind: "unavailable" });
        const there = ["a/x", "b/y"].map((path) => readFileSync(join(root, path), "utf8"));
        const isAll = failure === undefined || renames > 0;
        if (!isAll) expect(there).toEqual(["old", "old"]);
        if (!isAll) expect([...readdirSync(join(root, "a")), ...readdirSync(join(root, "b"))]).toEqual(["x", "y"]);
        rmSync(root, { recursive: true });
        if (calls < nth) break;
      }
    }
  });

  test("is in no folder that was replaced by a link after it was checked", async () => {
    for (const name of ["open", "lstat", "write", "rename"] as const) {
      for (let nth = 1; nth < 20; nth++) {
        const parent = makeFolder({ "app/folder": null, elsewhere: null });
        let calls = 0;
        const original = WAITING[name] as (...requirements: unknown[]) => Promise<unknown>;
        const disk = {
          ...WAITING,
          [name]: (...requirements: unknown[]) => {
            calls += 1;
            if (calls === nth) {
              renameSync(join(parent, "app/folder"), join(parent, "app/kept"));
              symlinkSync("../elsewhere", join(parent, "app/folder"));
            }
            return original(...requirements);
          },
        } as WaitingDisk;
        await commit([writable(join(parent, "app"))], { [join(parent, "app/folder/x")]: "new" }, disk);
        // Without descriptors, a folder that is replaced between the last check and the next call is lost.
        if (opener === byDescriptor) expect(readdirSync(join(parent, "elsewhere"))).toEqual([]);
        rmSync(parent, { recursive: true });
        if (calls < nth) break;
      }
    }
  });

  test("is not in a folder of the kernel's", async ({ skip }) => {
    if (!isLinux) skip("there is no such folder");
    const failure = await commit([writable("/proc/self")], { "/proc/self/comm": "me" });
    expect(failure).toMatchObject({ kind: "capability", message: expect.stringContaining("kernel's") });
  });
});

test("more writes than a call may make are a failure, and nothing is written", async () => {
  const root = makeFolder();
  const many = Array.from({ length: 17 }, (_, at) => ({ path: join(root, `${at}`), bytes: bytes("x") }));
  expect(await commitFiles([writable(root)], many)).toMatchObject({ kind: "memory", limit: 16, value: 17 });
  const large = [{ path: join(root, "a"), bytes: new Uint8Array(1_048_577) }];
  expect(await commitFiles([writable(root)], large)).toMatchObject({
    kind: "memory",
    limit: 1_048_576,
    value: 1_048_577,
  });
  expect(readdirSync(root)).toEqual([]);
});

test("a file has its old or new content, and never part of it, for every process that reads it", async () => {
  const root = makeFolder({ a: "0".repeat(100_000) });
  const path = join(root, "a");
  const seen = new Set<string>();
  for (let round = 1; round <= 9; round++) {
    const writing = commitFiles([writable(path)], [{ path, bytes: bytes(String(round).repeat(100_000)) }]);
    let isDone = false;
    const done = writing.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      seen.add(readFileSync(path, "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await done).toBeUndefined();
  }
  for (const text of seen) expect(text).toMatch(/^(\d)\1{99999}$/);
});

test("a granted name that was a file and is now a folder is refused", async () => {
  const root = makeFolder({ policy: "old" });
  rmSync(join(root, "policy"));
  mkdirSync(join(root, "policy"));
  writeFileSync(join(root, "policy/x"), "x");
  const failure = await commitFiles(
    [writable(join(root, "policy"))],
    [{ path: join(root, "policy"), bytes: bytes("y") }],
  );
  expect(failure).toMatchObject({ kind: "capability", message: expect.stringContaining("is a folder") });
});

test("a deadline that passes while drafts are written changes no file, and leaves no draft", async () => {
  const root = makeFolder({ a: "old", b: "old" });
  const { signal, pass } = deadline();
  const disk: WaitingDisk = {
    ...WAITING,
    write: async (...requirements) => {
      pass();
      return WAITING.write(...requirements);
    },
  };
  const files = ["a", "b"].map((name) => ({ path: join(root, name), bytes: bytes("new") }));
  expect(await commitFiles([writable(root)], files, { disk, signal })).toEqual(TIMEOUT);
  expect(readdirSync(root).sort()).toEqual(["a", "b"]);
  expect(["a", "b"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual(["old", "old"]);
});
