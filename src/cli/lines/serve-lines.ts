import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigFile } from "../../config/load.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Activity } from "../../engine/activity.ts";
import type { Engine } from "../../engine.ts";
import { formatProblem, HookError } from "../../errors.ts";
import { notificationsFor } from "../../hosts/autohand/notifications.ts";
import type { JsonObject } from "../../json.ts";
import { trustWarnings, unmatchedRules } from "../checks/unmatched-rules.ts";
import type { DialectChoice } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { MAX_PAYLOAD_BYTES } from "../payload.ts";
import type { Console } from "../verb.ts";
import { formFor } from "./answer-forms.ts";
import { answerInOrder } from "./answer-in-order.ts";
import { Answering } from "./answering.ts";
import { Engines } from "./engines.ts";
import { readId, readQuestion } from "./question.ts";
import { type Line, readLines } from "./read-lines.ts";

/** `hookbox run --lines`: answers many events in one process, with one payload and one answer per line. */

interface LinesOptions {
  readonly files: readonly ConfigFile[];
  readonly choice: DialectChoice;
  /** The event of payloads that do not name their event. */
  readonly eventName: string | undefined;
  readonly json: boolean;
  /** How long the client waits for an answer after it has sent the line. `undefined`: unknown. */
  readonly patienceMs: number | undefined;
}

/** How many questions are answered in parallel. Further questions stay unread. */
const MOST_AT_ONCE = 32;

/** Milliseconds between a signal and the refusal of questions whose rules are not cancelled. */
const CANCELLING_MS = 300;

/** Answers lines until standard input ends or a signal arrives. A question that cannot be answered is refused. */
export async function serveLines(options: LinesOptions, console: Console): Promise<number> {
  const listeners = new AsyncLocalStorage<(activity: Activity) => void>();
  const engines = new Engines({
    files: options.files,
    cwd: console.cwd,
    onActivity: (activity) => listeners.getStore()?.(activity),
  });
  const interruption = new AbortController();
  const interrupted = console.untilInterrupted().then(() => interruption.abort());
  // A signal does not cancel the rules of some events. Their questions are refused, because their timeouts may be long.
  const cutOff = new AbortController();
  void interrupted.then(async () => {
    await sleep(CANCELLING_MS);
    cutOff.abort(new HookError("HOOK_ENGINE_CLOSED", "hookbox was ended before all rules had answered"));
  });

  if (options.choice.known !== undefined) void reportProblems(engines.of(options.choice.known), console);
  const answer = (line: Line): Promise<readonly JsonObject[]> =>
    new Answering({
      ...options,
      startedAt: performance.now(),
      engineOf: (dialect) => engines.of(dialect),
      formOf: (dialect) => formFor(dialect, options.json),
      signal: interruption.signal,
      cutOff: cutOff.signal,
      withActivities: async (dialect, dispatch) => {
        const notices: JsonObject[] = [];
        const notify = (activity: Activity) => void notices.push(...notificationsOf(dialect, options.json, activity));
        return [await listeners.run(notify, dispatch), notices];
      },
    }).answer((async () => readQuestion(line))(), (error) => readId(line, error));
  const write = (answers: readonly JsonObject[]): void => {
    console.write(answers.map((one) => `${JSON.stringify(one)}\n`).join(""));
  };
  const lines = readLines(console.stdin as AsyncIterable<Buffer | string>, MAX_PAYLOAD_BYTES);
  await answerInOrder(lines, answer, write, { most: MOST_AT_ONCE, enough: interrupted });
  await engines.close(interruption.signal.aborted ? 0 : undefined);
  if (engines.isStuck) console.endForGood("threads");
  return EXIT.done;
}

/** Prints the problems of the configuration. Not awaited, because the client may already wait for answers. */
async function reportProblems(starting: Promise<Engine>, console: Console): Promise<void> {
  const engine = await starting.catch(() => undefined);
  const problems = engine?.problems ?? [];
  const reports = [
    ...problems.filter(({ severity }) => severity === "error"),
    ...trustWarnings(problems),
    ...unmatchedRules(problems),
  ];
  console.writeError(reports.map((problem) => `hookbox: ${formatProblem(problem)}\n`).join(""));
}

/** Returns notifications for Autohand, which expects them for every activity. */
function notificationsOf(dialect: Dialect, json: boolean, activity: Activity): readonly JsonObject[] {
  return dialect.name === "autohand" && !json ? notificationsFor(activity) : [];
}
