#!/usr/bin/env node
import { describeThrown, formatPlace, HookError } from "../errors.ts";
import { cleanText } from "../text.ts";
import { EXIT } from "./exit-codes.ts";
import type { Console, Verb } from "./verb.ts";

/** Reads the verb, loads only what it needs, and is the one place that touches the process. */

interface Entry {
  readonly summary: string;
  /** For our own processes, not for people. */
  readonly hidden?: boolean;
  load(): Promise<Verb>;
}

const VERBS: Readonly<Record<string, Entry>> = {
  run: {
    summary: "answer one event: payload on stdin, the agent's reply on stdout",
    load: async () => (await import("./commands/run.ts")).run,
  },
  demo: {
    summary: "a good guard, a shell script and hostile guards at work, no agent needed",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  check: {
    summary: "list the rules of a configuration and what is wrong with it",
    load: async () => (await import("./commands/check.ts")).check,
  },
  inspect: {
    summary: "say what a guard's module can and cannot touch, without running it",
    load: async () => (await import("./commands/inspect.ts")).inspect,
  },
  lock: {
    summary: "pin the modules that a configuration names, after a look at what changed",
    load: async () => (await import("./commands/lock.ts")).lock,
  },
  explain: {
    summary: "say for one payload which rules apply, and why",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  new: {
    summary: "make a folder with a guard to start from, in TypeScript, Rust or C",
    load: async () => (await import("./commands/new.ts")).newGuard,
  },
  build: {
    summary: "compile a guard and its tests into one .wasm file",
    load: async () => (await import("./commands/build.ts")).build,
  },
  test: {
    summary: "run a guard's own tests: its source, or what was built",
    load: async () => (await import("./commands/test.ts")).test,
  },
  keep: {
    summary: "keep hooks that outlive an answer",
    hidden: true,
    load: async () => (await import("./background/keep.ts")).keep,
  },
};

const SHOWN = Object.entries(VERBS).filter(([, { hidden }]) => hidden !== true);

const HELP = `hookbox: hooks for coding agents, with guards in a WebAssembly sandbox

Usage: hookbox VERB [options]

${SHOWN.map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`).join("\n")}

  hookbox VERB --help      the options of a verb
  hookbox --version        with --json: the version of each contract, too

Try it:
  hookbox demo
  echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' \\
    | hookbox run --config hookbox.json
`;

async function main(args: readonly string[], console: Console): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") return printVersion(rest.includes("--json"), console);
  if (name === "--help" || name === "-h" || name === "help") {
    console.write(HELP);
    return EXIT.done;
  }
  const verb = name !== undefined && Object.hasOwn(VERBS, name) ? await VERBS[name]?.load() : undefined;
  if (verb === undefined) {
    const message = name === undefined ? "a verb is needed" : `unknown verb "${name}"`;
    const verbs = SHOWN.map(([shown]) => shown);
    const { suggest } = await import("../dialects/suggest.ts");
    const meant = name === undefined ? undefined : suggest(name, verbs);
    throw new HookError("HOOK_CLI_USAGE", message, {
      hint: `${meant === undefined ? "" : `${meant} `}verbs: ${verbs.join(", ")}; see hookbox --help`,
    });
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    console.write(`hookbox ${name}: ${verb.summary}\n\n${verb.usage}\n`);
    return EXIT.done;
  }
  try {
    return await verb.run(rest, console);
  } catch (error) {
    if (!isHookError(error) || error.code !== "HOOK_CLI_USAGE" || error.hint !== "hookbox --help") throw error;
    throw new HookError(error.code, error.message, { hint: `hookbox ${name} --help`, cause: error });
  }
}

async function printVersion(json: boolean, console: Console): Promise<number> {
  const { versions } = await import("./versions.ts");
  const all = versions();
  console.write(json ? `${JSON.stringify(all, null, 2)}\n` : `hookbox ${all.hookbox}\n`);
  return EXIT.done;
}

/** Verbs for authors are bundled apart, with a class of their own of the same name. */
function isHookError(error: unknown): error is HookError {
  return error instanceof Error && error.name === "HookError" && "code" in error;
}

function describeFailure(error: unknown): string {
  if (!isHookError(error)) {
    const stack = error instanceof Error ? (error.stack ?? "") : "";
    return `hookbox: HOOK_INTERNAL: ${describeThrown(error)}\n${stack}`;
  }
  const place = error.place === undefined ? "" : `${formatPlace(error.place)}: `;
  const hint = error.hint === undefined ? "" : `\n  ${error.hint}`;
  return `hookbox: ${place}${error.code}: ${error.message}${hint}`;
}

/** File names and keys in files are strangers' words. */
function fitForTerminals(text: string): string {
  return cleanText(text, Number.POSITIVE_INFINITY);
}

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
    terminal.writeError(`${fitForTerminals(describeFailure(error))}\n`);
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
  cwd: process.cwd(),
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
  let exitCode: number;
  try {
    exitCode = await main(process.argv.slice(2), terminal);
  } catch (error) {
    const { exitCode: code, cause } = error as { exitCode?: number; cause?: unknown };
    terminal.writeError(`${fitForTerminals(describeFailure(code === undefined ? error : cause))}\n`);
    // Whatever went wrong, an agent that waits for an answer at a gate must not take it for consent.
    exitCode = code ?? EXIT.refused;
  }
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
