import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

/** Kept between runs, in a folder where no other user can put a program. */
const FOLDER = resolve(import.meta.dirname, "../../node_modules/.cache/hookbox-agents");
const INSTALL_MS = 170_000;

export interface Installed {
  /** The `node_modules` folder that has the package. */
  readonly packages: string;
  readonly version: string;
}

/**
 * Installs a package in a new folder, without any of its install scripts. `version` may be a tag. Throws with npm's own
 * message if npm cannot install it.
 */
export async function installPackage(name: string, version: string): Promise<Installed> {
  const home = join(FOLDER, `${name.replace(/^@/, "").replace("/", "-")}-${version}`);
  const packages = join(home, "node_modules");
  const file = join(packages, name, "package.json");
  const isPinned = /^\d/.test(version);
  if (!isPinned || !existsSync(file)) {
    mkdirSync(home, { recursive: true });
    const args = ["install", "--prefix", home, "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"];
    try {
      await promisify(execFile)("npm", [...args, `${name}@${version}`], { cwd: home, timeout: INSTALL_MS });
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string };
      throw new Error(`npm cannot install ${name}@${version}, so nothing is shown of it:\n${stderr ?? error}`);
    }
  }
  const found = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return { packages, version: found.version };
}
