// Commands on this machine with another origin than hookbox: scripts of npm packages, and shell scripts of the system.

import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { statementsOf } from "./shell-statements.ts";

export interface OrdinaryCommand {
  readonly command: string;
  /** The file that contains the command. */
  readonly from: string;
}

const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
/** Folders of Debian and similar systems with shell scripts, and how many levels of folders below them are searched. */
const SCRIPT_FOLDERS: readonly (readonly [folder: string, levels: number])[] = [
  ["/usr/bin", 0],
  ["/usr/sbin", 0],
  ["/usr/local/bin", 0],
  ["/etc", 3],
  ["/usr/lib", 3],
  ["/usr/share", 4],
  ["/var/lib/dpkg/info", 0],
];
const MAX_SCRIPT_CHARACTERS = 60_000;
const SHEBANG = /^#! ?\/(?:usr\/)?bin\/(?:env )?(?:ba|da)?sh\b/;
const SHEBANG_BYTES = 24;

/** Returns the commands in `scripts` of each package in node_modules, without repetitions. */
export function npmScripts(): OrdinaryCommand[] {
  const found = new Map<string, OrdinaryCommand>();
  for (const from of filesBelow(MODULES, 4)) {
    if (!from.endsWith("/package.json")) continue;
    for (const command of Object.values(scriptsIn(from))) {
      if (typeof command === "string" && !found.has(command)) found.set(command, { command, from });
    }
  }
  return [...found.values()];
}

/** Returns the statements of the shell scripts of the system: single lines, and whole constructs. */
export function statementsOfScripts(): OrdinaryCommand[] {
  const found = new Map<string, OrdinaryCommand>();
  for (const { command: script, from } of shellScripts()) {
    for (const command of statementsOf(script)) if (!found.has(command)) found.set(command, { command, from });
  }
  return [...found.values()];
}

/** Returns the shell scripts of the system as a whole. */
function shellScripts(): OrdinaryCommand[] {
  const files = SCRIPT_FOLDERS.flatMap(([folder, levels]) => [...filesBelow(folder, levels)]);
  return files.flatMap((from) => {
    if (!startsWithShebang(from)) return [];
    const command = readFileSync(from, "utf8");
    return command.length > MAX_SCRIPT_CHARACTERS ? [] : [{ command, from }];
  });
}

function* filesBelow(folder: string, levels: number): Generator<string> {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && levels > 0) yield* filesBelow(path, levels - 1);
  }
}

function startsWithShebang(file: string): boolean {
  const bytes = Buffer.alloc(SHEBANG_BYTES);
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    // Some files of the system are readable for root only.
    return false;
  }
  readSync(descriptor, bytes, 0, SHEBANG_BYTES, 0);
  closeSync(descriptor);
  return SHEBANG.test(bytes.toString("latin1"));
}

function scriptsIn(file: string): object {
  try {
    const manifest: { scripts?: unknown } = JSON.parse(readFileSync(file, "utf8"));
    return typeof manifest.scripts === "object" && manifest.scripts !== null ? manifest.scripts : {};
  } catch {
    // Packages have broken manifests among their own test data.
    return {};
  }
}
