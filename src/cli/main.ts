import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { killLivingGroups, livingGroups, stopLivingGroups } from "../processes/living-groups.ts";
import { runCommandLine } from "./command-line.ts";
import { EXIT } from "./exit-codes.ts";
import { failureText } from "./failure-text.ts";
import type { Console, LastAnswer } from "./verb.ts";

/** The entry point: the only module that reads arguments and signals, writes output and ends the process. */

/**
 * Resolves when everything written so far has left the process. An error is emitted one turn of the event loop later.
 */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) setImmediate(resolve);
    else stream.write("", () => setImmediate(resolve));
  });
}

// The exit code refuses until the process has replied, because an agent must not take an early end for consent.
process.exitCode = EXIT.refused;

let stuck: "threads" | "files" | undefined;
let lastAnswer = (_reason: string): LastAnswer => ({ exitCode: EXIT.refused, stdout: "" });
/** The exit code of the reply, if it was written. */
let replied: number | undefined;
/** Whether a signal is ending the process. Later output of the verb is dropped. */
let isEnding = false;
let hasWritten = false;

// Hooks must not outlive this process. Node emits "exit" at every ordinary end, also after an uncaught error.
process.on("exit", killLivingGroups);

// Node's default is exit code 1, which an agent at a gate takes for consent. Unhandled rejections arrive here too.
process.on("uncaughtException", (error) => {
  let exitCode: number = EXIT.refused;
  try {
    exitCode = refuseNow(failureText(error));
  } finally {
    process.exit(exitCode);
  }
});

/**
 * Writes the refusal synchronously. Writes no refusal to standard output after other output, because an agent cannot
 * parse two replies. Returns the exit code.
 */
function refuseNow(text: string): number {
  const { exitCode, stdout } = lastAnswer(text.trim());
  for (const [fd, said] of [
    [1, hasWritten ? "" : stdout],
    [2, text],
  ] as const) {
    try {
      if (said !== "") writeSync(fd, said);
    } catch {
      // The stream is closed or full, but the exit code still refuses.
    }
  }
  return exitCode;
}

/**
 * Signals that would end the process, from the user, another process, or limits of the parent. Signals for faults of
 * the process itself, such as SIGSEGV and SIGSYS, are not included, because no code can run after them. SIGUSR1,
 * SIGPIPE and SIGXFSZ do not end a Node process.
 */
const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  ...(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGABRT", "SIGUSR2"] as const),
  ...(["SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"] as const),
  // On other systems SIGIO does not end a process, and SIGPWR and SIGSTKFLT do not exist.
  ...(process.platform === "linux" ? (["SIGIO", "SIGPWR", "SIGSTKFLT"] as const) : []),
];

function onEndingSignal(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of ENDING_SIGNALS) if (!isTaken(signal)) process.on(signal, listener);
}

/**
 * Whether a signal already has another purpose: `nohup` makes the process ignore SIGHUP, and options of Node use
 * SIGUSR2 for reports and SIGPROF for the profiler. SIGHUP and SIGPROF can only be checked on Linux.
 */
function isTaken(signal: NodeJS.Signals): boolean {
  if (signal === "SIGUSR2") return process.listenerCount(signal) > 0;
  if (signal === "SIGHUP") return isInMask("SigIgn", signal);
  return signal === "SIGPROF" && isInMask("SigCgt", signal);
}

