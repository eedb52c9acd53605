import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { type CliResult, hookbox } from "../e2e/cli.ts";
import { payload } from "../relay/relays.ts";

/** A user's home, a project, and hookbox as npm installs it globally. */

const ROOT = resolve(import.meta.dirname, "../..");

export interface World {
  readonly home: string;
  readonly project: string;
  readonly state: string;
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs hookbox in the project. */
  run(...args: readonly string[]): Promise<CliResult>;
  write(name: string, content: string): string;
  read(name: string): string | undefined;
}

/** Copies the built package to where npm puts global packages, so that `init` needs no copy of its own. */
function globalInstall(root: string): string {
  const folder = join(root, "lib/node_modules/hookbox");
  for (const name of ["dist/bundle", "dist/guards", "relay", "package.json"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "dist/bundle/hookbox.cjs");
}

/** `files` are below the home. */
export function initWorld(files: Readonly<Record<string, string>> = {}): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hbi-")));
  const [home, project, state] = [join(root, "home"), join(root, "project"), join(root, "state")];
  for (const folder of [home, project]) mkdirSync(folder);
  const env = { HOME: home, XDG_STATE_HOME: state, XDG_DATA_HOME: join(root, "data"), XDG_CONFIG_HOME: "" };
  const main = globalInstall(root);
  const run = (...args: readonly string[]): Promise<CliResult> => hookbox(args, { cwd: project, env, main });
  const path = (name: string): string => join(home, name);
  const write = (name: string, content: string): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
    return path(name);
  };
  onTestFinished(async () => {
    if (existsSync(join(state, "hookbox/server.sock"))) await run("serve", "--stop");
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const [name, content] of Object.entries(files)) write(name, content);
  const read = (name: string): string | undefined =>
    existsSync(path(name)) ? readFileSync(path(name), "utf8") : undefined;
  return { home, project, state, main, env, run, write, read };
}

export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeout: number;
  readonly onFailure?: string;
}

type Groups = readonly { readonly matcher?: string; readonly hooks: readonly Entry[] }[];

/** Returns the entry of hookbox at an event of Claude Code's settings. */
export function entryAt(settings: string, event: string): Entry | undefined {
  const { hooks } = JSON.parse(settings.replace("\ufeff", "")) as { readonly hooks: Readonly<Record<string, Groups>> };
  return hooks[event]?.flatMap((group) => group.hooks).find((hook) => hook.args?.includes("--socket"));
}

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Starts an entry as Claude Code does: without a shell, in the project. */
export function ask(
  { command, args }: Entry,
  { project, env }: World,
  event: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const child = spawn(command, args, { cwd: project, env: { ...env, PATH: "/usr/bin:/bin", ...more } });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  child.stdin.on("error", () => {});
  child.stdin.end(event);
  return new Promise((done) => child.on("close", (exitCode) => done({ ...said, exitCode })));
}

/** Asks the entry of the settings about a shell command. */
export function askEntry(
  world: World,
  settings: string,
  event: string,
  command: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return ask(entryAt(settings, event) as Entry, world, payload(command), more);
}
