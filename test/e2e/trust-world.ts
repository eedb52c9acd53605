import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Problem } from "../../src/errors.ts";
import type { Verdict } from "../../src/verdict.ts";
import { accountOf, enterAccount } from "./approve.ts";
import { bashCall, type CliResult, hookbox } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** A user with a home and their own rules, and a project that another person wrote. */
export interface World {
  readonly folder: string;
  readonly home: string;
  /** The working directory of every run. */
  readonly project: string;
  /** Writes a file by its path below `folder`. Objects become JSON. Returns its absolute path. */
  write(path: string, content: string | object): string;
  /** `run --json` in this process. */
  judge(args?: readonly string[], setup?: RunSetup): Promise<Verdict>;
  /** `run --json` in a process, for an account whose home is `home`. The environment may name other folders. */
  judgeAs(args: readonly string[], setup: RunSetup): Promise<Verdict>;
  /** Runs a command of the account whose home is `home`, in this process. Approves nothing. */
  cli(args: readonly string[], setup?: RunSetup): Promise<CliResult>;
  /** Returns the problems of `check --json`. */
  problems(args?: readonly string[], setup?: RunSetup): Promise<readonly Problem[]>;
}

export interface RunSetup {
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object | string;
  /** Relative to `folder`. Default: the project. */
  readonly cwd?: string;
  /** What the user answers to each question. Default: there is no terminal. */
  readonly answer?: string;
}

export const USER_FILE = "home/.config/hookbox/hookbox.json";

export function world(): World {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookbox-trust-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, "home");
  const project = join(folder, "project");
  for (const one of [home, project]) mkdirSync(one);
  const write = (path: string, content: string | object): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
    return file;
  };
  const options = ({ env = {}, event = bashCall("rm -rf /"), cwd = "project" }: RunSetup) => ({
    cwd: join(folder, cwd),
    env: { HOME: home, XDG_CONFIG_HOME: "", XDG_STATE_HOME: join(folder, "state"), ...env },
    stdin: typeof event === "string" ? event : JSON.stringify(event),
  });
  return {
    folder,
    home,
    project,
    write,
    judge: async (args = [], setup = {}) =>
      JSON.parse((await inProcess(["run", "--json", ...args], options(setup))).stdout) as Verdict,
    judgeAs: async (args, setup) => {
      const { env, ...rest } = options(setup);
      const account = { ...rest, approves: false, env: { ...env, ...accountOf(home) } };
      const review = JSON.parse((await hookbox(["trust", "--json", ...args], account)).stdout) as { digest?: string };
      if (review.digest !== undefined) await hookbox(["trust", "--trust", review.digest, ...args], account);
      const result = await hookbox(["run", "--json", ...args], account);
      return JSON.parse(result.stdout) as Verdict;
    },
    cli: async (args, setup = {}) => {
      const leave = enterAccount(home);
      try {
        const { answer } = setup;
        return await inProcess(args, {
          ...options(setup),
          approves: false,
          ...(answer === undefined ? {} : { answer }),
        });
      } finally {
        leave();
      }
    },
    problems: async (args = [], setup = {}) => {
      const { stdout } = await inProcess(["check", "--json", ...args], options(setup));
      return (JSON.parse(stdout) as { readonly problems: readonly Problem[] }).problems;
    },
  };
}

/** Returns a command hook that refuses, valid in either format. */
export const refuses = (name: string, fields: object = {}): object => ({
  type: "command",
  command: `echo "${name} says no" >&2; exit 2`,
  ...fields,
});

export const hooks = (...entries: readonly object[]): { readonly hooks: object } => ({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: entries }] },
});
