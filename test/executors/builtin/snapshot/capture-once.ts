import { openShadow, takeSnapshot } from "../../../../src/executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../../../src/stop-signal.ts";

/** A process that takes one snapshot, for tests that kill it. */

const [top = "", state = ""] = process.argv.slice(2);
const shadow = await openShadow(top, new Stop(), state);
if (shadow !== undefined) await takeSnapshot(shadow, { event: "TurnEnd", session: "killed" });
