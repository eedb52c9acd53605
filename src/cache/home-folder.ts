import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { accountHome, environmentHome, isOutsideOfProject } from "../project-folder.ts";

/**
 * Returns the absolute path of the user's home. Ignores a `HOME` that is empty, relative or inside of the project,
 * because hookbox runs code from its cache in the home. Throws if there is no other home.
 */
export function homeFolder(): string {
  const home = environmentHome();
  const account = accountHome();
  if (home !== undefined && (home === account || isOutsideOfProject(home))) return home;
  if (account !== undefined) return account;
  // The user id has no account, and its home is the project. No gate has to close for this.
  if (home !== undefined) return join(tmpdir(), `hookbox-home-${process.getuid?.() ?? "user"}`);
  throw new Error("HOME is not an absolute path, and the system knows no other home of this user");
}

/**
 * Returns the folder `hookbox` below the folder in `variable`, or below `below` in the home. Ignores a relative value,
 * as the XDG specification asks, and a value that leads into the project.
 */
export function ownFolder(variable: string, ...below: readonly string[]): string {
  const named = process.env[variable];
  const folder =
    named !== undefined && isAbsolute(named) && isOutsideOfProject(named) ? named : join(homeFolder(), ...below);
  return join(folder, "hookbox");
}
