import { join } from "node:path";
import { homeFolder } from "../../../cache/home-folder.ts";
import type { Refused } from "./grant-problems.ts";

/** Expands `~` to the user's home folder. Refuses variables, because the process that starts hookbox could set them. */
export function expandHome(path: string): string | Refused {
  if (path === "" || path.includes("\0")) return { message: "this is not a path" };
  if (/\$\{?\w|^%\w+%/.test(path))
    return { message: "variables are not expanded here", hint: "write ~/ for your home, or the path itself" };
  if (!path.startsWith("~")) return path;
  if (!/^~(?:$|[/\\])/.test(path))
    return { message: "only ~/ is expanded", hint: `for a folder of that name, ./${path}` };
  return join(homeFolder(), path.slice(1));
}