function isInMask(mask: "SigIgn" | "SigCgt", signal: NodeJS.Signals): boolean {
  if (process.platform !== "linux") return false;
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const [, bits = "0"] = new RegExp(`^${mask}:\\s*([\\da-f]+)$`, "m").exec(status) ?? [];
    return ((BigInt(`0x${bits}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

/** Milliseconds between SIGTERM and SIGKILL for the processes that this process has started. */
const STOP_GRACE_MS = 100;

/** Ends `run` with one event: refuses immediately and stops the started processes. A second signal ends immediately. */
function endBySignal(signal: NodeJS.Signals): void {
  if (isEnding) process.exit(replied ?? lastAnswer("").exitCode);
  isEnding = true;
  const exitCode = replied ?? refuseNow(`hookbox: ended by ${signal} before there was a verdict\n`);
  const stopped = livingGroups.size === 0 ? undefined : stopLivingGroups(STOP_GRACE_MS);
  void Promise.all([stopped, flushed(process.stdout), flushed(process.stderr)]).then(() => process.exit(exitCode));
}

/** Whether to colour output. NO_COLOR comes first, because `run` in an agent's terminal relies on it. */
function showsColours(): boolean {
  const { NO_COLOR: none, FORCE_COLOR: forced, TERM: terminal } = process.env;
  if (none) return false;
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return process.stdout.isTTY === true && terminal !== "dumb";
}

let interrupt = (): void => {};

const terminal: Console = {
  stdin: process.stdin,
  write: (text) => {
    if (text === "" || isEnding) return;
    hasWritten = true;
    process.stdout.write(text);
  },
  writeError: (text) => void (text !== "" && !isEnding && process.stderr.write(text)),
  colour: showsColours(),
  showsProgress: process.stderr.isTTY === true && process.env["TERM"] !== "dumb",
  ask: async (question) => {
    if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) return undefined;
    const { createInterface } = await import("node:readline/promises");
    const prompt = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await prompt.question(question);
    } catch {
      // The user pressed Ctrl-C or Ctrl-D.
      process.stdout.write("\n");
      return undefined;
    } finally {
      prompt.close();
    }
  },
  hasTerminal: process.stdin.isTTY === true && process.stdout.isTTY === true && process.env["TERM"] !== "dumb",
  cwd: process.cwd(),
  startedAt: 0,
  untilInterrupted: () =>
    new Promise((resolve) => {
      for (const signal of ENDING_SIGNALS) process.removeListener(signal, endBySignal);
      interrupt = resolve;
      let isInterrupted = false;
      onEndingSignal(() => {
        // A second signal ends the process without waiting.
        if (isInterrupted) process.exit(lastAnswer("").exitCode);
        isInterrupted = true;
        resolve();
      });
    }),
  onDefect: (answer) => {
    lastAnswer = answer;
  },
  onReplied: (exitCode) => {
    replied = exitCode;
  },
  endForGood: (what) => {
    stuck ??= what;
  },
};

let undelivered: Error | undefined;
// The reader has closed the pipe (`hookbox check | head`), or the disk is full.
process.stdout.on("error", (error) => {
  undelivered = error;
  interrupt();
});
process.stderr.on("error", () => {});

/**
 * Whether standard output was closed when the process started. Node then opens `/dev/null` for reading and writing,
 * while a shell's `> /dev/null` opens it for writing only. Returns `false` on systems other than Linux.
 */
function isClosed(fd: number): boolean {
  try {
    if (fstatSync(fd).rdev !== statSync("/dev/null").rdev) return false;
    const [, flags = "0"] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & 3) === 2;
  } catch {
    return false;
  }
}

/** Whether an agent waits for a reply. */
const isRun = process.argv[2] === "run" || process.argv[2] === "relay";
if (isRun) onEndingSignal(endBySignal);

async function runToEnd(): Promise<number> {
  let exitCode = await runCommandLine(process.argv.slice(2), terminal);
  await flushed(process.stdout);
  const why = undelivered?.message ?? (isRun && hasWritten && isClosed(1) ? "standard output is closed" : undefined);
  if (why !== undefined && isRun) {
    // A missing reply counts as consent, but exit code 2 with a reason does not. Where a block makes the agent go on,
    // `lastAnswer` has another code.
    terminal.writeError(`hookbox: the reply could not be written: ${why}\n`);
    exitCode = lastAnswer("").exitCode;
  }
  await flushed(process.stderr);
  return exitCode;
}

/**
 * Ends the process by force, because `process.exit` waits for worker threads and for file operations that do not
 * return. `execve` (Node 22.15 and later) does not wait and keeps the exit code. Without `execve`, a process with a
 * stuck thread is killed and loses its exit code, because it would never end. For a slow file, `process.exit` is tried.
 */
function endByForce(exitCode: number, what: "threads" | "files"): void {
  // `execve` and SIGKILL run no listener of "exit", so groups are killed here.
  killLivingGroups();
  const { execve } = process as { execve?: (file: string, args: readonly string[], env: object) => never };
  try {
    process.removeAllListeners("warning");
    execve?.("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  } catch {
    // The system has no `execve`.
  }
  if (what === "threads") process.kill(process.pid, "SIGKILL");
}

// There is no top-level await, so that the bundle can be a CommonJS script, which Node loads faster than a module.
void runToEnd().then((exitCode) => {
  if (isEnding) return;
  if (stuck !== undefined) endByForce(exitCode, stuck);
  process.exit(exitCode);
});
