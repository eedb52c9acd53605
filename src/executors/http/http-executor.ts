import type { Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { HttpClient } from "../../net/http-client.ts";
import type { RunResult } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import type { Executor, RunOptions } from "../executor.ts";
import type { HttpHandler } from "./post-event.ts";

type Sender = typeof import("./post-event.ts");

/** Sends events to web hooks. Loads the HTTP client with the first rule that needs it. */
export class HttpExecutor implements Executor {
  readonly type = "http";
  #sender: Sender | undefined;
  #client: HttpClient | undefined;

  async prepare(rule: Rule): Promise<readonly Problem[]> {
    // The promise is cached, because an `import()` of a loaded module costs a tenth of a round trip.
    this.#sender ??= await import("./post-event.ts");
    return this.#sender.problemsOf(rule, handlerOf(rule));
  }

  async run(rule: Rule, event: HookEvent, { signal }: RunOptions): Promise<RunResult> {
    signal.enter?.("load");
    this.#sender ??= await import("./post-event.ts");
    this.#client ??= this.#sender.openClient();
    signal.enter?.("work");
    return this.#sender.postEvent(this.#client, rule, handlerOf(rule), event, signal);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

function handlerOf({ id, handler }: Rule): HttpHandler {
  if (handler.type !== "http") throw new TypeError(`rule ${id} is not of type http`);
  return handler;
}
