import { readdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openFolder } from "../../../src/executors/agent/confined-folder.ts";
import { takeSteps } from "../../../src/files/disk.ts";
import { byComparison, byDescriptor, usualOpener } from "../../../src/files/opened-file.ts";
import { Stop } from "../../../src/stop-signal.ts";
import {
  type AttackedFolder,
  attackedFolder,
  HIDDEN_NAME,
  hostilePaths,
  hostilePatterns,
  INSIDE,
  MARKER,
} from "../../files/attacked-folder.ts";
import fc from "../../helpers/fc.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { callTool, confined, placeIn, resultsIn, runAgainst, say, scripted, type Turn } from "./agent-kit.ts";

const isLinux = process.platform === "linux";
const OPENERS = [
  ["by descriptor", byDescriptor],
  ["by comparison", byComparison],
] as const;

const openDescriptors = (): number => (isLinux ? readdirSync("/proc/self/fd").length : 0);

function hostileCalls(attacked: AttackedFolder): (readonly [string, { readonly [key: string]: string }])[] {
  const paths = hostilePaths(attacked);
  const patterns = hostilePatterns(attacked);
  return [
    ...paths.map((path) => ["read", { path }] as const),
    ...paths.map((path) => ["grep", { pattern: ".", path }] as const),
    ...patterns.map((pattern) => ["glob", { pattern }] as const),
    ...paths.map((pattern) => ["glob", { pattern }] as const),
    ...paths.map((path) => ["glob", { pattern: `${path}/**` }] as const),
    ...patterns.map((glob) => ["grep", { pattern: "mark[e]r", glob }] as const),
    ...patterns.map((path) => ["read", { path }] as const),
    ["grep", { pattern: "mark[e]r|insid[e]" }],
    ["glob", { pattern: "**" }],
    ["glob", { pattern: "*" }],
  ];
}

describe("a folder under attack", () => {
  test("reveals nothing of what is outside to a model, whatever it calls", async () => {
    const attacked = await attackedFolder();
    const calls = hostileCalls(attacked);
    expect(calls.length).toBeGreaterThan(300);
    const turns: Turn[] = [];
    for (let at = 0; at < calls.length; at += 16) turns.push(calls.slice(at, at + 16));
    const script = scripted(...turns, [say(true)]);
    // Files that the first run loads stay open.
    await runAgainst(scripted([["grep", { pattern: "x" }]], [say(true)]), attacked.root);
    const before = openDescriptors();
    const result = await runAgainst(script, attacked.root, { maxTurns: 100, maxTokens: 1_000_000 });
    expect(result).toMatchObject({ ok: true, receipt: { turns: turns.length + 1 } });
    expect(openDescriptors()).toBe(before);
    expect(script.requests.slice(1).flatMap(resultsIn)).toHaveLength(calls.length);
    const sent = script.sent.join("\n");
    expect(sent).toContain(INSIDE);
    for (const text of [MARKER, HIDDEN_NAME, "root:x:", "PATH="]) expect(sent).not.toContain(text);
  });

  test.each(OPENERS)("gives an error for each hostile path: %s", async (_, opener) => {
    const attacked = await attackedFolder();
    const folder = await confined(attacked.root, opener);
    const stop = new Stop();
    const read: string[] = [];
    for (const path of hostilePaths(attacked)) {
      for (const found of [await folder.read(path, 1_000, stop), await folder.list(path, 1_000, stop)]) {
        if (found.ok) read.push(path);
      }
    }
    expect(read).toEqual([]);
  });

  test.each(OPENERS)("can itself be read, through its own links as well: %s", async (_, opener) => {
    const { root } = await attackedFolder();
    const folder = await confined(root, opener);
    const stop = new Stop();
    const names = ["inside.txt", "folder/below.txt", "with\nnewline.txt", "out-and-in", `${root}/inside.txt`];
    for (const path of names) {
      const found = await folder.read(path, 1_000, stop);
      expect(found.ok && found.value.bytes.toString(), path).toBe(INSIDE);
    }
    const listed = await folder.list("folder", 100, stop);
    expect(listed.ok && listed.value.entries.map(({ name, kind }) => [name, kind])).toEqual([
      ["below.txt", "file"],
      ["chain-3", "other"],
      ["empty", "folder"],
      ["up", "other"],
    ]);
  });

  test("does not reveal whether a file exists behind a link that leads out", async () => {
    const { root } = await attackedFolder();
    const place = await placeIn(root);
    const there = await callTool(place, "read", { path: "to-folder/secret.txt" });
    expect(await callTool(place, "read", { path: "to-folder/nothing" })).toEqual(there);
    expect(await callTool(place, "read", { path: "dangling" })).toEqual(there);
  });
});

