import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/**
 * Ends MCP servers after this process was killed with SIGKILL. A shell reads from a pipe that closes when this process
 * ends in any way. Earlier lines on the pipe name the process groups of all servers. Each process has one shell.
 */

// The last complete line counts. A group that has ended is forgotten, because its id may be reused. Signals to the
// whole process group are ignored.
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

/** Sets the process groups that must not outlive this process. Without groups, the shell ends. */
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
    // The shell does not keep an idle process alive.
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return child;
  } catch {
    return undefined;
  }
}
