import { fstatSync, readFileSync, statSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { killLivingGroups, livingGroups, stopLivingGroups } from "../processes/living-groups.ts";
import { runCommandLine } from "./command-line.ts";
import { EXIT } from "./exit-codes.ts";
import { failureText } from "./failure-text.ts";
import type { Console, LastAnswer } from "./verb.ts";

/** The one place that touches the process. */

/** Everything written so far has left the process, or its error has been told: that comes a turn later. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) setImmediate(resolve);
    else stream.write("", () => setImmediate(resolve));
  });
}

// Should the process end before it has said anything, that must not be read as consent.
process.exitCode = EXIT.refused;

let stuck: "threads" | "files" | undefined;
let lastAnswer = (_reason: string): LastAnswer => ({ exitCode: EXIT.refused, stdout: "" });
/** The exit code of a reply that has been written. */
let replied: number | undefined;
/** A signal is ending the process: what the verb would still say counts for nothing. */
let isEnding = false;
let hasWritten = false;

// Hooks must not go on after whoever started them. Node runs this at every ordinary end, also after an uncaught error.
process.on("exit", killLivingGroups);

// Node's own answer is exit code 1, and an agent at a gate takes that for consent. Rejections that nobody handles
// arrive here too.
process.on("uncaughtException", (error) => {
  let exitCode: number = EXIT.refused;
  try {
    exitCode = refuseNow(failureText(error));
  } finally {
    process.exit(exitCode);
  }
});

/** Writes the refusal without a wait, unless a reply has been begun: two would be none. Returns the exit code. */
function refuseNow(text: string): number {
  const { exitCode, stdout } = lastAnswer(text.trim());
  for (const [fd, said] of [
    [1, hasWritten ? "" : stdout],
    [2, text],
  ] as const) {
    try {
      if (said !== "") writeSync(fd, said);
    } catch {
      // It is closed or full. The exit code says the rest.
    }
  }
  return exitCode;
}

/**
 * Signals that would end the process: from somebody who wants that, from timers and limits that whoever started it has
 * set. Signals of a fault of the process itself (SIGSEGV, SIGSYS and their like) are not among them, because nothing can
 * go on after those. Node has the process live on after SIGUSR1, SIGPIPE and SIGXFSZ.
 */
const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  ...(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGABRT", "SIGUSR2"] as const),
  ...(["SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"] as const),
  // Elsewhere the first ends nothing, and the others are not known.
  ...(process.platform === "linux" ? (["SIGIO", "SIGPWR", "SIGSTKFLT"] as const) : []),
];

function onEndingSignal(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of ENDING_SIGNALS) if (!isTaken(signal)) process.on(signal, listener);
}

/**
 * Whether a signal has another meaning already: `nohup` has SIGHUP ignored, Node's options have SIGUSR2 for reports, and
 * SIGPROF for the profiler. The first and the last are known on Linux only.
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

/** Between SIGTERM and SIGKILL, for the processes that this one has started. */
const STOP_GRACE_MS = 100;

/** `run` for one event: refuses at once, and stops what it has started. A second signal does not wait for that. */
function endBySignal(signal: NodeJS.Signals): void {
  if (isEnding) process.exit(replied ?? lastAnswer("").exitCode);
  isEnding = true;
  const exitCode = replied ?? refuseNow(`hookbox: ended by ${signal} before there was a verdict\n`);
  const stopped = livingGroups().size === 0 ? undefined : stopLivingGroups(STOP_GRACE_MS);
  void Promise.all([stopped, flushed(process.stdout), flushed(process.stderr)]).then(() => process.exit(exitCode));
}

/** NO_COLOR counts first, because `run` in an agent's terminal must be able to rely on it. */
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
      // Ctrl-C or Ctrl-D in place of an answer.
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
        // A second signal does not wait for what the first one has asked for.
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
// The reader went away (`hookbox check | head`), or the disk is full.
process.stdout.on("error", (error) => {
  undelivered = error;
  interrupt();
});
process.stderr.on("error", () => {});

/**
 * Whether standard output was closed when the process started: then Node opens `/dev/null` in its place, for reading and
 * writing. A shell's `> /dev/null` opens it for writing only. Told apart on Linux; elsewhere neither counts.
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

const isRun = process.argv[2] === "run";
if (isRun) onEndingSignal(endBySignal);

async function runToEnd(): Promise<number> {
  let exitCode = await runCommandLine(process.argv.slice(2), terminal);
  await flushed(process.stdout);
  const why = undelivered?.message ?? (isRun && hasWritten && isClosed(1) ? "standard output is closed" : undefined);
  if (why !== undefined && isRun) {
    // No reply is consent. Exit code 2 with a reason is not; where a block makes the agent go on, it would be one.
    terminal.writeError(`hookbox: the reply could not be written: ${why}\n`);
    exitCode = lastAnswer("").exitCode;
  }
  await flushed(process.stderr);
  return exitCode;
}

/**
 * `process.exit` waits for worker threads and for reads and writes that the system does not give back. To become another
 * program does not, and keeps the exit code; Node has it since 22.15. Without it, a stuck thread costs the exit code,
 * because the process would never end; a file may only be slow, and the ordinary exit is tried.
 */
function endByForce(exitCode: number, what: "threads" | "files"): void {
  // No listener of "exit" runs.
  killLivingGroups();
  const { execve } = process as { execve?: (file: string, args: readonly string[], env: object) => never };
  try {
    process.removeAllListeners("warning");
    execve?.("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  } catch {
    // A system without it.
  }
  if (what === "threads") process.kill(process.pid, "SIGKILL");
}

// Not awaited at the top: the bundle is a script, which Node loads faster than a module.
void runToEnd().then((exitCode) => {
  if (isEnding) return;
  if (stuck !== undefined) endByForce(exitCode, stuck);
  process.exit(exitCode);
});
