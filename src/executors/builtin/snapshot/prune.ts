import { keptCheckpoints, readCheckpoints, writeCheckpoints } from "./checkpoints.ts";
import { type Shadow, shadowGit } from "./shadow.ts";

/**
 * Forgets old checkpoints, and deletes all objects that the kept ones do not need. If the process is killed, the next
 * call continues. Call this under the lock.
 */
export async function prune(shadow: Shadow): Promise<void> {
  const all = await readCheckpoints(shadow.folder);
  const kept = keptCheckpoints(all, Date.now());
  if (kept.length < all.length) await writeCheckpoints(shadow.folder, kept);
  // Objects in the index are kept too. If the list cannot be read, the index is the only reference to the last state.
  const needed = [...new Set(kept.flatMap(({ tree, details }) => (details === undefined ? [tree] : [tree, details])))];
  if (needed.length > 0) await shadowGit(shadow, ["prune", "--expire=now", "--", ...needed]);
}
