import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";

/**
 * Which files may have come with a repository. What lies in the project is never trusted as the user's own, however it was
 * named: by a flag, by a variable of the environment, or through links.
 */

/** What stands at the top of a repository, of a package, or of a folder that an agent is started in. */
const MARKS = [
  ...[".git", ".hg", ".jj", ".svn", ".claude"],
  ...["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml"],
  // A project need not be under version control: it may have come as an archive.
  ...["package.json", "deno.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "go.work"],
  ...["pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "Package.swift"],
];
const MAX_LINKS = 40;
const MAX_PATH_LENGTH = 4_096;

/**
 * The project that `cwd` belongs to: the working directory, or the outermost folder around it that has a mark. So no mark
 * in a project makes the project smaller. A folder that is or contains the account's home is the project only if it is `cwd` itself: a home with a
 * `.git` of its own (dotfiles) does not make all of its folders one project. The result has no links.
 */
export function projectFolder(cwd: string): string {
  const start = realPath(resolve(cwd));
  const home = accountHome();
  const realHome = home === undefined ? undefined : realPath(home);
  let found = start;
  for (let folder = start; ; folder = dirname(folder)) {
    if (realHome !== undefined && isInside(realHome, folder)) return found;
    if (MARKS.some((mark) => isThere(join(folder, mark)))) found = folder;
    if (dirname(folder) === folder) return found;
  }
}

/**
 * Whether `path` lies in the project of `cwd`, or any link on the way to it does: whoever can write the project decides
 * what such a link leads to. The file need not exist.
 */
export function leadsIntoProject(path: string, cwd: string): boolean {
  const project = projectFolder(cwd);
  const full = resolve(cwd, path);
  // No system opens such a path, and to follow it would take seconds.
  if (full.length > MAX_PATH_LENGTH) return true;
  // The last comparison is for file systems that take a name in other case for the same.
  return [...placesOnTheWay(full), realPath(full)].some((place) => isInside(place, project));
}

/** The home that the system has for this account, whatever the environment says. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    // A user id without an entry, as in some containers.
    return undefined;
  }
}

/** The home that the environment names. `undefined` if it is relative, or longer than the system takes. */
export function environmentHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder that a variable of the environment names may hold what is the user's own. */
export function isOutsideOfProject(folder: string): boolean {
  try {
    return !leadsIntoProject(folder, process.cwd());
  } catch {
    // The working directory is gone.
    return true;
  }
}

function isInside(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Each place that the system looks at to open a path, links included, in its order. */
function* placesOnTheWay(path: string): Generator<string> {
  const { root } = parse(path);
  const partsOf = (text: string): string[] => text.split(sep).filter((part) => part !== "");
  let at = root;
  let rest = partsOf(path.slice(root.length));
  for (let links = 0; links <= MAX_LINKS; ) {
    const [name, ...behind] = rest;
    if (name === undefined) return;
    const place = join(at, name);
    yield place;
    rest = behind;
    const target = linkAt(place);
    if (target === undefined) {
      at = place;
      continue;
    }
    links += 1;
    const { root: start } = parse(target);
    if (start !== "") at = start;
    rest = [...partsOf(target.slice(start.length)), ...behind];
  }
}

function linkAt(place: string): string | undefined {
  try {
    return readlinkSync(place);
  } catch {
    return undefined;
  }
}

/** Without links, as far as the path exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), path.slice(folder.length));
  }
}

function isThere(path: string): boolean {
  try {
    // An error for each mark that is not there would take most of the time of the search.
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
