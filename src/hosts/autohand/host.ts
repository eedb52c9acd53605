import { AsyncLocalStorage } from "node:async_hooks";
import { autohand } from "../../dialects/autohand/dialect.ts";
import { agentInput } from "../../dialects/autohand/tools.ts";
import type { Activity } from "../../engine/activity.ts";
import type { ToolCallResult } from "../../engine/tool-call-host.ts";
import { createEngine, type Engine, type EngineOptions } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import type { JsonObject } from "../../event.ts";
import type { Verdict } from "../../verdict.ts";
import { notificationsFor } from "./notifications.ts";
import { type AutohandTool, type AutohandToolHost, runTool } from "./tool.ts";

export interface AutohandHostOptions extends Omit<EngineOptions, "dialect"> {
  readonly sessionId?: string;
  /** Gets each JSON-RPC notification. Whatever it throws is dropped. */
  readonly onNotification?: (notification: JsonObject) => void;
  /** JSON Schemas of the tools' inputs, by name. An input that a hook has changed is held to its tool's. */
  readonly toolSchemas?: Readonly<Record<string, JsonObject>>;
  readonly now?: () => Date;
}

/** How an agent comes to its end. */
export type ShutdownKind = "quit" | "completed" | "aborted" | "disconnected" | "error";

const END_REASONS: Readonly<Record<ShutdownKind, string>> = {
  quit: "quit",
  completed: "exit",
  aborted: "exit",
  disconnected: "exit",
  error: "error",
};

interface Scope {
  /** Events that the listeners have been told of: phases of one call may ask the same event's rules again. */
  readonly told: Set<string>;
  readonly isMuted: boolean;
}

/** An engine for an agent that is, or behaves like, Autohand. Rejects like `createEngine`. */
export async function createAutohandHost(options: AutohandHostOptions = {}): Promise<AutohandHost> {
  const scopes = new AsyncLocalStorage<Scope>();
  const listeners = new Listeners(options);
  const engine = await createEngine({
    ...options,
    dialect: "autohand",
    onActivity(activity) {
      const scope = scopes.getStore();
      if (activity.type === "dispatch_started" && scope?.isMuted !== true && scope?.told.has(activity.event) !== true) {
        scope?.told.add(activity.event);
        listeners.hear(activity);
      }
      options.onActivity?.(activity);
    },
  });
  return new AutohandHost(engine, scopes, listeners, options);
}

class Listeners {
  readonly #options: AutohandHostOptions;
  #isSealed = false;

  constructor(options: AutohandHostOptions) {
    this.#options = options;
  }

