import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Ends servers whose host has been killed: nothing of our own runs then. A shell that does nothing reads from a pipe which
 * ends with us, however we end, and has been told by then which groups are left. One for all servers of a process.
 */

// A group that was seen gone is let go of: its number may be somebody else's by the end. The last whole line counts. It must not be reached by what is sent to us and to all that we have started.
const SCRIPT = `trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
for turn in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1
  left=
  for group in $groups; do kill -s 0 -- "-$group" && left="$left $group"; done
  groups=$left
done
for group in $groups; do kill -s KILL -- "-$group"; done`;

let watcher: ChildProcess | undefined;

/** Groups that are not to outlive us, all of them; with none, nobody watches. Where no shell can be started nobody does either. */
export function watchOver(groups: readonly number[]): void {
  if (process.platform === "win32") return;
  if (groups.length > 0) watcher ??= startWatcher();
  const stdin = watcher?.stdin as Writable | undefined;
  if (groups.length > 0) stdin?.write(`${groups.join(" ")}\n`);
  else {
    watcher = undefined;
    stdin?.end("\n");
  }
}

function startWatcher(): ChildProcess | undefined {
  try {
    const child = spawn("/bin/sh", ["-c", SCRIPT], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    const onGone = (): void => {
      if (watcher === child) watcher = undefined;
    };
    child.on("error", onGone).once("exit", onGone);
    child.stdin?.on("error", onGone);
    // An idle host is not held by it.
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return child;
  } catch {
    return undefined;
  }
}
