import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { defaultStateFolder } from "../../cache/state-folder.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { createEngine, type Engine } from "../../engine.ts";
import type { HookError } from "../../errors.ts";
import { exitCodeFor, refusalText, replyTo } from "../agent-reply.ts";
import { AGENT_HELP, AGENT_OPTIONS, addedHooks, HOOK_FLAG_OPTIONS } from "../agent-terms.ts";
import { CONFIG_HELP, configFiles } from "../config-files.ts";
import { decodeEvent } from "../decode-event.ts";
import { DIALECT_HELP, eventDialect } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { failureText, isHookError } from "../failure-text.ts";
import { readPayload } from "../payload.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const run: Verb = {
  summary: "answer one event: its payload on standard input, the agent's reply on standard output",
  usage: `Usage: hookbox run [--config FILE]... [--format NAME] [--event NAME] [--dialect NAME] [--json]
                   < payload.json
       hookbox run --lines [the same options] < payloads.jsonl

${CONFIG_HELP}
${AGENT_HELP}
  --dialect NAME    whose event it is, and whose reply is wanted. ${DIALECT_HELP}
  --event NAME      the event, for payloads that do not name it
  --json            print the whole verdict instead of the agent's reply
  --lines           go on until standard input ends: one payload a line, one answer line each, in their order

Exit codes: 0 the reply, or with --json the verdict, is on standard output
            1 something is wrong, at an event that must not be blocked
            2 the input or the configuration cannot be used; agents take it as a refusal`,
  run: runVerb,
};

const OPTIONS = {
  config: { type: "string", multiple: true, default: [] as string[] },
  format: { type: "string" },
  ...AGENT_OPTIONS,
  ...HOOK_FLAG_OPTIONS,
  dialect: { type: "string" },
  event: { type: "string" },
  json: { type: "boolean", default: false },
  lines: { type: "boolean", default: false },
} as const;

/** Fuel ends the longest loop that V8 does not interrupt in less; ending by force would cost the exit code. */
const THREADS_WAIT_MS = 4_000;
/**
 * V8's optimising compiler can take a minute over a function made for that, and a process ends only when it is done.
 * With this budget no function of a one-shot run ever gets to it.
 */
const NO_OPTIMISING = "--wasm-tiering-budget=2000000000";

async function runVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  if (positionals.length > 0) throw usageError(`run takes no argument such as "${positionals[0]}"`);
  const choice = eventDialect(values.dialect, values.format);
  const findFiles = (): ReturnType<typeof configFiles> =>
    configFiles(values.config, values.format, console.cwd, {
      agent: values.agent,
      added: addedHooks(values, values.format),
    });
  if (values.lines) {
    const { serveLines } = await import("../lines/serve-lines.ts");
    const files = await findFiles();
    return serveLines({ files, choice, eventName: values.event, json: values.json }, console);
  }

  let eventName = values.event;
  let dialect = choice.known;
  let hungThreads = 0;
  try {
    const files = await findFiles();
    const start = ({ name }: Dialect): Promise<Engine> =>
      createEngine({
        configFiles: files,
        cwd: console.cwd,
        dialect: name,
        prepare: "on-demand",
        onceStore: join(defaultStateFolder(), "once"),
        sandbox: { threads: 1 },
        onHungThreads: (count) => {
          hungThreads = count;
        },
        handOver: async (hook) => (await import("../background/start-keeper.ts")).keepDetached(hook),
      });
    const reading = readPayload(console);
    if (dialect === undefined) {
      const told = await reading;
      // Whichever of the two names is the wrong one, the event may be a gate.
      eventName = undefined;
      dialect = choice.of(told);
    }
    const [engine, payload] = await Promise.all([start(dialect), reading]);
    eventName = undefined;
    const decoded = decodeEvent(dialect, payload, values.event);
    eventName = decoded.name;
    console.onDefect(exitCodeFor(eventName, dialect.name));
    // As late as can be, and for guards only: with other flags than it was built with, Node compiles what it loads of
    // itself anew.
    if (engine.rules.some(({ handler }) => handler.type === "wasm")) setFlagsFromString(NO_OPTIMISING);
    // The agent's clock runs since it started this process, and so does ours.
    const { startedAt } = console;
    const verdict = await engine.dispatch(decoded.name, decoded.payload, { startedAt, only: "sync" });
    if (values.json) console.write(`${JSON.stringify(verdict, null, 2)}\n`);
    const reply = values.json ? undefined : replyTo(verdict, dialect.encodeReply(verdict, decoded), dialect);
    if (reply !== undefined) {
      console.write(reply.stdout);
      console.writeError(reply.stderr);
    }
    // The agent waits for this process to end, and goes ahead when it has waited long enough: what goes on for longer is
    // another process's to look after.
    const later = engine.asyncRulesFor(decoded.name, decoded.payload).length;
    if (later > 0) {
      const { keepAsync } = await import("../background/start-keeper.ts");
      const job = { files, cwd: console.cwd, dialect: dialect.name, eventName: decoded.name, payload: decoded.payload };
      for (const lacking of await keepAsync(job, later)) console.writeError(`hookbox: ${lacking}\n`);
    }
    await engine.close({ threadsMs: THREADS_WAIT_MS });
    if (hungThreads > 0) console.endForGood();
    return reply?.exitCode ?? EXIT.done;
  } catch (error) {
    if (values.json && isHookError(error)) console.write(`${JSON.stringify({ error: errorAsData(error) }, null, 2)}\n`);
    const exitCode = exitCodeFor(eventName, dialect?.name ?? "claude-code");
    if (!values.json && exitCode === EXIT.refused)
      console.write(refusalText(dialect, eventName, failureText(error).trim()));
    throw new BlockingError(error, exitCode);
  }
}

/** Carries the exit code that fits the event, so that a defect at a Stop event does not keep the agent going. */
export class BlockingError extends Error {
  readonly exitCode: number;

  constructor(cause: unknown, exitCode: number) {
    super("run failed", { cause });
    this.exitCode = exitCode;
  }
}

function errorAsData({ code, message, hint, place }: HookError): object {
  return { code, message, hint: hint ?? null, place: place ?? null };
}
