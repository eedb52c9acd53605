import type { StopSignal } from "../../stop-signal.ts";
import type { ConfinedFolder, Found, Listing } from "./confined-folder.ts";

/** Lists a folder and everything in it, sorted by name. Does not follow links. */

/** The maximum number of entries, including entries that do not match. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 40;
const MAX_WALK_MS = 10_000;

/** Folders that do not help a judge and would exceed the limits. A walk enters them only if the path names them. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

export interface WalkedEntry {
  /** The path of the entry, relative to the root, with `/`. */
  readonly path: string;
  readonly kind: "file" | "folder";
}

interface Walk {
  readonly entries: AsyncIterable<WalkedEntry>;
  /** What was left out, for the model. Complete only after the whole walk. */
  readonly gaps: ReadonlySet<string>;
}

/** Starts a walk. `enters` says whether a folder may contain a wanted entry. Fails if the start cannot be listed. */
export async function startWalk(
  folder: ConfinedFolder,
  start: string,
  stop: StopSignal,
  enters: (folder: string) => boolean = () => true,
): Promise<Found<Walk>> {
  const first = await folder.list(start, MAX_ENTRIES, stop);
  if (!first.ok) return first;
  const gaps = new Set<string>();
  return { ok: true, value: { entries: walk(folder, first, stop, enters, gaps), gaps } };
}

async function* walk(
  folder: ConfinedFolder,
  first: Found<Listing>,
  stop: StopSignal,
  enters: (folder: string) => boolean,
  gaps: Set<string>,
): AsyncGenerator<WalkedEntry> {
  const endsAt = performance.now() + MAX_WALK_MS;
  const open: { readonly path: string; readonly depth: number }[] = [];
  let seen = 0;
  let listing = first;
  for (let depth = 0; ; ) {
    if (!listing.ok) gaps.add("some folders cannot be read");
    else {
      const { entries, isWhole, folder: parent } = listing.value;
      seen += entries.length;
      if (!isWhole) gaps.add(`stopped after ${MAX_ENTRIES} files and folders`);
      const below: string[] = [];
      for (const { name, kind } of entries) {
        if (kind === "other") continue;
        const path = parent === "" ? name : `${parent}/${name}`;
        yield { path, kind };
        if (stop.aborted) return;
        if (performance.now() > endsAt) {
          gaps.add(`stopped after ${MAX_WALK_MS / 1_000} seconds`);
          return;
        }
        if (kind === "folder" && !LEFT_OUT.has(name) && enters(path)) below.push(path);
      }
      if (depth < MAX_DEPTH) open.push(...below.reverse().map((path) => ({ path, depth: depth + 1 })));
      else if (below.length > 0) gaps.add(`folders deeper than ${MAX_DEPTH} are left out`);
    }
    const next = open.pop();
    if (next === undefined || stop.aborted) return;
    if (seen >= MAX_ENTRIES) {
      gaps.add(`stopped after ${MAX_ENTRIES} files and folders`);
      return;
    }
    depth = next.depth;
    listing = await folder.list(next.path, MAX_ENTRIES - seen, stop);
  }
}
