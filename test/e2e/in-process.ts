import { Readable } from "node:stream";
import { asCaller } from "../../src/caller.ts";
import { runCommandLine } from "../../src/cli/command-line.ts";
import type { Console } from "../../src/cli/verb.ts";
import { approveFor, enterAccount, replacedHome } from "./approve.ts";
import { accountHome, type CliResult, elsewhere, ownFolders } from "./cli.ts";

interface InProcessOptions {
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What the user answers to each question. Default: there is no terminal. */
  readonly answer?: string;
  readonly colour?: boolean;
  /** Whether the user has approved the files of the project. Default: `true`. */
  readonly approves?: boolean;
}

/**
 * Runs the command line in this process and returns what `hookbox()` of cli.ts returns. For tests of a command's
 * output, which a separate process does not improve and makes many times slower. Runs the source. Tests of processes
 * (terminals, signals, threads that hang, hooks that outlive an answer, the bundle) use `hookbox()`.
 */
export async function inProcess(args: readonly string[], options: InProcessOptions = {}): Promise<CliResult> {
  const begun = performance.now();
  const stdout: string[] = [];
  const stderr: string[] = [];
  const terminal: Console = {
    stdin: Readable.from([Buffer.from(options.stdin ?? "")]),
    write: (text) => void stdout.push(text),
    writeError: (text) => void stderr.push(text),
    ask: (question) => {
      if (options.answer !== undefined) stdout.push(question);
      return Promise.resolve(options.answer);
    },
    colour: options.colour ?? false,
    cwd: options.cwd ?? elsewhere(),
    startedAt: begun,
    untilInterrupted: () => new Promise(() => {}),
    onDefect: () => {},
    onReplied: () => {},
    endForGood: () => {
      throw new Error("a thread is stuck: this test needs a process");
    },
  };
  const restore = enterEnvironment(options.env ?? {});
  let leave = (): void => {};
  try {
    if (options.approves !== false) {
      const own = replacedHome();
      const home = own ?? accountHome();
      const isApproved = await approveFor(args, home, { cwd: terminal.cwd, env: process.env });
      if ((isApproved || args[0] === "trust") && own === undefined) leave = enterAccount(home);
    }
    const run = (): Promise<number> => runCommandLine(args, terminal);
    // An approval is refused below an agent, and an agent may have started the tests.
    const exitCode = await (args[0] === "trust" || args.includes("--trust-env")
      ? asCaller({ cwd: terminal.cwd, environment: process.env }, run)
      : run());
    return {
      exitCode,
      signal: null,
      stdout: stdout.join(""),
      stderr: stderr.join(""),
      elapsedMs: performance.now() - begun,
    };
  } finally {
    leave();
    restore();
  }
}

/** What the tests' own process needs, and what the configuration of the tests sets. */
const KEPT = /^(PATH|XDG_CACHE_HOME|NODE_.*|VITEST.*)$/;

let running = 0;
let entered = "";
let outside: NodeJS.ProcessEnv = {};

/** The whole process has one environment: calls at the same time share it, and must not ask for different ones. */
function enterEnvironment(env: Readonly<Record<string, string>>): () => void {
  const wanted = JSON.stringify(env);
  if (running > 0 && wanted !== entered) throw new Error("calls at the same time need the same environment");
  running += 1;
  if (running === 1) {
    entered = wanted;
    outside = { ...process.env };
    const kept = Object.entries(outside).filter(([name]) => KEPT.test(name));
    const own = ownFolders();
    setEnvironment({ ...Object.fromEntries(kept), ...own, ...env });
  }
  return () => {
    running -= 1;
    if (running === 0) setEnvironment(outside);
  };
}

/** Changes the object in place, because `os.homedir()` and native code read the same variables. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}
