import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { onTestFinished } from "vitest";

/** For the rest of the test, the system says that the account of this process has this home. */
export function liveIn(home: string): void {
  const before = os.userInfo;
  os.userInfo = (() => ({ ...before(), homedir: home })) as typeof before;
  syncBuiltinESMExports();
  onTestFinished(() => {
    os.userInfo = before;
    syncBuiltinESMExports();
  });
}
