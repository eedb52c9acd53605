import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { labelReply } from "../../aggregate/label-reply.ts";
import { limitReply } from "../../aggregate/limit-reply.ts";
import type { Activity } from "../../engine/activity.ts";
import type { DispatchOptions, Engine } from "../../engine.ts";
import type { JsonObject } from "../../json.ts";
import type { Reply } from "../../outcome.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine, cleanText } from "../../text.ts";
import type { RuleReport, Verdict } from "../../verdict.ts";
import type { AttachmentType, HookAttachmentRecord } from "./results.ts";

/** The verdict of one event's dispatch, and the answer of each hook. */
export interface DispatchedEvent {
  readonly verdict: Verdict;
  readonly matchedRules: number;
  readonly hooks: readonly HookAnswer[];
}

interface HookAnswer {
  readonly report: RuleReport;
  /** `prompt_hook`, the command line, or the rule's name. */
  readonly name: string;
  /** The part of the hook's answer that takes effect. */
  readonly reply: Reply;
  /** Why the hook refused. An agent's own hook keeps its text without a label. `null`: the hook did not refuse. */
  readonly error: string | null;
  readonly output: string | null;
}

type Finished = Extract<Activity, { readonly type: "hook_finished" }>;

interface Listening {
  matchedRules: number;
  readonly finished: Finished[];
}

/** Assigns the engine's activities to the dispatch that caused them. Several dispatches may run at once. */
export class EventDispatcher {
  readonly #current = new AsyncLocalStorage<Listening>();

  /** The listener. Pass it to the engine as `onActivity`. */
  readonly listener = (activity: Activity): void => {
    const listening = this.#current.getStore();
    if (activity.type === "dispatch_started" && listening !== undefined) listening.matchedRules = activity.matchedRules;
    if (activity.type === "hook_finished") listening?.finished.push(activity);
  };

  async dispatch(
    engine: Engine,
    event: string,
    payload: JsonObject,
    options: DispatchOptions,
  ): Promise<DispatchedEvent> {
    const listening: Listening = { matchedRules: 0, finished: [] };
    const verdict = await this.#current.run(listening, () => engine.dispatch(event, payload, options));
    const waiting = [...listening.finished];
    const hooks = verdict.rules.map((report) => {
      const at = waiting.findIndex(({ rule }) => rule.name === report.rule);
      return answerOf(report, at < 0 ? undefined : waiting.splice(at, 1)[0]);
    });
    return { verdict, matchedRules: listening.matchedRules, hooks };
  }
}

function answerOf(report: RuleReport, finished: Finished | undefined): HookAnswer {
  if (finished === undefined) {
    return { report, name: report.rule, reply: {}, error: report.reason, output: null };
  }
  const { rule, reply, receipt, output } = finished;
  const counts = reply !== null && rule.mode === "enforce" && !rule.async && report.status === "decided";
  const limited = counts ? limitReply(rule, { ok: true, reply, receipt }) : undefined;
  const own = limited?.status === "decided" ? limited.reply : {};
  const isAgents = rule.dialect === "agentao" && rule.handler.type !== "broken";
  const said = Object.keys(own).length === 0 ? {} : labelReply(own, rule);
  const words = isAgents ? inItsOwnWords(said, own) : said;
  return {
    report,
    name: nameOf(rule),
    reply: words,
    error: counts ? (words.reason ?? words.stopReason ?? report.reason) : report.reason,
    output,
  };
}

/** Returns a reply without hookbox's label, because the agent's own hooks are shown in their own words. */
function inItsOwnWords(labelledReply: Reply, { reason, stopReason }: Reply): Reply {
  return {
    ...labelledReply,
    ...(reason === undefined ? {} : { reason: cleanText(reason) }),
    ...(stopReason === undefined ? {} : { stopReason: cleanText(stopReason) }),
  };
}

function nameOf({ handler, name }: Rule): string {
  if (handler.type === "command") return handler.command;
  return handler.type === "context" ? "prompt_hook" : name;
}

export function contextsOf({ hooks }: DispatchedEvent): readonly string[] {
  return hooks.flatMap(({ reply }) => reply.additionalContext ?? []);
}

const MAX_WARNING = 500;

/** Returns one record for each part of each hook's answer, and `hook_success` for a hook that answered nothing. */
export function attachmentsOf(
  event: string,
  { hooks }: DispatchedEvent,
  toolUseId = "",
): readonly HookAttachmentRecord[] {
  return hooks.flatMap((hook) =>
    recordsOf(event, hook).map(
      ([attachment_type, payload]): HookAttachmentRecord => ({
        attachment_type,
        payload,
        hook_name: hook.name,
        hook_event: event,
        tool_use_id: toolUseId,
        uuid: randomUUID(),
        timestamp: new Date().toISOString(),
      }),
    ),
  );
}

function recordsOf(event: string, hook: HookAnswer): readonly (readonly [AttachmentType, JsonObject])[] {
  const { report, reply, error, output } = hook;
  const { exitCode, stderr } = report.receipt;
  const ran: JsonObject = {
    ...(output === null ? {} : { stdout: output }),
    ...(exitCode === undefined ? {} : { returncode: exitCode }),
  };
  if (report.status === "failed" && report.onFailure !== "deny") {
    const { message = "" } = report.failure ?? {};
    const isSaid = stderr === undefined || message.includes(cleanLine(stderr));
    const warning = isSaid ? message : `${message}: ${stderr}`;
    return [["hook_success", { ...ran, warning: cleanText(warning, MAX_WARNING) }]];
  }
  const contexts = (reply.additionalContext ?? []).map((content) => ["hook_additional_context", { content }] as const);
  const { blockingError, stopReason } = reply.specific ?? {};
  if (typeof blockingError === "string") return [["hook_blocking_error", { blockingError }], ...contexts];
  if (event === "Stop") {
    if (reply.decision === "block") {
      const followUpMessage = reply.followUp ?? reply.reason ?? "";
      return [["hook_stopped_continuation", { forceContinue: true, followUpMessage }], ...contexts];
    }
  } else if (typeof stopReason === "string") {
    return [["hook_stopped_continuation", { stopReason }], ...contexts];
  }
  if (reply.continue === false && reply.decision === undefined) {
    return [["hook_stopped_continuation", { stopReason: reply.stopReason ?? "" }], ...contexts];
  }
  if (report.decision === "deny" || report.decision === "block") {
    return [["hook_blocking_error", { blockingError: error ?? "" }], ...contexts];
  }
  return contexts.length > 0 ? contexts : [["hook_success", ran]];
}
