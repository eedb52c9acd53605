import { setTimeout as sleep } from "node:timers/promises";
import type { Dialect } from "../../dialects/dialect.ts";
import { usualPatienceMs } from "../../engine/event-deadline.ts";
import { createEngine, type Engine } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import { isEventName } from "../../events/lookup.ts";
import type { UntestedGuard } from "../../executors/wasm/fixtures/guard-tests.ts";
import type { JsonObject } from "../../json.ts";
import { switchOptimiserOff } from "../../sandbox/index.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { addedHooks } from "../agent-options.ts";
import { anyRefusal, compatOf, exitCodeFor, exitCodeForUnknown, refusalText, replyTo } from "../agent-reply.ts";
import { unmatchedRulesText } from "../checks/unmatched-rules.ts";
import { CONFIG_HELP, configFiles, formatOfEvents } from "../config-files.ts";
import { decodeEvent, eventOfMembers } from "../decode-event.ts";
import { eventDialect } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { answered, errorAsData, failureText } from "../failure-text.ts";
import { mayBeOff } from "../off/off-file.ts";
import { PatienceWatch, patienceMsOf } from "../patience.ts";
import { PayloadExcess, readPayload } from "../payload.ts";
import { refuseUnmatchedTool } from "../refuse-unmatched-tool.ts";
import { RUN_OPTIONS } from "../run-options.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const run: Verb = {
  summary: "answer one event: reads its payload from standard input, writes the reply to standard output",
  usage: async () => (await import("../help-texts.ts")).runUsage(CONFIG_HELP),
  options: () => RUN_OPTIONS,
  run: runVerb,
};

/** How long to wait for threads, in milliseconds. Fuel ends a thread sooner; ending by force may lose the exit code. */
const THREADS_WAIT_MS = 4_000;

/** How long to wait for the payload of a refused event, in milliseconds. */
const PAYLOAD_WAIT_MS = 3_000;

/** Runs the verb. Also refuses on a wrong command line, because an agent may be waiting and may ignore exit codes. */
async function runVerb(args: readonly string[], console: Console): Promise<number> {
  try {
    const passed = mayBeOff() ? await (await import("../off/pass-when-off.ts")).passWhenOff(args, console) : undefined;
    return passed ?? (await answerEvents(args, console));
  } catch (error) {
    if (!(error instanceof BlockingError)) await refuseAny(error, console);
    throw error;
  }
}

/** Refuses the event on standard input, whatever the event is. Prints nothing if standard input is a terminal. */
export async function refuseAny(error: unknown, console: Console): Promise<void> {
  if (console.stdin.isTTY === true) return;
  const reading = readPayload(console).catch(() => undefined);
  const payload = await Promise.race([reading, sleep(PAYLOAD_WAIT_MS, undefined, { ref: false })]);
  if (payload === undefined) return;
  answered.add(error as object);
  console.write(anyRefusal(payload, failureText(error).trim()));
}

