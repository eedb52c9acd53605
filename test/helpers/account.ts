import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { onTestFinished } from "vitest";

/** Makes the system report this home for the account of this process, for the rest of the test. */
export function liveIn(home: string): void {
  const before = os.userInfo;
  os.userInfo = (() => ({ ...before(), homedir: home })) as typeof before;
  syncBuiltinESMExports();
  onTestFinished(() => {
    os.userInfo = before;
    syncBuiltinESMExports();
  });
}
