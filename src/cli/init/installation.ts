import { createHash, randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { ownFolder } from "../../cache/home-folder.ts";
import { HookError } from "../../errors.ts";
import { makeFolderSync } from "../../files/make-folder.ts";
import { packageFolder } from "../../package-info.ts";

/** Where the relay and the bundle are that an agent's entry names. They must stay when npm empties its cache. */

export interface Installation {
  /** The folder of the package. */
  readonly folder: string;
  /** The main file of hookbox, which the relay starts as the server. */
  readonly main: string;
  /** The relay and its first arguments. */
  readonly relay: readonly [file: string, ...args: string[]];
  /** Set if `folder` is a copy that has to be written. */
  readonly copyFrom?: string;
}

/** What the copy needs of the package. The rest is documentation, types and examples. */
const NEEDED = ["package.json", "LICENSE", "dist/bundle", "dist/guards", "relay", "guest-sdk/typescript/engine"];

/** Packages for hooks that ask a model, which the user may have installed next to hookbox. */
const OPTIONAL = ["@anthropic-ai/sdk", "@modelcontextprotocol/client", "openai"];

/**
 * Returns the installation that an entry can name: this one if npm has installed it globally, otherwise a copy in the
 * user's data folder. The name of the copy contains a digest, so that other code never gets the name of this code.
 */
export function installation(): Installation {
  const own = realpathSync(packageFolder());
  if (isGlobal(own)) return at(own);
  const version = (JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as { version: string }).version;
  const folder = join(dataFolder(), `${version}-${digestOf(own)}`);
  return { ...at(folder, own), copyFrom: own };
}

export function dataFolder(): string {
  return ownFolder("XDG_DATA_HOME", ".local", "share");
}

/** Whether the package is in the folder of global packages of npm, which only npm changes. */
function isGlobal(folder: string): boolean {
  const parent = dirname(dirname(folder));
  const places = [join(dirname(dirname(process.execPath)), "lib"), join(process.env["APPDATA"] ?? "/none", "npm")];
  return (
    folder.endsWith(`${sep}node_modules${sep}hookbox`) && (places.includes(parent) || parent.endsWith(`${sep}lib`))
  );
}

/**
 * Starts the shell relay. A repository's settings can set variables of hooks: `SHELLOPTS=noexec` would make bash as
 * `/bin/sh` run nothing and exit with 0.
 */
export const RELAY_SHELL = ["/usr/bin/env", "-u", "SHELLOPTS", "-u", "BASHOPTS", "/bin/sh"] as const;

/** `source` is the folder whose relay exists now. */
function at(folder: string, source = folder): Installation {
  const main = join(folder, "dist/bundle/hookbox.cjs");
  const native = `relay/relay-${process.platform}-${process.arch}`;
  if (existsSync(join(source, native))) return { folder, main, relay: [join(folder, native)] };
  const hasShell = process.platform !== "win32" && existsSync("/usr/bin/curl");
  if (hasShell) return { folder, main, relay: [...RELAY_SHELL, join(folder, "relay/relay.sh")] };
  return { folder, main, relay: [realpathSync(process.execPath), main, "relay"] };
}

function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const file of NEEDED.flatMap((name) => filesBelow(join(folder, name))))
    hash.update(relative(folder, file)).update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

function filesBelow(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  if (!stats.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

/** Writes the copy. Does nothing if the copy exists, because its name contains the digest of its content. */
export function writeCopy({ folder, copyFrom }: Installation): void {
  if (copyFrom === undefined || existsSync(folder)) return;
  const draft = `${folder}.${randomBytes(4).toString("hex")}`;
  try {
    makeFolderSync(dirname(folder), 0o700);
    makeFolderSync(draft, 0o755);
    for (const name of NEEDED) if (existsSync(join(copyFrom, name))) copy(join(copyFrom, name), join(draft, name));
    copyPackages(copyFrom, draft);
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (existsSync(folder)) return;
    throw new HookError("HOOK_INIT_COPY", `${folder} cannot be written: ${(error as Error).message}`);
  }
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, dereference: true, preserveTimestamps: true });
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Copies the packages that hookbox loads, and the packages that these load, each to where Node finds it. */
function copyPackages(from: string, draft: string): void {
  const placed = new Map<string, string>();
  const open: (readonly [folder: string, target: string, names: readonly string[]])[] = [
    [from, draft, [...namesOf(from), ...OPTIONAL]],
  ];
  for (const [folder, target, names] of open) {
    for (const name of names) {
      const source = packageIn(folder, name);
      if (source === undefined || placed.get(name) === source) continue;
      // A second version of a package belongs to the package that needs it.
      const to = join(placed.has(name) ? target : draft, "node_modules", name);
      if (!placed.has(name)) placed.set(name, source);
      if (existsSync(to)) continue;
      cpSync(source, to, {
        recursive: true,
        dereference: true,
        filter: (path) => isLoaded(path.slice(source.length)),
      });
      open.push([source, to, namesOf(source)]);
    }
  }
}

/** Leaves out packages of the package, and files that only authors read. */
function isLoaded(path: string): boolean {
  return !path.startsWith(`${sep}node_modules`) && !/(\.[cm]?ts|\.map|\.md)$/.test(path);
}

function namesOf(folder: string): readonly string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as Manifest;
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
}

function packageIn(folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = join(at, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return realpathSync(found);
    if (at === dirname(at)) return undefined;
  }
}

/**
 * Returns the PATH for the server: the absolute folders of the user's PATH that only the user or root can change. npx
 * adds folders of packages, which are left out.
 */
export function serverPath(path = process.env["PATH"] ?? ""): string {
  const folders = path.split(":").filter((folder) => isAbsolute(folder) && !/\/node_modules(\/|$)/.test(folder));
  return [...new Set(folders)].filter(isOnlyOurs).join(":");
}

function isOnlyOurs(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK);
    const { mode, uid } = lstatSync(realpathSync(folder));
    return (mode & 0o022) === 0 && (uid === 0 || uid === process.getuid?.());
  } catch {
    return false;
  }
}
