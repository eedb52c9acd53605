import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import { callersEnvironment, callersFolder } from "./caller.ts";

/**
 * Decides which files may come with a repository. A file in the project is never trusted as the user's own, whether it
 * was named by a flag, by an environment variable, or through links.
 */

/** Entries that mark the top folder of a repository, of a package, or of an agent's project. */
const MARKS = [
  ...[".git", ".hg", ".jj", ".svn", ".claude"],
  ...["hookbox.json", "hookbox.jsonc", "hookbox.yaml", "hookbox.yml"],
  // Entries that mark a project without version control, which may have come as an archive.
  ...["package.json", "deno.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "go.work"],
  ...["pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "mix.exs", "Package.swift"],
];
const MAX_LINKS = 40;
const MAX_PATH_LENGTH = 4_096;

/**
 * Returns the project of `cwd`, without links: the outermost parent folder with a mark, otherwise `cwd` itself. The
 * outermost folder is used, because a mark inside of a project must not make the project smaller. The account's home
 * and its parents count only if `cwd` is that folder, because a home with dotfiles in git is not one project.
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

/** Variables in which agents name the folder where the session began. */
export const SESSION_VARIABLES = [
  "CLAUDE_PROJECT_DIR",
  "GEMINI_PROJECT_DIR",
  "QWEN_PROJECT_DIR",
  "COPILOT_PROJECT_DIR",
];

/**
 * Returns the folders whose `hookbox.json` is the project's: `cwd`, its parents up to the project's root, and the folder
 * in which the session began. The working directory of a hook follows the agent's `cd`, and the agent must not leave the
 * rules of its project in this way.
 */
export function projectFolders(cwd: string): readonly string[] {
  const top = projectFolder(cwd);
  const folders = [cwd];
  for (let folder = realPath(resolve(cwd)); folder !== top && dirname(folder) !== folder; ) {
    folder = dirname(folder);
    folders.push(folder);
  }
  // The name that the agent uses comes first, because only that name may lead to an approval.
  return [...new Set([...sessionFolders(), ...folders])];
}

/** Returns the folders in which the session began, according to the agent. A variable only adds a folder. */
export function sessionFolders(
  variables: Readonly<Record<string, string | undefined>> = callersEnvironment(),
): readonly string[] {
  const told = SESSION_VARIABLES.map((name) => variables[name]);
  return [...new Set(told.flatMap((folder) => (folder !== undefined && isAbsolute(folder) ? [folder] : [])))];
}

/** Returns the project of a file. The agent may have left this project by `cd`. */
export function projectOf(file: string, cwd: string): string {
  return projectFolder(leadsIntoProject(file, cwd) ? cwd : dirname(resolve(cwd, file)));
}

/**
 * Whether `path`, or any link on the way to it, is in the project of `cwd`. A process that can write the project
 * decides where such a link leads. The file need not exist. The home folder of the account and its parents contain all
 * projects of the user and are no project themselves: the user's own files in the home must not lose their trust by the
 * agent's `cd ~`.
 */
export function leadsIntoProject(path: string, cwd: string): boolean {
  const project = projectFolder(cwd);
  const account = accountHome();
  const home = account === undefined ? undefined : realPath(account);
  if (home === undefined || !isInside(home, project)) return leadsInto(path, project, cwd);
  return leadsInto(path, project, cwd, (place) => isInside(place, home) || isInside(home, place));
}

/** Whether `path`, or any link on the way to it, is in the folder. Ignores the places that `except` accepts. */
export function leadsInto(
  path: string,
  folder: string,
  cwd: string = folder,
  except: (place: string) => boolean = () => false,
): boolean {
  const full = resolve(cwd, path);
  // No system opens a path of this length, and following its links would take seconds.
  if (full.length > MAX_PATH_LENGTH) return true;
  // `realPath` is compared for file systems that ignore case.
  return [...placesOnTheWay(full), realPath(full)].some((place) => isInside(place, folder) && !except(place));
}

/** Whether `path` leads into the project of `cwd` or into the project where the session began, which `cd` cannot leave. */
export function belongsToProject(path: string, cwd: string): boolean {
  return [cwd, ...sessionFolders()].some((folder) => leadsIntoProject(resolve(cwd, path), folder));
}

/** Returns the home folder of this account in the system's database. Ignores the environment. */
export function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : undefined;
  } catch {
    // The user id has no account, as in some containers.
    return undefined;
  }
}

/** Returns the home folder in the environment. Returns `undefined` if the folder is relative or too long. */
export function environmentHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a folder that a variable names is outside of the project, so its files may be the user's own. */
export function isOutsideOfProject(folder: string): boolean {
  try {
    return !belongsToProject(folder, callersFolder());
  } catch {
    // The working directory was removed, so no project contains the folder.
    return true;
  }
}

function isInside(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Yields every place that the system visits to open a path, links included, in this order. */
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

/** Resolves the links of the part of the path that exists. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), path.slice(folder.length));
  }
}

function isThere(path: string): boolean {
  try {
    // `throwIfNoEntry: false` avoids exceptions, which would take most of the search's time.
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
