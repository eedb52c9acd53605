import { OPENCLAW_EVENTS } from "../../dialects/openclaw/event-names.ts";
import type { EventName } from "../../events/table.ts";

/** The hooks: how their handlers run, and their default timeouts. The contract table defines what a failure means. */

type HookKind = "modifying" | "void" | "claiming" | "sync" | "attributed";

interface HookRow {
  readonly kind: HookKind;
  /** The default timeout of a handler, in milliseconds. Absent: no timeout. */
  readonly timeoutMs?: number;
  /** Set if the hook concerns one tool, so that a registration may have a matcher of tool ids. */
  readonly isToolHook?: true;
}

const GATE_MS = 15_000;
const OBSERVE_MS = 30_000;

const watches = { kind: "void" } as const satisfies HookRow;
const watchesLong = { kind: "void", timeoutMs: OBSERVE_MS } as const satisfies HookRow;
const modifies = { kind: "modifying" } as const satisfies HookRow;
const modifiesInTime = { kind: "modifying", timeoutMs: GATE_MS } as const satisfies HookRow;
const claims = { kind: "claiming" } as const satisfies HookRow;

export const HOOKS = {
  before_model_resolve: modifies,
  before_prompt_build: modifiesInTime,
  agent_turn_prepare: modifies,
  heartbeat_prompt_contribution: modifies,
  before_agent_start: modifies,
  before_agent_run: modifiesInTime,
  before_agent_reply: claims,
  before_agent_finalize: modifiesInTime,
  agent_end: watchesLong,
  model_call_started: watches,
  model_call_ended: watches,
  llm_input: watches,
  llm_output: watches,
  before_tool_call: { ...modifiesInTime, isToolHook: true },
  after_tool_call: { ...watches, isToolHook: true },
  tool_result_persist: { kind: "sync", isToolHook: true },
  before_message_write: { kind: "sync" },
  inbound_claim: claims,
  message_received: watches,
  message_sending: modifiesInTime,
  reply_payload_sending: modifiesInTime,
  message_sent: watches,
  before_dispatch: claims,
  reply_dispatch: claims,
  session_start: watches,
  session_end: watches,
  before_compaction: watchesLong,
  after_compaction: watchesLong,
  before_reset: watches,
  subagent_spawning: modifies,
  subagent_delivery_target: modifies,
  subagent_spawned: watches,
  subagent_ended: watches,
  gateway_start: watches,
  gateway_stop: { kind: "void", timeoutMs: 5_000 },
  before_install: modifiesInTime,
  resolve_exec_env: modifiesInTime,
  skill_proposal_evaluate: { kind: "attributed", timeoutMs: 120_000 },
  skill_proposal_changed: watchesLong,
  skill_changed: watchesLong,
  subagent_progress: watches,
  cron_reconciled: watches,
  cron_changed: watches,
  channel_pairing_requested: { kind: "void", timeoutMs: 2_000 },
} as const satisfies Readonly<Record<string, HookRow>>;

export type HookName = keyof typeof HOOKS;

export const HOOK_NAMES: readonly HookName[] = Object.freeze(Object.keys(HOOKS) as HookName[]);

/** Returns the row of a hook. An unknown hook is an observer: its handlers are called and their results ignored. */
export function hookRow(name: string): HookRow {
  return isHookName(name) ? HOOKS[name] : watches;
}

export function isHookName(name: unknown): name is HookName {
  return typeof name === "string" && Object.hasOwn(HOOKS, name);
}

/** Returns the event in the contract table for a hook. `undefined` for hooks that have no event for rules. */
export function eventOf(name: string): EventName | undefined {
  return Object.hasOwn(OPENCLAW_EVENTS, name) ? OPENCLAW_EVENTS[name] : undefined;
}