describe("any path", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "",
      "~",
      "\0",
      "\\",
      "..\\..",
      "app",
      "app-secrets",
      "secret.txt",
      "folder",
      "inside.txt",
    ),
    fc.constantFrom(
      "to-file",
      "to-folder",
      "to-parent",
      "to-root",
      "chain-1",
      "loop-1",
      "up",
      "out-and-in",
      "proc",
      "self",
    ),
    fc.constantFrom(
      "root",
      "environ",
      "etc",
      "passwd",
      "below.txt",
      "zero",
      "pipe",
      "socket",
      "process-root",
      "process-folder",
    ),
    fc.string({ maxLength: 4, unit: "grapheme" }),
  );

  test.each(OPENERS)("leads inside or is refused: %s", async (_, opener) => {
    const attacked = await attackedFolder();
    const folder = await confined(attacked.root, opener);
    const starts = fc.constantFrom(
      "",
      "/",
      "//",
      `${attacked.root}/`,
      `${attacked.parent}/`,
      "../",
      "~/",
      "/proc/self/root/",
    );
    let reads = 0;
    await fc.assert(
      fc.asyncProperty(starts, fc.array(part, { maxLength: 7 }), async (start, parts) => {
        const path = start + parts.join("/");
        const read = await folder.read(path, 1_000, new Stop());
        if (read.ok) {
          reads++;
          expect(read.value.bytes.toString()).toBe(INSIDE);
        }
        const listed = await folder.list(path, 1_000, new Stop());
        if (listed.ok) {
          expect(["", "folder", "folder/empty"]).toContain(listed.value.folder);
          expect(listed.value.entries.map(({ name }) => name)).not.toContain(HIDDEN_NAME);
        }
      }),
      { numRuns: 1_500, examples: [["", ["inside.txt"]]] },
    );
    expect(reads).toBeGreaterThan(0);
  });
});

describe("the root", () => {
  const open = async (cwd: unknown): Promise<string> => {
    const opened = await openFolder(cwd);
    return opened.ok ? "opened" : opened.reason;
  };

  test.each([
    [undefined, /names no working directory/],
    ["", /names no working directory/],
    [7, /names no working directory/],
    [["/tmp"], /names no working directory/],
    ["relative/folder", /not an absolute path/],
    ["~", /not an absolute path/],
    ["/nowhere-at-all", /does not exist/],
    ["/tmp\0", /does not exist/],
    ["/etc/passwd", /is no folder/],
    ["/proc/self", /the kernel's/],
    ["/sys", /the kernel's/],
    ["/dev", /the kernel's/],
  ])("has to be an existing folder, not %j", async (cwd, reason) => {
    expect(await open(cwd)).toMatch(reason);
  });

  test("may be reached through a link, and then paths may use either name", async () => {
    const parent = makeFolder({ "real/a.txt": INSIDE, "secret.txt": MARKER });
    symlinkSync(join(parent, "real"), join(parent, "linked"));
    const folder = await confined(join(parent, "linked"));
    expect(folder.root).toBe(realpathSync(join(parent, "real")));
    for (const path of [join(parent, "linked/a.txt"), join(parent, "real/a.txt"), "a.txt"]) {
      expect((await folder.read(path, 100, new Stop())).ok, path).toBe(true);
    }
    expect((await folder.read(join(parent, "linked/../secret.txt"), 100, new Stop())).ok).toBe(false);
  });

  test.runIf(isLinux)("that contains all folders still excludes the kernel's view of processes", async () => {
    for (const opener of [byDescriptor, byComparison]) {
      const folder = await confined("/", opener);
      for (const path of ["/proc/self/environ", "proc/self/status", "/sys/kernel/notes", "/dev/zero", "/dev/null"]) {
        expect((await folder.read(path, 100, new Stop())).ok, path).toBe(false);
      }
      expect((await folder.list("/proc", 10, new Stop())).ok).toBe(false);
      expect((await folder.read("/proc/self/root/etc/passwd", 100, new Stop())).ok).toBe(true);
    }
  });

  test.runIf(isLinux)("is held by descriptors if the system has them", async () => {
    expect(await takeSteps(usualOpener())).toBe(byDescriptor);
  });
});
