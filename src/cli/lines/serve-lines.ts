import { AsyncLocalStorage } from "node:async_hooks";
import type { ConfigFile } from "../../config/load.ts";
import type { DecidedEvent, Dialect } from "../../dialects/dialect.ts";
import type { Activity } from "../../engine/activity.ts";
import { describeThrown, formatProblem, HookError } from "../../errors.ts";
import type { JsonObject } from "../../event.ts";
import { notificationsFor } from "../../hosts/autohand/notifications.ts";
import { exitCodeFor } from "../agent-reply.ts";
import { decodeEvent } from "../decode-event.ts";
import type { DialectChoice } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { MAX_PAYLOAD_BYTES } from "../payload.ts";
import type { Console } from "../verb.ts";
import { formFor } from "./answer-forms.ts";
import { Engines } from "./engines.ts";
import { answerInOrder } from "./in-order.ts";
import { readId, readQuestion } from "./question.ts";
import { type Line, readLines } from "./read-lines.ts";

/** Many events, one process: a payload a line, an answer a line. */

export interface LinesTerms {
  readonly files: readonly ConfigFile[];
  readonly choice: DialectChoice;
  /** For payloads that do not name their event. */
  readonly eventName: string | undefined;
  readonly json: boolean;
}

/** Further questions wait where they are, unread. */
const MOST_AT_ONCE = 32;

/** Ends when standard input does, or when it is told to. No question ends it. */
export async function serveLines(terms: LinesTerms, console: Console): Promise<number> {
  const tellers = new AsyncLocalStorage<(activity: Activity) => void>();
  const engines = new Engines({
    files: terms.files,
    cwd: console.cwd,
    onActivity: (activity) => tellers.getStore()?.(activity),
  });
  const interruption = new AbortController();
  const interrupted = console.untilInterrupted().then(() => interruption.abort());

  if (terms.choice.known !== undefined) {
    const { problems } = await engines.of(terms.choice.known);
    const errors = problems.filter(({ severity }) => severity === "error");
    console.writeError(errors.map((problem) => `hookbox: ${formatProblem(problem)}\n`).join(""));
  }
  const answer = (line: Line): Promise<readonly JsonObject[]> =>
    new Answering(terms, engines, tellers, interruption.signal).answer(line);
  const tell = (answers: readonly JsonObject[]): void => {
    console.write(answers.map((one) => `${JSON.stringify(one)}\n`).join(""));
  };
  const lines = readLines(console.stdin as AsyncIterable<Buffer | string>, MAX_PAYLOAD_BYTES);
  await answerInOrder(lines, answer, tell, { most: MOST_AT_ONCE, enough: interrupted });
  await engines.close(interruption.signal.aborted ? 0 : undefined);
  if (engines.isStuck) console.endForGood();
  return EXIT.done;
}

/** One line and what is found out about it. */
class Answering {
  readonly #terms: LinesTerms;
  readonly #engines: Engines;
  readonly #tellers: AsyncLocalStorage<(activity: Activity) => void>;
  readonly #signal: AbortSignal;
  #dialect: Dialect | undefined;
  #event: DecidedEvent | undefined;

  constructor(
    terms: LinesTerms,
    engines: Engines,
    tellers: AsyncLocalStorage<(activity: Activity) => void>,
    signal: AbortSignal,
  ) {
    this.#terms = terms;
    this.#engines = engines;
    this.#tellers = tellers;
    this.#signal = signal;
    this.#dialect = terms.choice.known;
  }

  /** Never rejects: what cannot be answered is refused. */
  async answer(line: Line): Promise<readonly JsonObject[]> {
    try {
      return await this.#put(line);
    } catch (thrown) {
      const error = thrown instanceof HookError ? thrown : new HookError("HOOK_INTERNAL", describeThrown(thrown));
      const event = this.#event;
      const exitCode = exitCodeFor(event?.name, this.#dialect?.name ?? "claude-code");
      return [formFor(this.#dialect, this.#terms.json).refuse(readId(line), { error, exitCode, event })];
    }
  }

  async #put(line: Line): Promise<readonly JsonObject[]> {
    const { id, payload } = readQuestion(line);
    const dialect = this.#terms.choice.of(payload);
    this.#dialect = dialect;
    const event = decodeEvent(dialect, payload, this.#terms.eventName);
    this.#event = event;
    // The first question of an agent waits for the engine; the rules' deadlines are for the rules.
    const engine = await this.#engines.of(dialect);
    const told: JsonObject[] = [];
    const verdict = await this.#tellers.run(
      (activity) => void told.push(...notificationsOf(dialect, this.#terms.json, activity)),
      () => engine.dispatch(event.name, event.payload, { signal: this.#signal }),
    );
    return [...told, formFor(dialect, this.#terms.json).answer(id, { verdict, event, dialect })];
  }
}

/** Of the agent that has its listeners told of every event. */
function notificationsOf(dialect: Dialect, json: boolean, activity: Activity): readonly JsonObject[] {
  return dialect.name === "autohand" && !json ? notificationsFor(activity) : [];
}
