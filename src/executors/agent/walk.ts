import type { StopSignal } from "../../stop-signal.ts";
import type { ConfinedFolder, Found, Listing } from "./confined-folder.ts";

/** Goes through a folder and what lies in it, in the order of names. Links are not followed. */

/** Each counts, whether it fits or not. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 40;
const MAX_WALK_MS = 10_000;

/** Of no use to a judge, and so many that they would use up the walk. Entered only by a path that names them. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", "node_modules"]);

export interface WalkedEntry {
  /** From the root on, with `/`. */
  readonly path: string;
  readonly kind: "file" | "folder";
}

export interface Walk {
  readonly entries: AsyncIterable<WalkedEntry>;
  /** What was not gone through, once all has been. For the model. */
  readonly gaps: ReadonlySet<string>;
}

/** `enters`: whether something in that folder could be wanted. Refused if the start cannot be listed. */
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
