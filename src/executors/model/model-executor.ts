import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { ModelAnswer } from "../../models/model.ts";
import type { Models } from "../../models/models.ts";
import { isWithin, runWithin } from "../../models/recursion.ts";
import { NO_MODEL, problemsOfAsking } from "../../models/rule-problems.ts";
import type { Failure, Receipt, RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { ANSWER_FORMS } from "./answer-forms.ts";
import { type ModelHandler, problemOfPrompt, promptFor } from "./prompt.ts";

/** The maximum length of an answer. */
const MAX_ANSWER_BYTES = 262_144;

/** Asks a model one question about the event. An answer that is not well-formed is a failure. */
export class ModelExecutor implements Executor {
  readonly type = "model";
  readonly #models: Models;
  #isClosed = false;

  constructor(models: Models) {
    this.#models = models;
  }

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    const handler = handlerOf(rule);
    return problemsOfAsking(this.#models, rule, handler.choice, problemOfPrompt(handler));
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    const handler = handlerOf(rule);
    const begun = performance.now();
    const asked = await this.#ask(rule, handler, event, signal);
    const micros = Math.round((performance.now() - begun) * 1_000);
    return { ...asked, receipt: { ...asked.receipt, micros } };
  }

  async close(): Promise<void> {
    // The engine closes `Models` afterwards, which ends the running questions.
    this.#isClosed = true;
  }

  async #ask(rule: Rule, handler: ModelHandler, event: HookEvent, signal: StopSignal): Promise<RunResult> {
    if (this.#isClosed) return failed({ kind: "unavailable", message: "the engine is closed" });
    if (isWithin()) return failed({ kind: "unavailable", message: "a hook that thinks was asked from within one" });
    const { choice, answer: form, maxTokens } = handler;
    if (choice === undefined) return failed({ kind: "unavailable", ...NO_MODEL });
    const prompt = await promptFor(rule, handler, event, signal);
    if (!prompt.ok) return failed(prompt.failure);

    const { instruction: _, schema, reply } = ANSWER_FORMS[form];
    const { system, text, payload, bytes: inputBytes } = prompt;
    const request = {
      model: choice.model,
      system,
      messages: [{ role: "user", text }] as const,
      ...(schema === undefined ? {} : { schema }),
      maxTokens,
    };
    const said = await runWithin(() => this.#models.ask(choice, request, signal));
    const receipt: Receipt = { micros: 0, model: `${choice.provider.name}/${choice.model}`, inputBytes };
    if (!said.ok) return failed(said.failure, receipt);
    const { answer } = said;
    const { inputTokens, outputTokens } = answer;
    const outputBytes = Buffer.byteLength(answer.text);
    const full: Receipt = { ...receipt, outputBytes, inputTokens, outputTokens, turns: 1 };
    const failure = failureOf(answer, outputBytes, maxTokens);
    if (failure !== undefined) return failed(failure, full);

    const { continueOnBlock } = handler;
    const read = reply(answer.text, payload, event, { continueOnBlock, compat: rule.compat });
    if (!read.ok) return { ...failed(read.failure, full), output: answer.text };
    const [unheeded] = read.ignored;
    if (rule.strict && unheeded !== undefined) {
      return { ...failed({ kind: "invalid-output", message: unheeded }, full), output: answer.text };
    }
    const ignored = unheeded === undefined ? {} : { ignored: read.ignored };
    return { ok: true, reply: read.reply, receipt: full, output: answer.text, ...ignored };
  }
}

/** Returns why an answer is not read. An answer that was cut off could have continued with "but". */
function failureOf({ end }: ModelAnswer, bytes: number, maxTokens: number): Failure | undefined {
  if (bytes > MAX_ANSWER_BYTES) {
    const message = `the model's answer has ${bytes} bytes; ${MAX_ANSWER_BYTES} are read`;
    return { kind: "output-too-large", message, limit: MAX_ANSWER_BYTES, value: bytes };
  }
  if (end === "length") {
    const message = `the model's answer was cut off at its limit of ${maxTokens} tokens`;
    return { kind: "invalid-output", message, limit: maxTokens };
  }
  if (end === "refusal") return { kind: "invalid-output", message: "the model would not answer" };
  if (end === "calls") return { kind: "invalid-output", message: "the model called a tool, and there is none" };
  return undefined;
}

function handlerOf({ id, handler }: Rule): ModelHandler {
  if (handler.type !== "model") throw new TypeError(`rule ${id} is not of type model`);
  return handler;
}

function failed(failure: Failure, receipt: Receipt = { micros: 0 }): RunResult {
  return { ok: false, failure, receipt };
}
