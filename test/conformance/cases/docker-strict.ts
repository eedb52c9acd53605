import type { CaseFamily, Expectation, JsonObject, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { AGENT_EVENTS, canonical, grouped, hook, on, specific } from "../docker-hooks.ts";

/** What a hook with `strict_output` may answer at each event; from the agent's own table, not from ours. */

const SAID: Readonly<Record<string, JsonObject>> = {
  block: { decision: "block", reason: "no" },
  permission: specific({ permission_decision: "allow" }),
  input: specific({ updated_input: { cmd: "ls" } }),
  response: specific({ updated_tool_response: "text" }),
  context: specific({ additional_context: "text" }),
  metadata: specific({ metadata: { key: "value" } }),
  summary: specific({ summary: "text" }),
};

const TAKES_CONTEXT = [
  "session_start",
  "turn_start",
  "user_prompt_submit",
  "user_steering_messages_submit",
  "user_followup_submit",
  "pre_compact",
  "worktree_create",
];

const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  block: [
    "pre_tool_use",
    "preempt lane",
    "tool_input_transform",
    "tool_guard",
    "permission_request",
    "post_tool_use",
    "user_prompt_submit",
    "user_steering_messages_submit",
    "user_followup_submit",
    "before_llm_call",
    "pre_compact",
    "before_compaction",
    "worktree_create",
  ],
  permission: ["pre_tool_use", "preempt lane", "tool_guard", "permission_request"],
  input: ["pre_tool_use", "tool_input_transform"],
  response: ["tool_response_transform"],
  context: TAKES_CONTEXT,
  metadata: ["preempt lane", "tool_guard", "permission_request"],
  summary: ["before_compaction"],
};

const FAIL_CLOSED = ["pre_tool_use", "preempt lane", "tool_guard"];
const PREEMPT = "preempt lane";

function accepted(what: string, event: string): Expectation {
  const reply = {
    block: { decision: /^(deny|block)$/, reason: "strict: no" },
    permission: { decision: "allow" },
    input: { updatedInput: { command: "ls" } },
    response: { updatedOutput: "text" },
    context: { additionalContext: "text" },
    metadata: { metadata: { key: "value" } },
    summary: { summary: "text" },
  }[what];
  return { verdict: { event: eventOf(event), ...reply, rules: [{ rule: "strict", failure: null }] } };
}

function refused(event: string): RunCase["expect"] {
  const failure = { kind: "invalid-output" };
  const nothing = { updatedInput: null, updatedOutput: null, additionalContext: null, metadata: {}, summary: null };
  const as = (decision: string): Expectation => ({
    verdict: { decision, continue: true, ...nothing, rules: [{ rule: "strict", failure }] },
  });
  // The agent asks its user nevertheless; by default an unreadable answer is a denial.
  if (event === "permission_request") return { default: as("deny"), faithful: as("none") };
  return as(FAIL_CLOSED.includes(event) ? "deny" : "none");
}

function eventOf(event: string): string {
  return canonical(event === PREEMPT ? "pre_tool_use" : event);
}

function row(event: string, what: string): RunCase {
  return {
    id: `A13/${event.replaceAll(/[^a-z]+/g, "-")}-${what}`,
    title: `${what} at ${event}`,
    matrix: "strict output accepts only fields that the event can use",
    event: eventOf(event),
    ...(event === PREEMPT ? { options: { lane: "preempt" } } : {}),
    config: (kit) => {
      const strict = hook(kit, "strict", prints(SAID[what] as JsonObject), { strict_output: true });
      return event === PREEMPT ? grouped("pre_tool_use", { preempt_yolo: true, hooks: [strict] }) : on(event, strict);
    },
    expect: ACCEPTED[what]?.includes(event) === true ? accepted(what, event) : refused(event),
  };
}

export const dockerStrict: CaseFamily = {
  title: "docker-agent: strict output",
  source: "docker-agent's hook tests and table of events (September 2026)",
  dialect: "docker-agent",
  cases: [...AGENT_EVENTS, PREEMPT].flatMap((event) => Object.keys(SAID).map((what) => row(event, what))),
};
