import { keptCheckpoints, readCheckpoints, writeCheckpoints } from "./checkpoints.ts";
import { type Shadow, shadowGit } from "./shadow.ts";

/**
 * Forgets old checkpoints, and removes every object that the others do not need. To be killed in the middle does no
 * harm: the next one goes on. Under the lock.
 */
export async function prune(shadow: Shadow): Promise<void> {
  const all = await readCheckpoints(shadow.folder);
  const kept = keptCheckpoints(all, Date.now());
  if (kept.length < all.length) await writeCheckpoints(shadow.folder, kept);
  // What the index names is kept as well. Were there no tree to name, a list that cannot be read would cost everything.
  const needed = [...new Set(kept.flatMap(({ tree, details }) => (details === undefined ? [tree] : [tree, details])))];
  if (needed.length > 0) await shadowGit(shadow, ["prune", "--expire=now", "--", ...needed]);
}
