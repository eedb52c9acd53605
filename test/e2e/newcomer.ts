import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** A newcomer's folder: npm has installed the packed working copy and the bundler into it. */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, "../..");

/** As the pages have it. */
export const INSTALL = "npm install --save-dev hookbox esbuild";

const DONE = "installed";

/** Copies the folder to `target`. npm packs and installs once a test run, for whoever comes first; the others wait. */
export async function installInto(target: string): Promise<void> {
  const { mtimeMs } = statSync(join(ROOT, "dist/bundle/cli/hookbox.cjs"));
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

/** What a reader gets from the registry comes from this working copy, and the bundler in the version that is tested. */
async function install(project: string): Promise<void> {
  mkdirSync(project);
  // Without scripts: a build would take dist/ away from the tests that run meanwhile. Into the folder itself, as npm
  // notes down where from there the package came.
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", project], { cwd: ROOT });
  const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly version: string;
    readonly devDependencies: { readonly esbuild: string };
  };
  const packages = `./hookbox-${version}.tgz esbuild@${devDependencies.esbuild}`;
  const command = INSTALL.replace("hookbox esbuild", `--prefer-offline --no-audit --no-fund ${packages}`);
  await run("sh", ["-c", command], { cwd: project, env: { ...process.env, npm_config_update_notifier: "false" } });
}
