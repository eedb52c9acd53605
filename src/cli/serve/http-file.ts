import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isOurs } from "../../cache/cache-folder.ts";
import { makeFolderSync } from "../../files/make-folder.ts";
import { parseJsonObject } from "../../json.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";

/** The file `http.json` next to the socket: the URL of loopback HTTP, and the token. */

/** Where agents reach the server, also after a crash. */
export interface HttpAddress {
  readonly port: number;
  readonly token: string;
  /** The idle time of the server that the user has started. `undefined`: never. */
  readonly idleMs: number | undefined;
}

/**
 * Returns the address of a server that has crashed, or that another version replaces. A server that stops on purpose
 * removes the file. Returns `undefined` for a file that another user could have written.
 */
export function leftAddress(file: string): HttpAddress | undefined {
  try {
    const stats = lstatSync(file);
    if (!isPrivateFolder(dirname(file)) || !stats.isFile() || !isOurs(stats)) return undefined;
    const { url, token, idleMs } = parseJsonObject(readFileSync(file, "utf8")) ?? {};
    const port = Number(/^http:\/\/127\.0\.0\.1:(\d{1,5})$/.exec(String(url))?.[1]);
    if (!(port > 0 && port < 65_536) || typeof token !== "string" || !/^[0-9a-f]{32}$/.test(token)) return undefined;
    return { port, token, idleMs: typeof idleMs === "number" ? idleMs : undefined };
  } catch {
    return undefined;
  }
}

/** The token opens the gate's port, so only the user may read it. The file is new: an old one may be open elsewhere. */
export function writeAddress(file: string, { port, token, idleMs }: HttpAddress): void {
  makeFolderSync(dirname(file), 0o700);
  isPrivateFolder(dirname(file));
  const url = `http://127.0.0.1:${port}`;
  const draft = `${file}.${process.pid}`;
  rmSync(draft, { force: true });
  const text = JSON.stringify({ url, token, pid: process.pid, idleMs: idleMs ?? null });
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, file);
}

/** Leaves the file of a server that has started in the meantime. */
export function removeAddress(file: string): void {
  try {
    if (parseJsonObject(readFileSync(file, "utf8"))?.["pid"] === process.pid) rmSync(file, { force: true });
  } catch {
    // Another process has removed the file.
  }
}
