import { join } from "node:path";
import type { PathGrant } from "../grants.ts";
import { ask, isAbsence, type Steps } from "./disk.ts";
import { isWithin } from "./kernel-folders.ts";
import { type Opened, UnsafePath } from "./opened-file.ts";
import { whyNotWritten } from "./protected-files.ts";

/** The place of a file that is about to be written. */
export interface PlaceFound {
  /** An open folder, so that no process can exchange it after the check. */
  readonly folder: Opened;
  readonly name: string;
  /** The present location of the granted path, without links. */
  readonly root: string;
}

/**
 * Checks that the open place is the one that was judged when the rule was read, because a process that may write in the
 * same folder could have created links since. Throws {@link UnsafePath} if it is not.
 */
export function* judgeAgain(
  { path, location, apart = [] }: PathGrant,
  { folder, name, root }: PlaceFound,
): Steps<void> {
  if (location !== undefined && root !== location)
    throw new UnsafePath("is no longer in the place where it was when its rule was read");
  const why = whyNotWritten(join(folder.location, name), path);
  if (why !== undefined) throw new UnsafePath(why);
  for (const place of apart) {
    // The configuration's folder may also have become a link.
    if (isWithin(place, root) || isWithin(yield* realPlace(place), root))
      throw new UnsafePath("leads to the folder of the file that grants it, or to that file");
  }
}

function* realPlace(place: string): Steps<string> {
  try {
    return (yield* ask("realpath", place)).toString();
  } catch (error) {
    // The configuration was removed, or was never a file.
    if (isAbsence(error)) return place;
    throw error;
  }
}
