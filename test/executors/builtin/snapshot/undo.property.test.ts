import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { MAX_NEW_FILE_BYTES } from "../../../../src/executors/builtin/snapshot/capture.ts";
import type { Shadow } from "../../../../src/executors/builtin/snapshot/shadow.ts";
import {
  listCheckpoints,
  openShadow,
  pruneSnapshots,
  takeSnapshot,
  undo,
} from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";
import fc from "../../../helpers/fc.ts";
import { times } from "../../../helpers/tier.ts";
import { fingerprint, makeRepository, type Repository, temporaryFolder } from "../repository.ts";

/** Files at few paths, so that they conflict with each other. */
const PATHS = ["a", "b", "b/c", "d", "d/f", "d/f/g", "x.log", "d/x.log", "big", "-n\n"] as const;
const path = fc.constantFrom(...PATHS);
const content = fc.integer({ min: 0, max: 30 }).map(String);

type Step =
  | { readonly do: "write"; readonly path: string; readonly content: string }
  | { readonly do: "large"; readonly path: string; readonly content: string }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "link"; readonly path: string; readonly to: string }
  | { readonly do: "mode"; readonly path: string; readonly mode: number }
  | { readonly do: "ignore"; readonly file: string; readonly rules: string }
  | { readonly do: "repository"; readonly path: string }
  | { readonly do: "git"; readonly args: readonly string[] }
  | { readonly do: "capture" | "prune" }
  | { readonly do: "undo"; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("write" as const), path, content }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("large" as const), path, content }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("link" as const),
      path,
      to: fc.constantFrom("OUTSIDE", "a", "d", ".", "nowhere"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("mode" as const),
      path,
      mode: fc.constantFrom(0o644, 0o755, 0o600, 0o700, 0o444),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("ignore" as const),
      file: fc.constantFrom(".gitignore", "d/.gitignore", ".git/info/exclude"),
      rules: fc.constantFrom("", "*.log\n", "d/\n", "/b\n", "*\n!.gitignore\n", "big\n!x.log\n"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("repository" as const), path: fc.constantFrom("d", "b") }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("git" as const),
      args: fc.constantFrom(
        ["add", "-A"],
        ["add", "-f", "x.log"],
        ["rm", "-r", "--cached", "-q", "d"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["checkout", "-q", "-B", "other"],
        ["checkout", "-q", "-f", "main"],
        ["stash", "-q"],
        ["update-index", "--assume-unchanged", "a"],
        ["update-index", "--skip-worktree", "a"],
      ),
    }),
  },
  { weight: 5, arbitrary: fc.constant({ do: "capture" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "prune" as const }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("undo" as const), which: fc.integer({ min: -3, max: 30 }) }) },
);

type Tree = Map<string, string>;

/** Returns files and links with their contents, without the top-level `.git`. */
function treeOf(top: string, withModes = true): Tree {
  const tree: Tree = new Map();
  const walk = (at: string): void => {
    for (const name of readdirSync(join(top, at))) {
      const path = at === "" ? name : `${at}/${name}`;
      if (path === ".git") continue;
      const stats = lstatSync(join(top, path));
      if (stats.isDirectory()) walk(path);
      else if (stats.isSymbolicLink()) tree.set(path, `link ${readlinkSync(join(top, path))}`);
      else
        tree.set(
          path,
          `${withModes ? (stats.mode & 0o777).toString(8) : ""} ${stats.size > 99 ? `${stats.size} ` : ""}${readFileSync(join(top, path), "latin1").slice(0, 99)}`,
        );
    }
  };
  walk("");
  return tree;
}

function differences(before: Tree, after: Tree): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

function ignoredBy({ top }: Repository): string[] {
  try {
    return execFileSync("git", ["ls-files", "-z", "-o", "-i", "--exclude-standard"], {
      cwd: top,
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    })
      .split("\0")
      .filter((name) => name !== "" && !name.endsWith("/"));
  } catch {
    return [];
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // A step that is not possible at this moment is skipped.
  }
}

