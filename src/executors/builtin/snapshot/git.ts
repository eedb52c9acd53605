import { spawn } from "node:child_process";
import { devNull } from "node:os";
import { callersEnvironment } from "../../../caller.ts";
import { describeThrown, HookError } from "../../../errors.ts";
import { CappedTail } from "../../../processes/capped-output.ts";
import { ProcessGroup } from "../../../processes/process-group.ts";
import { cleanSearchPath, findOnSearchPath } from "../../../processes/search-path.ts";
import { releasePipes } from "../../../processes/start-child.ts";
import type { StopSignal } from "../../../stop-signal.ts";
import { cleanLine } from "../../../text.ts";

/**
 * Runs git for snapshots. File names are bytes, and git's lists are read as bytes. In this folder a path is a text with
 * one character per byte (latin1), relative to the top of the work tree, with slashes.
 */

/** The maximum output of one command, for example the names of all files. */
const MAX_STDOUT_BYTES = 67_108_864;
const STDERR_BYTES = 4_096;

interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables in addition to the few that git needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Buffer;
}

interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Returns the path of git, or `undefined` if git is not installed. The working directory is never searched. */
export function findGit(): string | undefined {
  const found = findOnSearchPath(
    "git",
    cleanSearchPath(callersEnvironment()["PATH"], process.platform),
    process.platform,
  );
  return found.ok ? found.file : undefined;
}

const INHERITED = ["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "SystemRoot"];

/** Returns the environment without git's own variables, which could select a repository or make git write traces. */
function environment(added: GitCall["env"]): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = callersEnvironment()[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", ...added };
}

/** Options that ignore all git configuration, because it may name programs to run. */
export const NO_CONFIG: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: "1",
};

/** Runs git. Rejects if git could not start, was killed, or the signal fired; git has then ended. */
export function runGit(file: string, call: GitCall, stop: StopSignal): Promise<GitAnswer> {
  if (stop.aborted) return Promise.reject(stopped());
  return new Promise((resolve, reject) => {
    const child = spawn(file, call.args, {
      cwd: call.cwd,
      env: environment(call.env),
      stdio: "pipe",
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const group = new ProcessGroup(child.pid);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let failure: HookError | undefined;
    const tail = new CappedTail(STDERR_BYTES);
    // A group is ended, because `git` may be a script that starts the real git.
    const end = (why: HookError): void => {
      if (failure !== undefined) return;
      failure = why;
      void group.end(0).then(() => {
        releasePipes(child);
        settle(null, null);
      });
    };
    const onStop = (): void => end(stopped());
    stop.addEventListener("abort", onStop, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_STDOUT_BYTES) chunks.push(chunk);
      else end(gitFailure(call, `wrote more than ${MAX_STDOUT_BYTES} bytes`));
    });
    child.stderr.on("data", (chunk: Buffer) => tail.take(chunk));
    // Git may end before it has read all input. Its exit code says whether this is a failure.
    child.stdin.on("error", () => {});
    child.stdin.end(call.input ?? "");
    child.on("error", (error) => {
      failure ??= gitFailure(call, `cannot be started: ${describeThrown(error)}`);
      if (child.pid === undefined) settle(null, null);
    });
    child.on("close", settle);
    function settle(code: number | null, signal: NodeJS.Signals | null): void {
      stop.removeEventListener("abort", onStop);
      if (failure !== undefined) reject(failure);
      else if (code === null) reject(gitFailure(call, `was ended by ${signal}`));
      else resolve({ code, stdout: Buffer.concat(chunks), stderr: tail.text() });
    }
  });
}

export function stopped(): HookError {
  return new HookError("HOOK_BUILTIN", "stopped before the snapshot was done");
}

export function gitFailure({ args }: Pick<GitCall, "args">, what: string): HookError {
  const verb = args.find((arg) => /^[a-z][a-z-]*$/.test(arg)) ?? "";
  return new HookError("HOOK_BUILTIN", cleanLine(`git ${verb} ${what}`, 400));
}

/** Splits bytes at NUL, which `-z` puts between names. */
export function splitNul(bytes: Buffer): string[] {
  const text = bytes.toString("latin1");
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

export function joinNul(paths: Iterable<string>): Buffer {
  return Buffer.from([...paths].map((path) => `${path}\0`).join(""), "latin1");
}

/** Returns a path for display. Bytes that are not UTF-8 become U+FFFD. */
export function readablePath(path: string): string {
  return Buffer.from(path, "latin1").toString("utf8");
}
