import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { ConfigFile } from "../../config/load.ts";
import type { DecidedEvent, Dialect } from "../../dialects/dialect.ts";
import type { Activity } from "../../engine/activity.ts";
import { usualPatienceMs } from "../../engine/event-patience.ts";
import type { Engine } from "../../engine.ts";
import { describeThrown, formatProblem, HookError } from "../../errors.ts";
import type { JsonObject } from "../../event.ts";
import { notificationsFor } from "../../hosts/autohand/notifications.ts";
import { compatOf, exitCodeFor, exitCodeForUnknown } from "../agent-reply.ts";
import { decodeEvent, eventOfMembers } from "../decode-event.ts";
import type { DialectChoice } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { PatienceWatch } from "../patience.ts";
import { MAX_PAYLOAD_BYTES, PayloadExcess } from "../payload.ts";
import { unfittingRules } from "../unfitting-rules.ts";
import { refuseUnmatchedTool } from "../unmatched-tool.ts";
import type { Console } from "../verb.ts";
import { formFor } from "./answer-forms.ts";
import { Engines } from "./engines.ts";
import { answerInOrder } from "./in-order.ts";
import { readId, readQuestion } from "./question.ts";
import { type Line, readLines } from "./read-lines.ts";

/** `hookbox run --lines`: answers many events in one process, with one payload and one answer per line. */

export interface LinesTerms {
  readonly files: readonly ConfigFile[];
  readonly choice: DialectChoice;
  /** For payloads that do not name their event. */
  readonly eventName: string | undefined;
  readonly json: boolean;
  /** How long the client waits for an answer after it has sent the line. `undefined`: unknown. */
  readonly patienceMs: number | undefined;
}

/** How many questions are answered in parallel. Further questions stay unread. */
const MOST_AT_ONCE = 32;

/** Milliseconds from a signal until questions are refused whose rules were not cancelled. */
const CANCELLING_MS = 300;

/** Answers lines until standard input ends or a signal arrives. An unanswerable question does not end it. */
export async function serveLines(terms: LinesTerms, console: Console): Promise<number> {
  const tellers = new AsyncLocalStorage<(activity: Activity) => void>();
  const engines = new Engines({
    files: terms.files,
    cwd: console.cwd,
    onActivity: (activity) => tellers.getStore()?.(activity),
  });
  const interruption = new AbortController();
  const interrupted = console.untilInterrupted().then(() => interruption.abort());
  // The rules of some events are not cancelled by the signal. Their questions are refused instead of waiting for
  // timeouts.
  const cutOff = interrupted.then(async () => {
    await sleep(CANCELLING_MS);
    throw new HookError("HOOK_ENGINE_CLOSED", "hookbox was ended before all rules had answered");
  });
  cutOff.catch(() => {});

  if (terms.choice.known !== undefined) void tellProblems(engines.of(terms.choice.known), console);
  const answer = (line: Line): Promise<readonly JsonObject[]> =>
    new Answering(terms, engines, tellers, interruption.signal, cutOff).answer(line);
  const tell = (answers: readonly JsonObject[]): void => {
    console.write(answers.map((one) => `${JSON.stringify(one)}\n`).join(""));
  };
  const lines = readLines(console.stdin as AsyncIterable<Buffer | string>, MAX_PAYLOAD_BYTES);
  await answerInOrder(lines, answer, tell, { most: MOST_AT_ONCE, enough: interrupted });
  await engines.close(interruption.signal.aborted ? 0 : undefined);
  if (engines.isStuck) console.endForGood("threads");
  return EXIT.done;
}

/** Prints the problems of the configuration. Not awaited, because the client may already wait for answers. */
async function tellProblems(starting: Promise<Engine>, console: Console): Promise<void> {
  const engine = await starting.catch(() => undefined);
  const problems = engine?.problems ?? [];
  const told = [...problems.filter(({ severity }) => severity === "error"), ...unfittingRules(problems)];
  console.writeError(told.map((problem) => `hookbox: ${formatProblem(problem)}\n`).join(""));
}

