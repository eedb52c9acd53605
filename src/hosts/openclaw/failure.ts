import { contractOf } from "../../events/lookup.ts";
import { eventOf, type HookName } from "./catalogue.ts";
import { type Log, logText, safeText } from "./log-text.ts";

/** Thrown if a handler failed at a hook that fails closed. The message is for the model; the log contains the cause. */
export class HookFailure extends Error {
  override readonly name = "HookFailure";
  readonly hook: HookName;
  readonly pluginId: string;

  constructor(hook: HookName, pluginId: string) {
    super(hook === "before_tool_call" ? TOOL_CALL_FAILED : `Blocked because ${hook} hook failed`);
    this.hook = hook;
    this.pluginId = pluginId;
  }
}

export const TOOL_CALL_FAILED = "Tool call blocked because before_tool_call hook failed";

export type FailurePolicy = Readonly<Partial<Record<HookName, "open" | "closed">>>;

/** Handles failures of handlers: logs each failure, and throws if the hook fails closed. */
export class Failures {
  readonly #policy: FailurePolicy;
  readonly log: Log;

  constructor(policy: FailurePolicy, log: Log) {
    this.#policy = policy;
    this.log = log;
    if (policy.before_agent_run === "open")
      log.warn("before_agent_run always fails closed; its failurePolicy is left out");
  }

  isClosed(hook: HookName): boolean {
    if (hook === "before_agent_run") return true;
    const own = this.#policy[hook];
    if (own !== undefined) return own === "closed";
    const event = eventOf(hook);
    return event !== undefined && contractOf(event, "openclaw")?.failsClosed === true;
  }

  /** Logs the failure. Throws if the hook fails closed. */
  report(hook: HookName, pluginId: string, thrown: unknown): void {
    this.note(hook, pluginId, thrown);
    if (this.isClosed(hook)) throw new HookFailure(hook, pluginId);
  }

  note(hook: HookName, pluginId: string, thrown: unknown): void {
    this.log.error(safeText(`${hook} handler of plugin "${pluginId}" failed: ${logText(thrown)}`));
  }
}

/** Logs an error, except `HookFailure`, because its cause is already in the log. */
export function noteUntold(error: unknown, log: Log): void {
  if (!(error instanceof HookFailure)) log.error(safeText(logText(error)));
}
