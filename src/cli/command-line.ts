import { HookError } from "../errors.ts";
import { EXIT } from "./exit-codes.ts";
import { answered, errorAsData, failureText } from "./failure-text.ts";
import { type Console, HELP, type Verb } from "./verb.ts";

/** Reads the verb from the arguments, and loads only the modules that this verb needs. */

/** The module of each verb. `SUMMARIES` lists the verbs that the help shows; `keep` is internal. */
const VERBS: Readonly<Record<string, () => Promise<Verb>>> = {
  run: async () => (await import("./commands/run.ts")).run,
  init: async () => (await import("./commands/init.ts")).init,
  check: async () => (await import("./commands/check.ts")).check,
  explain: async () => (await import("./commands/explain.ts")).explain,
  hooks: async () => (await import("./commands/hooks.ts")).hooks,
  convert: async () => (await import("./commands/convert.ts")).convert,
  inspect: async () => (await import("./commands/inspect.ts")).inspect,
  lock: async () => (await import("./commands/lock.ts")).lock,
  trust: async () => (await import("./commands/trust.ts")).trust,
  except: async () => (await import("./commands/except.ts")).except,
  new: async () => (await import("./commands/new.ts")).newGuard,
  build: async () => (await import("./commands/build.ts")).build,
  test: async () => (await import("./commands/test.ts")).test,
  snapshots: async () => (await import("./commands/snapshots.ts")).snapshots,
  serve: async () => (await import("./commands/serve.ts")).serve,
  relay: async () => (await import("./commands/relay.ts")).relay,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
  disable: async () => (await import("./commands/disable.ts")).disable,
  enable: async () => (await import("./commands/disable.ts")).enable,
  demo: async () => (await import("./commands/demo.ts")).demo,
  completion: async () => (await import("./commands/completion.ts")).completionOf((name) => VERBS[name]?.()),
  keep: async () => (await import("./background/keeper.ts")).keep,
};

/** Runs the verb in the arguments, and writes errors to standard error. Resolves to the exit code. */
export async function runCommandLine(args: readonly string[], console: Console): Promise<number> {
  try {
    return await runVerb(args, console);
  } catch (error) {
    const { exitCode, cause } = error as { exitCode?: number; cause?: unknown };
    const failure = exitCode === undefined ? error : cause;
    // `run` prints its own error if it knew the event. Clients of `--lines` read one line per answer.
    if (exitCode === undefined && args.includes("--json") && !answered.has(originOf(failure)))
      console.write(`${JSON.stringify({ error: errorAsData(failure) }, null, args.includes("--lines") ? 0 : 2)}\n`);
    console.writeError(failureText(failure));
    // The default is the exit code that refuses, because an agent at a gate must not take an error for consent.
    return exitCode ?? EXIT.refused;
  }
}

/** Returns the error that was thrown first. `runVerb` wraps usage errors to add the verb to their hint. */
function originOf(failure: unknown): object {
  return failure instanceof HookError && failure.cause instanceof HookError ? failure.cause : (failure as object);
}

async function runVerb(args: readonly string[], console: Console): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") return printVersion(rest.includes("--json"), console);
  if (name === "--help" || name === "-h" || name === "help") {
    console.write((await import("./help-texts.ts")).helpText());
    return EXIT.done;
  }
  const verb = name !== undefined && Object.hasOwn(VERBS, name) ? await VERBS[name]?.() : undefined;
  if (verb === undefined) {
    const { unknownVerb } = await import("./help-texts.ts");
    const { message, hint } = unknownVerb(name);
    const error = new HookError("HOOK_CLI_USAGE", message, { hint });
    // An agent may be waiting for a reply, because the wrong command line may be in the agent's configuration.
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
    if (!(error instanceof HookError) || error.hint?.endsWith(HELP) !== true) throw error;
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