/** Answers one line, and keeps what is known about it for a refusal. */
class Answering {
  readonly #terms: LinesTerms;
  readonly #engines: Engines;
  readonly #tellers: AsyncLocalStorage<(activity: Activity) => void>;
  readonly #signal: AbortSignal;
  readonly #cutOff: Promise<never>;
  readonly #arrivedAt = performance.now();
  #dialect: Dialect | undefined;
  #event: DecidedEvent | undefined;
  #payload: JsonObject | undefined;

  constructor(
    terms: LinesTerms,
    engines: Engines,
    tellers: AsyncLocalStorage<(activity: Activity) => void>,
    signal: AbortSignal,
    cutOff: Promise<never>,
  ) {
    this.#terms = terms;
    this.#engines = engines;
    this.#tellers = tellers;
    this.#signal = signal;
    this.#cutOff = cutOff;
    this.#dialect = terms.choice.known;
  }

  /** Never rejects. A line that cannot be answered is refused. */
  async answer(line: Line): Promise<readonly JsonObject[]> {
    try {
      return await Promise.race([this.#put(line), this.#cutOff]);
    } catch (thrown) {
      const error = thrown instanceof HookError ? thrown : new HookError("HOOK_INTERNAL", describeThrown(thrown));
      if (error instanceof PayloadExcess) await this.#readMembers(error.members);
      const event = this.#event;
      const payload = this.#payload;
      const isUnnamed = event === undefined && (this.#dialect === undefined || this.#terms.eventName === undefined);
      const exitCode =
        isUnnamed && payload !== undefined
          ? exitCodeForUnknown(payload)
          : exitCodeFor(event?.name, this.#dialect?.name ?? "claude-code");
      const unanswered = { error, exitCode, event, payload };
      return [formFor(this.#dialect, this.#terms.json).refuse(readId(line, error), unanswered)];
    }
  }

  /** Finds the dialect and the event from the members before the excess. */
  async #readMembers(members: JsonObject): Promise<void> {
    this.#payload = members;
    const told = await eventOfMembers(this.#terms.choice, members, this.#terms.eventName);
    this.#dialect = told.dialect;
    this.#event = told.event;
  }

  async #put(line: Line): Promise<readonly JsonObject[]> {
    const { id, payload } = readQuestion(line);
    this.#payload = payload;
    const dialect = await this.#terms.choice.of(payload);
    this.#dialect = dialect;
    const event = decodeEvent(dialect, payload, this.#terms.eventName);
    this.#event = event;
    const saidMs = this.#terms.patienceMs;
    const usualMs = usualPatienceMs(dialect.name, event.name);
    const engine = await this.#started(dialect, saidMs ?? usualMs);
    await refuseUnmatchedTool(engine, event);
    const patienceMs = saidMs ?? engine.patienceMs ?? usualMs;
    const terms = { signal: this.#signal, startedAt: this.#arrivedAt, patienceMs };
    const told: JsonObject[] = [];
    const verdict = await this.#tellers.run(
      (activity) => void told.push(...notificationsOf(dialect, this.#terms.json, activity)),
      () => engine.dispatch(event.name, event.payload, terms),
    );
    return [
      ...told,
      formFor(dialect, this.#terms.json).answer(id, { verdict, event, dialect, compat: compatOf(engine, event.name) }),
    ];
  }

  /** Returns the agent's engine. The first question of an agent waits until it is created. */
  async #started(dialect: Dialect, patienceMs: number): Promise<Engine> {
    const watch = new PatienceWatch(this.#arrivedAt, patienceMs);
    try {
      return await watch.during("the configuration and its guards", this.#engines.of(dialect));
    } finally {
      watch.stop();
    }
  }
}

/** Returns notifications for Autohand, which expects them for every activity. */
function notificationsOf(dialect: Dialect, json: boolean, activity: Activity): readonly JsonObject[] {
  return dialect.name === "autohand" && !json ? notificationsFor(activity) : [];
}
