import { dirname, join } from "node:path";
import { describeThrown } from "../../../errors.ts";
import type { Failure } from "../../../outcome.ts";
import type { Stop } from "../../../stop-signal.ts";
import { type BuiltinAnswer, type BuiltinCall, type BuiltinHook, silent } from "../builtin.ts";
import { limitTime } from "../limit-time.ts";
import { removeShadowsOfGoneWorkTrees } from "./gone-work-trees.ts";
import type { Shadow } from "./shadow.ts";
import { openShadow, pruneSnapshots, takeSnapshot } from "./snapshots.ts";

/** The maximum length of a session id, because the id comes with the event and the whole list is read. */
const MAX_SESSION = 200;
/** Milliseconds of the rule's timeout that are reserved for stopping git. */
const SPARE_MS = 500;
const SPARE_PART = 0.25;
/** Milliseconds at the end of a session for shadows of other work trees. */
const SWEEP_MS = 2_000;

/** Captures the state of the work tree. Never stops the agent; a note reports a failed or late capture. */
export const snapshot: BuiltinHook = {
  run: (call) => {
    const { stop, timeLeftMs } = call;
    const limitMs = Math.floor(timeLeftMs - Math.min(SPARE_MS, timeLeftMs * SPARE_PART));
    return limitTime(stop, limitMs, "it was not done", async (sooner) => {
      try {
        return await keep(call, sooner);
      } catch (error) {
        if (stop.aborted) return { ok: false, failure: stop.reason as Failure };
        return silent(`no snapshot: ${sooner.aborted ? (sooner.reason as Failure).message : describeThrown(error)}`);
      }
    });
  },
};

async function keep({ workingDir, tools, event, sessionId }: BuiltinCall, stop: Stop): Promise<BuiltinAnswer> {
  const shadow = await openShadow(workingDir, stop, join(tools.dataFolder, "snapshots"));
  if (shadow === undefined) return silent();
  const { captured } = await takeSnapshot(shadow, {
    event: event.name,
    session: sessionId.slice(0, MAX_SESSION) || null,
  });
  const { tooLarge } = captured;
  const notes = tooLarge === 0 ? [] : [`left out of the snapshot as too large: ${tooLarge} new files`];
  return event.name === "SessionEnd" ? silent(...notes, ...(await tidied(shadow, stop))) : silent(...notes);
}

/** Prunes at the end of a session. A failed step is tried again at the end of another session. */
async function tidied(shadow: Shadow, stop: Stop): Promise<readonly string[]> {
  try {
    await pruneSnapshots(shadow);
    await limitTime(stop, SWEEP_MS, "it was not done", (sooner) =>
      removeShadowsOfGoneWorkTrees(dirname(shadow.folder), sooner),
    );
    return [];
  } catch (error) {
    return [`old snapshots are still there: ${describeThrown(error)}`];
  }
}