  hear(activity: Activity): void {
    for (const notification of notificationsFor(activity, this.#options.now)) this.send(notification);
  }

  send(notification: JsonObject): void {
    if (this.#isSealed) return;
    try {
      this.#options.onNotification?.(notification);
    } catch {
      // Whoever only listens cannot keep an agent from its work.
    }
  }

  seal(): void {
    this.#isSealed = true;
  }
}

/** A session of an agent: its events, its tool calls, and its end. Use {@link createAutohandHost}. */
export class AutohandHost {
  readonly engine: Engine;
  readonly #scopes: AsyncLocalStorage<Scope>;
  readonly #listeners: Listeners;
  readonly #options: AutohandHostOptions;
  readonly #base: JsonObject;
  #startedAt: number;
  #hasReportedError = false;
  #ending: Promise<void> | undefined;

  constructor(engine: Engine, scopes: AsyncLocalStorage<Scope>, listeners: Listeners, options: AutohandHostOptions) {
    this.engine = engine;
    this.#scopes = scopes;
    this.#listeners = listeners;
    this.#options = options;
    const { sessionId, cwd = process.cwd() } = options;
    this.#base = { cwd, ...(sessionId === undefined ? {} : { session_id: sessionId }) };
    this.#startedAt = this.#now().getTime();
  }

  /**
   * Fires an event, by Autohand's name and in its words. Listeners hear of it first, also where no hook wants it. With a
   * signal that is aborted nothing runs, and only of a tool's end the listeners still hear. In the verdict `updatedInput`
   * has the tool's own field names, and the event has hookbox's name.
   */
  async fire(
    event: string,
    context: JsonObject = {},
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Verdict> {
    this.#refuseWhenSealed();
    return this.#fire(event, context, signal);
  }

  start(sessionType: "startup" | "resume" | "clear" = "startup"): Promise<Verdict> {
    this.#startedAt = this.#now().getTime();
    return this.fire("session-start", { session_type: sessionType });
  }

  /** The next instruction. An error after it is news again. */
  prompt(instruction: string, mentionedFiles: readonly string[] = []): Promise<Verdict> {
    this.#hasReportedError = false;
    return this.fire("pre-prompt", { instruction, mentioned_files: [...mentionedFiles] });
  }

  /** Fires `session-error`, once for each prompt. `null`: this prompt's error has been told. */
  async reportError(
    error: string,
    more: { readonly code?: string; readonly context?: JsonObject } = {},
  ): Promise<Verdict | null> {
    if (this.#hasReportedError) return null;
    this.#hasReportedError = true;
    const { code, context } = more;
    return this.fire("session-error", {
      error,
      ...(code === undefined ? {} : { error_code: code }),
      ...(context === undefined ? {} : { context }),
    });
  }

  /** Takes a tool call from its hooks over policy and user to the tool and what hears of it. See `engine.toolCall`. */
  async toolCall(tool: AutohandTool, host: AutohandToolHost): Promise<ToolCallResult> {
    this.#refuseWhenSealed();
    const scope: Scope = { told: new Set(), isMuted: host.signal?.aborted === true };
    const schema = this.#options.toolSchemas?.[tool.tool];
    return this.#scopes.run(scope, () => runTool(this.engine, tool, host, this.#base, schema));
  }

  /** The conversation is cleared: one session ends and another begins, with a clock of its own. */
  async reset(): Promise<void> {
    await this.fire("session-end", { session_end_reason: "clear", duration: this.#elapsedMs() });
    this.#hasReportedError = false;
    await this.start("clear");
  }

  /** Ends the session, once: `session-end`, the agent's own end, and nothing after that. */
  shutdown(kind: ShutdownKind = "completed"): Promise<void> {
    this.#ending ??= this.#shutDown(kind);
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }

  async #shutDown(kind: ShutdownKind): Promise<void> {
    const reason = END_REASONS[kind];
    try {
      await this.#fire("session-end", { session_end_reason: reason, duration: this.#elapsedMs() }, undefined);
    } finally {
      const params = { reason: kind, timestamp: this.#now().toISOString() };
      this.#listeners.send({ jsonrpc: "2.0", method: "autohand.agentEnd", params });
      this.#listeners.seal();
      await this.engine.close();
    }
  }

  async #fire(event: string, context: JsonObject, signal: AbortSignal | undefined): Promise<Verdict> {
    const decoded = autohand.decodeEvent({ ...this.#base, ...context }, event);
    if (!decoded.ok) throw new HookError("HOOK_EVENT_UNKNOWN", decoded.message);
    const { name, payload } = decoded;
    const isMuted = signal?.aborted === true && name !== "PostToolUse";
    const options = signal === undefined ? {} : { signal };
    const verdict = await this.#scopes.run({ told: new Set(), isMuted }, () =>
      this.engine.dispatch(name, payload, options),
    );
    const { updatedInput } = verdict;
    return updatedInput === null
      ? verdict
      : { ...verdict, updatedInput: agentInput(payload["tool_name"], updatedInput) };
  }

  #elapsedMs(): number {
    return this.#now().getTime() - this.#startedAt;
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }

  #refuseWhenSealed(): void {
    if (this.#ending !== undefined) throw new HookError("HOOK_ENGINE_CLOSED", "the agent has ended");
  }
}
