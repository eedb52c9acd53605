import { runCommandLine } from "./command-line.ts";
import { EXIT } from "./exit-codes.ts";
import { failureText } from "./failure-text.ts";
import type { Console } from "./verb.ts";

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

let endForGood = false;
let defectExitCode: number = EXIT.refused;

// Node's own answer is exit code 1, and an agent at a gate takes that for consent. Rejections that nobody handles
// arrive here too.
process.on("uncaughtException", (error) => {
  try {
    terminal.writeError(failureText(error));
  } finally {
    process.exit(defectExitCode);
  }
});

const terminal: Console = {
  stdin: process.stdin,
  write: (text) => void (text !== "" && process.stdout.write(text)),
  writeError: (text) => void (text !== "" && process.stderr.write(text)),
  colour: process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb",
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
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    }),
  onDefect: (code) => {
    defectExitCode = code;
  },
  endForGood: () => {
    endForGood = true;
  },
};

let undelivered: Error | undefined;
// The reader went away (`hookbox check | head`), or the disk is full.
process.stdout.on("error", (error) => {
  undelivered = error;
});
process.stderr.on("error", () => {});

async function runToEnd(): Promise<number> {
  let exitCode = await runCommandLine(process.argv.slice(2), terminal);
  await flushed(process.stdout);
  if (undelivered !== undefined && process.argv[2] === "run") {
    // No reply is consent. Exit code 2 with a reason is not; where a block makes the agent go on, it would be one.
    terminal.writeError(`hookbox: the reply could not be written: ${undelivered.message}\n`);
    exitCode = defectExitCode;
  }
  await flushed(process.stderr);
  return exitCode;
}

// Not awaited at the top: the bundle is a script, which Node loads faster than a module.
void runToEnd().then((exitCode) => {
  // `process.exit` waits for worker threads, and one that is stuck in a guest's native loop never ends.
  if (endForGood) process.kill(process.pid, "SIGKILL");
  process.exit(exitCode);
});
