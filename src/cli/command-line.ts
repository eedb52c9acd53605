import { HookError } from "../errors.ts";
import { EXIT } from "./exit-codes.ts";
import { answered, errorAsData, failureText, isHookError } from "./failure-text.ts";
import { type Console, HELP, type Verb } from "./verb.ts";

/** Reads the verb, and loads only what it needs. */

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
  check: {
    summary: "list the rules of a configuration and what is wrong with it",
    load: async () => (await import("./commands/check.ts")).check,
  },
  explain: {
    summary: "say for one payload which rules apply, and why",
    load: async () => (await import("./commands/explain.ts")).explain,
  },
  hooks: {
    summary: "list, add, switch, remove and try the hooks of a file, of any agent",
    load: async () => (await import("./commands/hooks.ts")).hooks,
  },
  convert: {
    summary: "write the hooks of one agent's file as another's, and say what has no equal there",
    load: async () => (await import("./commands/convert.ts")).convert,
  },
  inspect: {
    summary: "say what a guard's module can and cannot touch, without running it",
    load: async () => (await import("./commands/inspect.ts")).inspect,
  },
  lock: {
    summary: "pin the modules that a configuration names, after a look at what changed",
    load: async () => (await import("./commands/lock.ts")).lock,
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
  snapshots: {
    summary: "list the states of the work tree that a hook has kept, and go back to one",
    load: async () => (await import("./commands/snapshots.ts")).snapshots,
  },
  demo: {
    summary: "a good guard, a shell script and hostile guards at work, no agent needed",
    load: async () => (await import("./commands/demo.ts")).demo,
  },
  completion: {
    summary: "print the script by which bash, zsh or fish completes verbs and options",
    load: async () => (await import("./commands/completion.ts")).completionOf(shownVerbs),
  },
  keep: {
    summary: "keep hooks that outlive an answer",
    hidden: true,
    load: async () => (await import("./background/keep.ts")).keep,
  },
};

const SHOWN = Object.entries(VERBS).filter(([, { hidden }]) => hidden !== true);

const shownVerbs = (): readonly (Entry & { readonly name: string })[] =>
  SHOWN.map(([name, entry]) => ({ ...entry, name }));

/** Runs what the arguments ask for, and says what went wrong. Resolves to the exit code. */
export async function runCommandLine(args: readonly string[], console: Console): Promise<number> {
  try {
    return await runVerb(args, console);
  } catch (error) {
    const { exitCode, cause } = error as { exitCode?: number; cause?: unknown };
    const failure = exitCode === undefined ? error : cause;
    // `run` has printed its own where it knew the event. A client of `--lines` reads lines.
    if (exitCode === undefined && args.includes("--json") && !answered.has(originOf(failure)))
      console.write(`${JSON.stringify({ error: errorAsData(failure) }, null, args.includes("--lines") ? 0 : 2)}\n`);
    console.writeError(failureText(failure));
    // Whatever went wrong, an agent that waits for an answer at a gate must not take it for consent.
    return exitCode ?? EXIT.refused;
  }
}

/** What was thrown first: `runVerb` adds the verb to usage errors. */
function originOf(failure: unknown): object {
  return isHookError(failure) && isHookError(failure.cause) ? failure.cause : (failure as object);
}

async function runVerb(args: readonly string[], console: Console): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") return printVersion(rest.includes("--json"), console);
  if (name === "--help" || name === "-h" || name === "help") {
    console.write((await import("./help-texts.ts")).helpFor(SHOWN));
    return EXIT.done;
  }
  const verb = name !== undefined && Object.hasOwn(VERBS, name) ? await VERBS[name]?.load() : undefined;
  if (verb === undefined) {
    const { unknownVerb } = await import("./help-texts.ts");
    const { message, hint } = unknownVerb(name, SHOWN);
    const error = new HookError("HOOK_CLI_USAGE", message, { hint });
    // The mistake may be in an agent's entry.
    await (await import("./commands/run.ts")).refuseAny(error, console);
    throw error;
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    const usage = typeof verb.usage === "string" ? verb.usage : await verb.usage();
    console.write(`hookbox ${name}: ${verb.summary}\n\n${usage}\n`);
    return EXIT.done;
  }
  try {
    return await verb.run(rest, console);
  } catch (error) {
    if (!isHookError(error) || error.hint?.endsWith(HELP) !== true) throw error;
    const hint = error.hint.replace(HELP, `hookbox ${name} --help`);
    throw new HookError(error.code, error.message, { hint, cause: error });
  }
}

async function printVersion(json: boolean, console: Console): Promise<number> {
  const { versions } = await import("./versions.ts");
  const all = versions();
  console.write(json ? `${JSON.stringify(all, null, 2)}\n` : `hookbox ${all.hookbox}\n`);
  return EXIT.done;
}
