import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { accountHome, environmentHome, isOutsideOfProject } from "../project-folder.ts";

/**
 * The user's home, absolute. A `HOME` that is empty, relative or in the project is passed over: such a folder may have come
 * with a repository, and what is kept in a cache is run. Throws if there is no other home.
 */
export function homeFolder(): string {
  const home = environmentHome();
  const account = accountHome();
  if (home !== undefined && (home === account || isOutsideOfProject(home))) return home;
  if (account !== undefined) return account;
  // A user id without an entry, whose home is its project: nothing is kept there, and a gate need not shut for that.
  if (home !== undefined) return join(tmpdir(), `hookbox-home-${process.getuid?.() ?? "user"}`);
  throw new Error("HOME is not an absolute path, and the system knows no other home of this user");
}

/**
 * `hookbox` in the folder that `variable` names, or in `below` of the home. The value is ignored if it is relative, as the XDG
 * specification asks, or if it leads into the project.
 */
export function ownFolder(variable: string, ...below: readonly string[]): string {
  const named = process.env[variable];
  const folder =
    named !== undefined && isAbsolute(named) && isOutsideOfProject(named) ? named : join(homeFolder(), ...below);
  return join(folder, "hookbox");
}
