import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { byComparison, byDescriptor } from "../../../src/files/opened-file.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { HIDDEN_NAME, INSIDE, MARKER } from "../../files/attacked-folder.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { times } from "../../helpers/tier.ts";
import { callTool, confined, placeIn } from "./agent-kit.ts";

/** Replaces `app/file` and `app/folder` by links that lead out, and back, as fast as possible. */
const SWAPPER = `
  const { renameSync, rmSync, symlinkSync, writeFileSync } = require("node:fs");
  const { workerData: { root, state } } = require("node:worker_threads");
  for (let round = 0; Atomics.load(state, 0) === 0; round++) {
    // Either way round, the name is never missing.
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

/** Repeats the attempts while the paths change, and returns whether the paths did change. */
async function whileSwapped(root: string, tries: () => Promise<void>): Promise<number> {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(SWAPPER, { eval: true, workerData: { root, state } });
  const ended = new Promise<number>((resolve, reject) => worker.once("exit", resolve).once("error", reject));
  onTestFinished(async () => {
    await worker.terminate();
  });
  while (Atomics.load(state, 1) === 0) await new Promise((resolve) => setImmediate(resolve));
  await tries();
  Atomics.store(state, 0, 1);
  expect(await ended).toBe(0);
  return Atomics.load(state, 1);
}

function swappedFolder(): string {
  const parent = makeFolder({
    "secret.txt": MARKER,
    "elsewhere/below.txt": MARKER,
    [`elsewhere/${HIDDEN_NAME}`]: MARKER,
    "app/file": INSIDE,
    "app/folder/below.txt": INSIDE,
  });
  return join(parent, "app");
}

test.each([
  ["by descriptor", byDescriptor],
  ["by comparison", byComparison],
])("reads nothing outside while another process replaces files and folders by links: %s", async (_, opener) => {
  const root = swappedFolder();
  const folder = await confined(root, opener);
  let [inside, refused] = [0, 0];
  const rounds = await whileSwapped(root, async () => {
    const hasMetBoth = (): boolean => inside > 0 && refused > 0;
    for (let at = 0; at < times(300, 100) || (at < 30_000 && !hasMetBoth()); at++) {
      for (const path of ["file", "folder/below.txt"]) {
        const found = await folder.read(path, 100, new Stop());
        if (!found.ok) refused++;
        else {
          expect(found.value.bytes.toString()).not.toContain(MARKER);
          inside++;
        }
      }
    }
  });
  expect(rounds).toBeGreaterThan(1);
  // Both must have happened, otherwise the test has checked nothing.
  expect(inside).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
});

test("lists and searches nothing outside while paths are replaced", async () => {
  const root = swappedFolder();
  const place = await placeIn(root);
  const texts: string[] = [];
  await whileSwapped(root, async () => {
    for (let at = 0; at < times(100, 25); at++) {
      texts.push((await callTool(place, "glob", { pattern: "folder/*" })).text);
      texts.push((await callTool(place, "glob", { pattern: "**" })).text);
      texts.push((await callTool(place, "grep", { pattern: "mark[e]r|insid[e]", path: "folder" })).text);
      texts.push((await callTool(place, "grep", { pattern: "mark[e]r|insid[e]" })).text);
    }
  });
  const all = texts.join("\n");
  expect(all).toContain(INSIDE);
  expect(all).not.toContain(MARKER);
  expect(all).not.toContain(HIDDEN_NAME);
});

test("reads nothing after the root itself has become a link that leads out", async () => {
  const parent = makeFolder({ "app/a.txt": INSIDE, "other/a.txt": MARKER });
  for (const [name, opener] of [
    ["by-descriptor", byDescriptor],
    ["by-comparison", byComparison],
  ] as const) {
    const root = join(parent, `app-${name}`);
    mkdirSync(root);
    writeFileSync(join(root, "a.txt"), INSIDE);
    const folder = await confined(root, opener);
    renameSync(root, `${root}-moved`);
    symlinkSync("other", root);
    expect((await folder.read("a.txt", 100, new Stop())).ok).toBe(false);
    expect((await folder.list(".", 100, new Stop())).ok).toBe(false);
  }
});
