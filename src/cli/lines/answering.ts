import type { DecidedEvent, Dialect } from "../../dialects/dialect.ts";
import { usualPatienceMs } from "../../engine/event-deadline.ts";
import type { Engine } from "../../engine.ts";
import { describeThrown, HookError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import { compatOf, exitCodeFor, exitCodeForUnknown } from "../agent-reply.ts";
import { decodeEvent, eventOfMembers } from "../decode-event.ts";
import type { DialectChoice } from "../event-dialect.ts";
import { mayBeOff } from "../off/off-file.ts";
import { PatienceWatch } from "../patience.ts";
import { PayloadExcess } from "../payload.ts";
import { refuseUnmatchedTool } from "../refuse-unmatched-tool.ts";
import type { AnswerForm } from "./answer-forms.ts";
import type { Question, QuestionId } from "./question.ts";

interface AnsweringOptions {
  readonly choice: DialectChoice;
  /** For payloads that do not name their event. */
  readonly eventName: string | undefined;
  /** How long the client waits for an answer after it has sent the question. `undefined`: unknown. */
  readonly patienceMs: number | undefined;
  /** When the client began to wait, on the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly engineOf: (dialect: Dialect) => Promise<Engine>;
  readonly formOf: (dialect: Dialect | undefined) => AnswerForm;
  /** Cancels the rules that may be cancelled. */
  readonly signal: AbortSignal;
  /** Fires when questions that are still open must be refused. The reason is a `HookError`. */
  readonly cutOff: AbortSignal;
  /** Runs `dispatch`, and returns notifications to send before the answer. */
  readonly withActivities?: (dialect: Dialect, dispatch: () => Promise<Verdict>) => Promise<[Verdict, JsonObject[]]>;
}

/** Answers one question, and keeps what is known about it for a refusal. */
export class Answering {
  readonly #options: AnsweringOptions;
  #dialect: Dialect | undefined;
  #event: DecidedEvent | undefined;
  #payload: JsonObject | undefined;

  constructor(options: AnsweringOptions) {
    this.#options = options;
    this.#dialect = options.choice.known;
  }

  /** Never rejects. A question that cannot be answered is refused. `idOf` finds the id of an unreadable question. */
  async answer(
    question: Promise<Question>,
    idOf: (error: HookError) => QuestionId | undefined = () => undefined,
  ): Promise<readonly JsonObject[]> {
    try {
      return await untilFired(this.#put(question), this.#options.cutOff);
    } catch (thrown) {
      const error = thrown instanceof HookError ? thrown : new HookError("HOOK_INTERNAL", describeThrown(thrown));
      if (error instanceof PayloadExcess) await this.#readMembers(error.members);
      const event = this.#event;
      const payload = this.#payload;
      const isUnnamed = event === undefined && (this.#dialect === undefined || this.#options.eventName === undefined);
      const exitCode =
        isUnnamed && payload !== undefined
          ? exitCodeForUnknown(payload)
          : exitCodeFor(event?.name, this.#dialect?.name ?? "claude-code");
      const unanswered = { error, exitCode, event, payload };
      return [this.#options.formOf(this.#dialect).refuse(idOf(error), unanswered)];
    }
  }

  /** Finds the dialect and the event from the members of the payload before the excess. */
  async #readMembers(members: JsonObject): Promise<void> {
    this.#payload = members;
    const identified = await eventOfMembers(this.#options.choice, members, this.#options.eventName);
    this.#dialect = identified.dialect;
    this.#event = identified.event;
  }

  async #put(question: Promise<Question>): Promise<readonly JsonObject[]> {
    const { id, payload } = await question;
    this.#payload = payload;
    const dialect = await this.#options.choice.of(payload);
    this.#dialect = dialect;
    const event = decodeEvent(dialect, payload, this.#options.eventName);
    this.#event = event;
    const off = mayBeOff() ? (await import("../off/off-now.ts")).offNow() : undefined;
    if (off !== undefined) {
      const { passing } = await import("../off/pass-when-off.ts");
      const verdict = passing(event, dialect, off);
      return [this.#options.formOf(dialect).answer(id, { verdict, event, dialect, compat: "safer" })];
    }
    const statedMs = this.#options.patienceMs;
    const usualMs = usualPatienceMs(dialect.name, event.name);
    const engine = await this.#started(dialect, statedMs ?? usualMs);
    await refuseUnmatchedTool(engine, event);
    const patienceMs = statedMs ?? engine.patienceMs ?? usualMs;
    const { signal, startedAt, withActivities } = this.#options;
    const dispatch = (): Promise<Verdict> =>
      engine.dispatch(event.name, event.payload, { signal, startedAt, patienceMs });
    const [verdict, notices] = (await withActivities?.(dialect, dispatch)) ?? [await dispatch(), []];
    const answered = { verdict, event, dialect, compat: compatOf(engine, event.name) };
    return [...notices, this.#options.formOf(dialect).answer(id, answered)];
  }

  /** Returns the agent's engine. An agent's first question waits until the engine is created. */
  async #started(dialect: Dialect, patienceMs: number): Promise<Engine> {
    const watch = new PatienceWatch(this.#options.startedAt, patienceMs);
    try {
      return await watch.during("the configuration and its guards", this.#options.engineOf(dialect));
    } finally {
      watch.stop();
    }
  }
}

/**
 * Rejects with the signal's reason when the signal fires. Removes its listener after the answer, because the signal
 * lives as long as the process: `Promise.race` with a promise like that would keep every answer and every error.
 */
function untilFired<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
