import { chmodSync, lstatSync, renameSync, rmSync } from "node:fs";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";
import { HookError } from "../../errors.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";

/** The Unix socket: who may use its folder, and what happens to a socket that another process has left. */

/** `sun_path` has 108 bytes, and the last one is NUL. */
const MAX_SOCKET_PATH_BYTES = 107;

export function defaultSocket(): string {
  return join(defaultStateFolder(), "server.sock");
}

/**
 * Checks the folder and what is at the path. Returns `free`, `stale` if no process listens there any more, or `running`.
 * Throws a `HookError` with code `HOOK_SERVER_SOCKET` if the path is too long, or if others could use or replace it.
 */
export async function checkSocket(path: string): Promise<"free" | "stale" | "running"> {
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_SOCKET_PATH_BYTES)
    throw unusable(
      path,
      `the path has ${bytes} bytes; a socket's path has at most ${MAX_SOCKET_PATH_BYTES}`,
      "name a shorter path with --socket",
    );
  const folder = dirname(path);
  await makeFolder(folder, 0o700);
  isPrivateFolder(folder);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "free";
  if (!stats.isSocket()) throw unusable(path, "there is a file that is no socket", "remove it");
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw unusable(path, `the socket belongs to user ${stats.uid}`, "remove it, or name another path with --socket");
  return (await answers(path)) ? "running" : "stale";
}

/** Throws a `HookError` with code `HOOK_SERVER_RUNNING` if a server answers there. */
export async function refuseSecond(path: string): Promise<void> {
  if ((await checkSocket(path)) === "running")
    throw new HookError("HOOK_SERVER_RUNNING", `a server already answers at ${path}`, {
      hint: "hookbox serve --status shows it, hookbox serve --stop stops it",
    });
}

/**
 * Listens under a temporary name and renames it, so that no process connects before the permissions are set. Replaces no
 * server: a relay may have started one in the meantime.
 */
export async function listenAt(server: Server, path: string): Promise<void> {
  const temporary = `${path.slice(0, MAX_SOCKET_PATH_BYTES - 8)}.${process.pid % 100_000}`;
  rmSync(temporary, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(temporary, () => resolve());
  });
  chmodSync(temporary, 0o600);
  try {
    await refuseSecond(path);
    renameSync(temporary, path);
  } catch (error) {
    server.close();
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Removes the socket, unless another server has put its own there. */
export function removeSocket(path: string, inode: number): void {
  if (inodeOf(path) === inode) rmSync(path, { force: true });
}

export function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => end(true));
    const end = (is: boolean): void => {
      socket.destroy();
      resolve(is);
    };
    socket.on("error", () => end(false));
  });
}

function unusable(path: string, what: string, remedy: string): HookError {
  return new HookError("HOOK_SERVER_SOCKET", `${path} cannot be used: ${what}`, { hint: remedy });
}
