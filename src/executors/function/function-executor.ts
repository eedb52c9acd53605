import { describeThrown } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import { contractOfEvent } from "../../events/lookup.ts";
import { readReply } from "../../events/reply.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Failure, RunResult } from "../../outcome.ts";
import type { HookFunction, Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import type { Executor, RunOptions } from "../executor.ts";
import { jsonCopy } from "./json-copy.ts";

/** The maximum length of a thrown error's text in a message. */
const MAX_QUOTED = 300;

type Ending =
  | { readonly by: "answer"; readonly value: unknown }
  | { readonly by: "failure"; readonly failure: Failure };

/**
 * Calls a function of the embedder. The event and the answer are copied, so the function shares nothing with other
 * rules. The function runs in this thread. Therefore a function that never returns and never awaits cannot be stopped,
 * and a slow function delays all other rules.
 */
export class FunctionExecutor implements Executor {
  readonly type = "function";
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  async run(rule: Rule, event: HookEvent, { signal, overdue }: RunOptions): Promise<RunResult> {
    if (rule.handler.type !== "function") throw new TypeError(`rule ${rule.id} is not a function rule`);
    const begun = performance.now();
    const controller = new AbortController();
    const ending = this.#isClosed
      ? ({ by: "failure", failure: { kind: "unavailable", message: "the engine is closed" } } as const)
      : await this.#call(rule.handler.run, event, controller, signal);
    const receipt = { micros: Math.round((performance.now() - begun) * 1_000) };
    if (ending.by === "failure") return { ok: false, failure: ending.failure, receipt };
    // `overdue` is checked, because no timer could fire while the function ran.
    const late = overdue?.();
    if (late !== undefined) return { ok: false, failure: late, receipt };
    return { ...read(ending.value, event), receipt };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort();
  }

  async #call(
    run: HookFunction,
    event: HookEvent,
    controller: AbortController,
    signal: RunOptions["signal"],
  ): Promise<Ending> {
    if (signal.aborted) return { by: "failure", failure: signal.reason as Failure };
    let copy: JsonObject;
    try {
      copy = jsonCopy({ ...event.payload, hook_event_name: event.name }) as JsonObject;
    } catch (error) {
      const message = `the event cannot be copied: ${describeThrown(error)}`;
      return { by: "failure", failure: { kind: "unavailable", message } };
    }
    this.#running.add(controller);
    const ending = await new Promise<Ending>((resolve) => {
      const onStop = (): void => {
        resolve({ by: "failure", failure: signal.reason as Failure });
        controller.abort();
      };
      signal.addEventListener("abort", onStop, { once: true });
      controller.signal.addEventListener("abort", () =>
        resolve({
          by: "failure",
          failure: { kind: "cancelled", message: "the engine was closed while the hook was running" },
        }),
      );
      // The async function turns a thrown error into a rejection, so that both are handled in one place.
      const answered = (async () => copyOfAnswer(await run(copy, { signal: controller.signal })))();
      answered.then(resolve, (error: unknown) => resolve({ by: "failure", failure: thrown(error) }));
    });
    this.#running.delete(controller);
    return ending;
  }
}

function copyOfAnswer(value: unknown): Ending {
  try {
    return { by: "answer", value: value === undefined || value === null ? {} : jsonCopy(value) };
  } catch (error) {
    return { by: "failure", failure: invalid(`the answer cannot be copied: ${describeThrown(error)}`) };
  }
}

function read(value: unknown, event: HookEvent): Omit<Extract<RunResult, { ok: true }>, "receipt"> | NotRead {
  if (!isJsonObject(value)) return { ok: false, failure: invalid("the answer is not an object") };
  return readReply(value, { eventName: event.name, contract: contractOfEvent(event), strict: true });
}

type NotRead = Omit<Extract<RunResult, { ok: false }>, "receipt">;

/** Describes a thrown value. Reading the value's message may throw too. */
function thrown(error: unknown): Failure {
  let message: string;
  try {
    message = cleanLine(String(describeThrown(error)), MAX_QUOTED);
  } catch {
    message = "something that cannot be described";
  }
  return { kind: "trap", message: `threw: ${message}` };
}

function invalid(message: string): Failure {
  return { kind: "invalid-output", message: cleanLine(message, MAX_QUOTED) };
}
