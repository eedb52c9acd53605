import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { accountHome, environmentHome, isOutsideOfProject } from "../project-folder.ts";

/**
 * The absolute path of the user's home. Ignores a `HOME` that is empty, relative or inside of the project, because a
 * repository could contain such a folder, and hookbox runs code from its cache. Throws if there is no other home.
 */
export function homeFolder(): string {
  const home = environmentHome();
  const account = accountHome();
  if (home !== undefined && (home === account || isOutsideOfProject(home))) return home;
  if (account !== undefined) return account;
  // A user id without an account whose home is the project. A temporary folder keeps nothing, and no gate has to close.
  if (home !== undefined) return join(tmpdir(), `hookbox-home-${process.getuid?.() ?? "user"}`);
  throw new Error("HOME is not an absolute path, and the system knows no other home of this user");
}

/**
 * The folder `hookbox` below the folder in `variable`, or below `below` in the home. Ignores a relative value, as the XDG
 * specification asks, and a value that leads into the project.
 */
export function ownFolder(variable: string, ...below: readonly string[]): string {
  const named = process.env[variable];
  const folder =
    named !== undefined && isAbsolute(named) && isOutsideOfProject(named) ? named : join(homeFolder(), ...below);
  return join(folder, "hookbox");
}
