import { AsyncLocalStorage } from "node:async_hooks";
import { autohand } from "../../dialects/autohand/dialect.ts";
import { agentInput } from "../../dialects/autohand/tools.ts";
import type { Activity } from "../../engine/activity.ts";
import type { ToolCallResult } from "../../engine/tool-call-host.ts";
import { createEngine, type Engine, type EngineOptions } from "../../engine.ts";
import { HookError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import type { Verdict } from "../../verdict.ts";
import { notificationsFor } from "./notifications.ts";
import { type AutohandTool, type AutohandToolHost, runTool } from "./tool.ts";

export interface AutohandHostOptions extends Omit<EngineOptions, "dialect"> {
  readonly sessionId?: string;
  /** Called with each JSON-RPC notification. Errors that `onNotification` throws are ignored. */
  readonly onNotification?: (notification: JsonObject) => void;
  /**
   * JSON Schemas of the tools' inputs, by tool name. An input that a hook changed is checked against the tool's schema.
   */
  readonly toolSchemas?: Readonly<Record<string, JsonObject>>;
  readonly now?: () => Date;
}

/** How an agent's session ends. */
export type ShutdownKind = "quit" | "completed" | "aborted" | "disconnected" | "error";

const END_REASONS: Readonly<Record<ShutdownKind, string>> = {
  quit: "quit",
  completed: "exit",
  aborted: "exit",
  disconnected: "exit",
  error: "error",
};

interface Scope {
  /** Reported events. One tool call may dispatch the same event several times. */
  readonly started: Set<string>;
  readonly isMuted: boolean;
}

/** Creates an engine for Autohand or an agent that behaves like it. Rejects like `createEngine`. */
export async function createAutohandHost(options: AutohandHostOptions = {}): Promise<AutohandHost> {
  const scopes = new AsyncLocalStorage<Scope>();
  const listeners = new Listeners(options);
  const engine = await createEngine({
    ...options,
    dialect: "autohand",
    onActivity(activity) {
      const scope = scopes.getStore();
      if (
        activity.type === "dispatch_started" &&
        scope?.isMuted !== true &&
        scope?.started.has(activity.event) !== true
      ) {
        scope?.started.add(activity.event);
        listeners.receive(activity);
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

  receive(activity: Activity): void {
    for (const notification of notificationsFor(activity, this.#options.now)) this.send(notification);
  }

  send(notification: JsonObject): void {
    if (this.#isSealed) return;
    try {
      this.#options.onNotification?.(notification);
    } catch {
      // A listener that throws must not stop the agent.
    }
  }

  seal(): void {
    this.#isSealed = true;
  }
}

/** An agent's session: its events, its tool calls and its end. Use {@link createAutohandHost} to create it. */
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
   * Dispatches an event, with Autohand's names for the event and its fields. Listeners are notified first, even if no
   * hook matches. If `signal` is aborted, no hook runs, and listeners are notified only of the end of a tool. The
   * verdict's `updatedInput` has the tool's own field names; its event has hookbox's name.
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

  /** Reports the user's next instruction. Afterwards, `reportError` reports an error again. */
  prompt(instruction: string, mentionedFiles: readonly string[] = []): Promise<Verdict> {
    this.#hasReportedError = false;
    return this.fire("pre-prompt", { instruction, mentioned_files: [...mentionedFiles] });
  }

  /** Dispatches `session-error`, once for each prompt. Returns `null` if this prompt's error was already reported. */
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

  /** Runs a tool call: hooks, policy, user, the tool, and the hooks after the tool. See `engine.toolCall`. */
  async toolCall(tool: AutohandTool, host: AutohandToolHost): Promise<ToolCallResult> {
    this.#refuseWhenSealed();
    const scope: Scope = { started: new Set(), isMuted: host.signal?.aborted === true };
    const schema = this.#options.toolSchemas?.[tool.tool];
    return this.#scopes.run(scope, () => runTool(this.engine, tool, host, this.#base, schema));
  }

  /** Ends the session and starts another session with a new start time. Call this when the conversation is cleared. */
  async reset(): Promise<void> {
    await this.fire("session-end", { session_end_reason: "clear", duration: this.#elapsedMs() });
    this.#hasReportedError = false;
    await this.start("clear");
  }

  /** Ends the session: dispatches `session-end` and closes the engine. Later calls return the same promise. */
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
    const verdict = await this.#scopes.run({ started: new Set(), isMuted }, () =>
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