async function answerEvents(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, RUN_OPTIONS);
  if (positionals.length > 0) throw usageError(`run takes no argument such as "${positionals[0]}"`);
  const choice = eventDialect(values.dialect, formatOfEvents(values));
  const statedMs = patienceMsOf(values.patience);
  const findFiles = async (): ReturnType<typeof configFiles> => {
    const found = await configFiles(values.config, values.format, console.cwd, {
      agent: values.agent,
      compat: values.compat,
      withProject: values["with-project"],
      added: addedHooks(values, formatOfEvents(values)),
    });
    if (values["trust-env"]) {
      const { approveFromEnvironment } = await import("../trust/from-environment.ts");
      await approveFromEnvironment(found, console.cwd);
    }
    return found;
  };
  if (values.lines) {
    const { serveLines } = await import("../lines/serve-lines.ts");
    const files = await findFiles();
    return serveLines({ files, choice, eventName: values.event, json: values.json, patienceMs: statedMs }, console);
  }

  let eventName = values.event;
  let dialect = choice.known;
  let hungThreads = 0;
  const untested: UntestedGuard[] = [];
  let hasReplied = false;
  let payloadMembers: JsonObject | undefined;
  /** Whether the dialect is uncertain, because the payload was not read yet or cannot be decoded. */
  let isDoubtful = dialect === undefined;
  const exitCodeNow = (): number =>
    eventName === undefined && payloadMembers !== undefined && (dialect === undefined || values.event === undefined)
      ? exitCodeForUnknown(payloadMembers)
      : exitCodeFor(eventName, dialect?.name ?? "claude-code");
  const refusalNow = (reason: string): string => {
    if (values.json || hasReplied || exitCodeNow() !== EXIT.refused) return "";
    return isDoubtful ? anyRefusal(payloadMembers, reason) : refusalText(dialect, eventName, reason);
  };
  console.onDefect((reason) => ({ exitCode: exitCodeNow(), stdout: refusalNow(reason) }));
  // Time is measured from the start of this process, because the agent's timeout began then.
  const { startedAt } = console;
  const watch = new PatienceWatch(startedAt, statedMs ?? usualPatienceMs(dialect?.name, eventName));
  const payloadRead = readPayload(console).then(
    (payload) => {
      isDoubtful = true;
      payloadMembers = payload;
      return payload;
    },
    (error: unknown) => {
      isDoubtful = true;
      throw error;
    },
  );
  const reading = watch.during("the event on standard input", payloadRead);
  // `reading` is awaited after the configuration, so an earlier rejection must not count as unhandled.
  reading.catch(() => undefined);
  try {
    const files = await watch.during("the configuration", findFiles());
    const start = ({ name }: Dialect): Promise<Engine> =>
      createEngine({
        configFiles: files,
        cwd: console.cwd,
        dialect: name,
        prepare: "on-demand",
        stateFolder: defaultStateFolder,
        approvals: "required",
        sandbox: { threads: 1 },
        onHungThreads: (count) => {
          hungThreads = count;
        },
        testsLater: (guard) => void untested.push(guard),
        handOver: async (hook) => (await import("../background/start-keeper.ts")).keepDetached(hook),
      });
    if (dialect === undefined) {
      const payload = await reading;
      // The event is unknown until `choice.of` returns, because `--event` and the payload may name different events.
      eventName = undefined;
      dialect = await choice.of(payload);
    }
    const [engine, payload] = await Promise.all([watch.during("the configuration", start(dialect)), reading]);
    eventName = undefined;
    const decoded = decodeEvent(dialect, payload, values.event);
    eventName = decoded.name;
    isDoubtful = !isEventName(eventName);
    await refuseUnmatchedTool(engine, decoded);
    // Disables V8's optimising compiler, which can take a minute for one function and delays the end of the process.
    // Done late and only for wasm rules, because changing V8 flags makes Node recompile its built-in modules.
    if (engine.rules.some(({ handler }) => handler.type === "wasm")) switchOptimiserOff();
    const patienceMs = statedMs ?? engine.patienceMs ?? usualPatienceMs(dialect.name, eventName);
    watch.patienceMs = patienceMs;
    const asked = engine.dispatch(decoded.name, decoded.payload, { startedAt, patienceMs, only: "sync" });
    watch.stop();
    const verdict = await asked;
    const encoded = dialect.encodeReply(verdict, decoded, compatOf(engine, decoded.name));
    const reply = values.json ? undefined : replyTo(verdict, encoded, dialect);
    hasReplied = true;
    if (reply === undefined) console.write(`${JSON.stringify(verdict, null, 2)}\n`);
    else {
      console.write(reply.stdout);
      console.writeError(reply.stderr);
    }
    // Messages are printed only with exit code 0, because with other codes the agent reads standard error.
    if ((reply?.exitCode ?? EXIT.done) === EXIT.done)
      console.writeError(unmatchedRulesText(engine.problems, decoded.payload));
    console.onReplied(reply?.exitCode ?? EXIT.done);
    // Another process does the longer work, because the agent waits until this process ends and goes on at its timeout.
    const later = engine.asyncRulesFor(decoded.name, decoded.payload);
    if (later.length > 0) {
      const { keepAsync } = await import("../background/start-keeper.ts");
      const job = { files, cwd: console.cwd, dialect: dialect.name, eventName: decoded.name, payload: decoded.payload };
      for (const problem of await keepAsync(job, later)) console.writeError(`hookbox: ${problem}\n`);
    }
    if (untested.length > 0) {
      const { keepTests } = await import("../background/start-keeper.ts");
      // The wait is limited, because the cache folder may be on a disk that does not answer.
      await watch.atMost(keepTests(untested));
    }
    const closed = await watch.atMost(engine.close({ threadsMs: Math.min(THREADS_WAIT_MS, watch.deliveryLeftMs) }));
    if (hungThreads > 0) console.endForGood("threads");
    else if (closed === "late") console.endForGood("files");
    return reply?.exitCode ?? EXIT.done;
  } catch (error) {
    // If the configuration failed, the payload may not have been read yet.
    await Promise.race([reading.catch(() => undefined), sleep(PAYLOAD_WAIT_MS, undefined, { ref: false })]);
    watch.stop();
    if (error instanceof HookError && error.code === "HOOK_PATIENCE_ENDED") console.endForGood("files");
    if (error instanceof PayloadExcess) {
      const found = await eventOfMembers(choice, error.members, values.event);
      dialect = found.dialect;
      eventName = found.event?.name;
      payloadMembers = error.members;
      isDoubtful = eventName === undefined || !isEventName(eventName);
    }
    if (values.json && !hasReplied) console.write(`${JSON.stringify({ error: errorAsData(error) }, null, 2)}\n`);
    console.write(refusalNow(failureText(error).trim()));
    throw new BlockingError(error, exitCodeNow());
  }
}

/** An error with the exit code for the event. At a Stop event, this code must not make the agent go on. */
class BlockingError extends Error {
  readonly exitCode: number;

  constructor(cause: unknown, exitCode: number) {
    super("run failed", { cause });
    this.exitCode = exitCode;
  }
}
