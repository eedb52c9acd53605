import { keptCheckpoints, readCheckpoints, writeCheckpoints } from "./checkpoints.ts";
import { type Shadow, shadowGit } from "./shadow.ts";

/**
 * Forgets old checkpoints, and deletes all objects that the kept checkpoints do not need. Call this under the lock. If
 * the process is killed, the next call continues.
 */
export async function prune(shadow: Shadow): Promise<void> {
  const all = await readCheckpoints(shadow.folder);
  const kept = keptCheckpoints(all, Date.now());
  if (kept.length < all.length) await writeCheckpoints(shadow.folder, kept);
  // Objects in the index are kept too, because the index may be the only reference to the last state.
  const needed = [...new Set(kept.flatMap(({ tree, details }) => (details === undefined ? [tree] : [tree, details])))];
  if (needed.length > 0) await shadowGit(shadow, ["prune", "--expire=now", "--", ...needed]);
}
