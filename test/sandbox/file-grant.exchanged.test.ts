import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { BLOCKING, type DiskCalls } from "../../src/files/disk.ts";
import { byComparison, byDescriptor, type Opener } from "../../src/files/opened-file.ts";
import { GrantedFiles } from "../../src/sandbox/guest/capabilities/granted-files.ts";
import { INSIDE, MARKER } from "../files/attacked-folder.ts";
import { makeFolder } from "../helpers/folders.ts";

const OPENERS: readonly (readonly [string, Opener])[] = [
  ["by comparison", byComparison],
  ...(process.platform === "linux" ? ([["by descriptor", byDescriptor]] as const) : []),
];

/** Replaces the file, the folder and the granted folder itself by links that lead out, and back. */
const SWAPPER = `
  const { renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
  const { workerData: { parent, state } } = require("node:worker_threads");
  const root = parent + "/app";
  for (let round = 0; Atomics.load(state, 0) === 0; round++) {
    if (round % 2 === 0) symlinkSync("../secret.txt", root + "/next");
    else writeFileSync(root + "/next", "${INSIDE}");
    renameSync(root + "/next", root + "/file");
    renameSync(root + "/folder", root + "/kept");
    symlinkSync("../elsewhere", root + "/folder");
    rmSync(root + "/folder");
    renameSync(root + "/kept", root + "/folder");
    Atomics.add(state, 1, 1);
  }
`;

function swapped(): string {
  return makeFolder({
    "secret.txt": MARKER,
    "elsewhere/below.txt": MARKER,
    "app/file": INSIDE,
    "app/folder/below.txt": INSIDE,
  });
}

/** Returns a function that reads: text, `undefined`, or "refused". */
function reader(root: string, opener: Opener, disk?: DiskCalls): (name: string) => string | undefined {
  const files = new GrantedFiles({ opener, ...(disk === undefined ? {} : { disk }) });
  const grants = [{ name: "app", path: root, access: "read" as const }];
  return (name) => {
    files.begin({
      grants,
      given: undefined,
      refuse: ({ message }) => {
        throw new Error(message);
      },
    });
    try {
      const bytes = files.read(name);
      return bytes === undefined ? undefined : Buffer.from(bytes).toString();
    } catch {
      return "refused";
    }
  };
}

test.each(OPENERS)(
  "nothing outside is read while another process replaces files and folders by links: %s",
  async (_, opener) => {
    const parent = swapped();
    const state = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(SWAPPER, { eval: true, workerData: { parent, state } });
    const ended = new Promise<number>((resolve, reject) => worker.once("exit", resolve).once("error", reject));
    onTestFinished(async () => {
      await worker.terminate();
    });
    while (Atomics.load(state, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
    const read = reader(join(parent, "app"), opener);
    const met = new Map<string | undefined, number>();
    const hasMetBoth = (): boolean => met.has(INSIDE) && met.has("refused");
    for (let at = 0; at < 200 || (at < 30_000 && !hasMetBoth()); at++) {
      for (const path of ["app/file", "app/folder/below.txt"]) {
        const found = read(path);
        met.set(found, (met.get(found) ?? 0) + 1);
      }
    }
    Atomics.store(state, 0, 1);
    expect(await ended).toBe(0);
    expect(Atomics.load(state, 1)).toBeGreaterThan(1);
    // Both must have occurred, otherwise the test has checked nothing; and nothing else may have occurred.
    expect(hasMetBoth()).toBe(true);
    expect([...met.keys()].filter((found) => ![INSIDE, "refused", undefined].includes(found))).toEqual([]);
  },
);

/** The disk, with a change just before the nth call of a kind. */
function meddled(name: keyof DiskCalls, nth: number, meddle: () => void): { disk: DiskCalls; wasDone: () => boolean } {
  let calls = 0;
  const original = BLOCKING[name] as (...requirements: unknown[]) => unknown;
  const call = (...requirements: unknown[]): unknown => {
    calls += 1;
    if (calls === nth) meddle();
    return original(...requirements);
  };
  return { disk: { ...BLOCKING, [name]: call } as DiskCalls, wasDone: () => calls >= nth };
}

const OTHER = "other-text-9e07";

const MEDDLINGS: Readonly<Record<string, (parent: string) => void>> = {
  "the file becomes a link": (parent) => {
    unlinkSync(join(parent, "app/folder/below.txt"));
    symlinkSync("../../secret.txt", join(parent, "app/folder/below.txt"));
  },
  "its folder becomes a link": (parent) => {
    renameSync(join(parent, "app/folder"), join(parent, "app/kept"));
    symlinkSync("../elsewhere", join(parent, "app/folder"));
  },
  "its folder moves out, and another comes in its place": (parent) => {
    renameSync(join(parent, "app/folder"), join(parent, "moved"));
    mkdirSync(join(parent, "app/folder"));
  },
  "the granted folder becomes a link": (parent) => {
    renameSync(join(parent, "app"), join(parent, "was"));
    mkdirSync(join(parent, "other/folder"), { recursive: true });
    writeFileSync(join(parent, "other/folder/below.txt"), OTHER);
    symlinkSync("other", join(parent, "app"));
  },
  "the file is gone": (parent) => rmSync(join(parent, "app/folder/below.txt")),
};

test.each(OPENERS)("nothing outside is read whatever changes before any one step: %s", (_, opener) => {
  const descriptors = (): number => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);
  const seen = new Set<string | undefined>();
  for (const meddle of Object.values(MEDDLINGS)) {
    for (const call of ["open", "readlink", "realpath", "lstat", "fstat", "read", "close"] as const) {
      for (let nth = 1; nth < 40; nth++) {
        const parent = swapped();
        const { disk, wasDone } = meddled(call, nth, () => meddle(parent));
        const before = descriptors();
        const found = reader(join(parent, "app"), opener, disk)("app/folder/below.txt");
        expect(descriptors()).toBe(before);
        seen.add(found);
        rmSync(parent, { recursive: true });
        if (!wasDone()) break;
      }
    }
  }
  // Before the granted folder is first resolved, it is wherever the author's path leads.
  expect([...seen].sort()).toEqual([INSIDE, OTHER, "refused", undefined]);
});
