import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** A newcomer's folder, in which npm has installed the packed working copy and the bundler. */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/** The command on the pages. */
export const INSTALL = "npm install --save-dev hookbox esbuild";

const DONE = "installed";

/** Copies the folder to `target`. npm packs and installs once in a test run, for the first caller; the others wait. */
export async function installInto(target: string): Promise<void> {
  const { mtimeMs } = statSync(join(ROOT, "dist/bundle/hookbox.cjs"));
  const shared = join(process.env["XDG_CACHE_HOME"] as string, `newcomer-${mtimeMs}`);
  const project = join(shared, "project");
  const outcome = join(shared, "outcome");
  if (isFirst(shared)) writeFileSync(outcome, await install(project).then(() => DONE, String));
  while (!existsSync(outcome) || readFileSync(outcome, "utf8") === "") await sleep(100);
  const said = readFileSync(outcome, "utf8");
  if (said !== DONE) throw new Error(said);
  cpSync(project, target, { recursive: true, verbatimSymlinks: true });
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Installs this working copy instead of the registry's package, and the bundler in the tested version. */
async function install(project: string): Promise<void> {
  mkdirSync(project);
  // Without scripts, because a build would remove dist/ while other tests use it. Into the folder itself, because npm
  // records the relative path that the package came from.
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", project], { cwd: ROOT });
  const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly version: string;
    readonly devDependencies: { readonly esbuild: string };
  };
  const packages = `./hookbox-${version}.tgz esbuild@${devDependencies.esbuild}`;
  const command = INSTALL.replace("hookbox esbuild", `--prefer-offline --no-audit --no-fund ${packages}`);
  await run("sh", ["-c", command], { cwd: project, env: { ...process.env, npm_config_update_notifier: "false" } });
}
