import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/**
 * The user's home, absolute. An empty or relative `HOME` is passed over: a folder below the working directory may have come
 * with a repository, and what is kept in a cache is run. Throws where nobody knows of a home.
 */
export function homeFolder(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  const { homedir: registered } = userInfo();
  if (isAbsolute(registered)) return registered;
  throw new Error("HOME is not an absolute path, and the system knows no other home of this user");
}
