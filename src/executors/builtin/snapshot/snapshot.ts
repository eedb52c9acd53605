import { join } from "node:path";
import { describeThrown } from "../../../errors.ts";
import type { Failure } from "../../../outcome.ts";
import { type BuiltinCall, type BuiltinHook, silent } from "../builtin.ts";
import { openShadow, pruneSnapshots, takeSnapshot } from "./snapshots.ts";

/**
 * Keeps the state of the work tree. It judges nothing: that a state could not be kept is told, and holds nobody up. How
 * long it may take is for the rule to say, as with every hook.
 */
export const snapshot: BuiltinHook = {
  run: async (call) => {
    const { workingDir, stop, tools, event, sessionId } = call;
    try {
      const shadow = await openShadow(workingDir, stop, join(tools.dataFolder, "snapshots"));
      if (shadow === undefined) return silent();
      const { captured } = await takeSnapshot(shadow, { event: event.name, session: sessionId || null });
      const { tooLarge } = captured;
      const notes = tooLarge === 0 ? [] : [`left out of the snapshot as too large: ${tooLarge} new files`];
      if (event.name === "SessionEnd") notes.push(...(await tidied(call, () => pruneSnapshots(shadow))));
      return silent(...notes);
    } catch (error) {
      if (stop.aborted) return { ok: false, failure: stop.reason as Failure };
      return silent(`no snapshot: ${describeThrown(error)}`);
    }
  },
};

/** What cannot be tidied up now is at the end of another session. */
async function tidied({ stop }: BuiltinCall, prune: () => Promise<void>): Promise<readonly string[]> {
  try {
    await prune();
    return [];
  } catch (error) {
    return stop.aborted ? [] : [`old snapshots are still there: ${describeThrown(error)}`];
  }
}
