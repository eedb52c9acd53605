import { join } from "node:path";
import type { PathGrant } from "../rule.ts";
import { whyNotWritten } from "./deciding-places.ts";
import { ask, isAbsence, type Steps } from "./disk.ts";
import { isWithin } from "./kernel-places.ts";
import { type Opened, Unfit } from "./opened-file.ts";

/** Where something is about to be written. */
export interface PlaceFound {
  /** Open, so that it stays what was looked at. */
  readonly folder: Opened;
  readonly name: string;
  /** Where the granted path leads now, without links. */
  readonly root: string;
}

/**
 * Holds what is open now to what was judged when the rule was read: links may have been made since, by whoever may write
 * beside what is granted. Throws {@link Unfit}.
 */
export function* judgeAgain(
  { path, location, apart = [] }: PathGrant,
  { folder, name, root }: PlaceFound,
): Steps<void> {
  if (location !== undefined && root !== location) throw new Unfit("does not lie where it lay when its rule was read");
  const why = whyNotWritten(join(folder.location, name), path);
  if (why !== undefined) throw new Unfit(why);
  for (const place of apart) {
    // The folder of the configuration may have become a link as well.
    if (isWithin(place, root) || isWithin(yield* realPlace(place), root))
      throw new Unfit("leads to the folder of the file that grants it, or to that file");
  }
}

function* realPlace(place: string): Steps<string> {
  try {
    return (yield* ask("realpath", place)).toString();
  } catch (error) {
    // A configuration that was removed, or never was a file, is nowhere.
    if (isAbsence(error)) return place;
    throw error;
  }
}