async function checkedUndo(repository: Repository, shadow: Shadow, outside: string, which: number): Promise<void> {
  const { top } = repository;
  const all = await listCheckpoints(shadow);
  const id = which < 0 ? undefined : all[which % Math.max(1, all.length)]?.id;
  const before = treeOf(top);
  const gitBefore = fingerprint(join(top, ".git"));
  const outsideBefore = fingerprint(outside);
  const ignored = ignoredBy(repository);
  let done: Awaited<ReturnType<typeof undo>>;
  try {
    done = await undo(shadow, id);
  } catch (error) {
    expect(String(error)).toContain("no earlier snapshot");
    expect(treeOf(top)).toEqual(before);
    return;
  }
  const after = treeOf(top);
  expect(fingerprint(join(top, ".git")), "the user's git").toEqual(gitBefore);
  expect(fingerprint(outside), "outside").toEqual(outsideBefore);
  for (const path of ignored) expect([path, after.get(path)]).toEqual([path, before.get(path)]);
  for (const path of ignoredBy(repository))
    if (before.has(path)) expect([path, after.get(path)], "ignored then").toEqual([path, before.get(path)]);
  const said = done.changes.map(({ path }) => path).sort();
  expect(said, "what was said").toEqual(differences(before, after));
  // Undoes the undo. What the first undo did not remove is allowed in addition, because it may have existed before.
  const back = await undo(shadow, done.from.id);
  const staying = back.left.map(({ path }) => path);
  const returned = treeOf(top);
  const others = differences(before, returned).filter((path) => before.has(path) || !staying.includes(path));
  expect(others, "undo of undo").toEqual([]);
  await undo(shadow, done.to.id);
  expect(differences(after, treeOf(top)), "undo of undo of undo").toEqual([]);
}

async function perform(one: Step, repository: Repository, shadow: Shadow, outside: string): Promise<void> {
  const { top } = repository;
  switch (one.do) {
    case "write":
    case "large": {
      const text = one.do === "write" ? one.content : one.content.repeat(MAX_NEW_FILE_BYTES + 1);
      return quietly(() => {
        mkdirSync(dirname(join(top, one.path)), { recursive: true });
        const at = lstatSync(join(top, one.path), { throwIfNoEntry: false });
        if (at?.isSymbolicLink() === true || (at?.isDirectory() === true && one.content > "2"))
          rmSync(join(top, one.path), { recursive: true });
        writeFileSync(join(top, one.path), text);
      });
    }
    case "remove":
      return quietly(() => rmSync(join(top, one.path), { recursive: true }));
    case "link":
      return quietly(() => {
        rmSync(join(top, one.path), { recursive: true, force: true });
        mkdirSync(dirname(join(top, one.path)), { recursive: true });
        symlinkSync(one.to === "OUTSIDE" ? outside : one.to, join(top, one.path));
      });
    case "mode":
      return quietly(() => {
        if (lstatSync(join(top, one.path)).isFile()) chmodSync(join(top, one.path), one.mode);
      });
    case "ignore":
      return quietly(() => writeFileSync(join(top, one.file), one.rules));
    case "repository":
      return quietly(() => {
        mkdirSync(join(top, one.path), { recursive: true });
        repository.git("-C", one.path, "init", "-q");
      });
    case "git":
      return quietly(() => void repository.git(...one.args));
    case "capture":
      return void (await takeSnapshot(shadow, { event: "Stop", session: null }));
    case "prune":
      return pruneSnapshots(shadow);
    case "undo":
      return checkedUndo(repository, shadow, outside, one.which);
  }
}

test("an undo removes nothing that it cannot restore, whatever changes before it, and reports what it does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
      const repository = makeRepository({ a: "1", "d/f": "1" });
      const outside = temporaryFolder();
      for (const name of ["f", "x.log", "c"]) writeFileSync(join(outside, name), "not ours");
      const shadow = await openShadow(repository.top, new Stop(), repository.state);
      if (shadow === undefined) throw new Error("no repository");
      try {
        for (const one of steps) await perform(one, repository, shadow, outside);
        await checkedUndo(repository, shadow, outside, -1);
      } finally {
        rmSync(dirname(repository.top), { recursive: true, force: true });
        rmSync(outside, { recursive: true, force: true });
      }
    }),
    { numRuns: Number(process.env["RUNS"] ?? times(10, 4)) },
  );
}, 300_000);
