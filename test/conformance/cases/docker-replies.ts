import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import {
  AGENT_EVENTS,
  canonical,
  GOES_ON,
  grouped,
  hook,
  IN_OUR_TERMS,
  on,
  permits,
  specific,
} from "../docker-hooks.ts";

const refused = (reason: RegExp): Expectation => ({
  verdict: { decision: "deny", continue: true, reason },
  reply: {
    exitCode: 0,
    stdout: {
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        permission_decision: "deny",
        permission_decision_reason: reason,
      },
    },
  },
});
const nothing: Expectation = {
  verdict: { ...GOES_ON, reason: null, additionalContext: null, systemMessage: null },
  reply: { exitCode: 0, stdout: "" },
};

/** A name is matched whole. */
const MATCHERS: readonly (readonly [matcher: string, tool: string, fits: boolean])[] = [
  ["*", "shell", true],
  ["", "shell", true],
  ["shell", "shell", true],
  ["shell", "edit_file", false],
  ["shell|edit_file", "edit_file", true],
  ["shell|edit_file", "write_file", false],
  ["mcp__.*", "mcp__github_list_repos", true],
  ["mcp__.*", "shell", false],
  ["shell", "shell_background", false],
  ["edit", "edit_file", false],
  ["shell", "Shell", false],
];

const matchers = MATCHERS.map(([matcher, tool, fits]): RunCase => {
  const title = `"${matcher}" and ${tool}`;
  return {
    id: `A1/${matcher.replaceAll(/[^a-z_]/g, "-") || "empty"}-${tool}`,
    title,
    matrix: "a matcher is for the whole name of a tool",
    payload: { tool_name: tool },
    config: (kit) => grouped("pre_tool_use", { matcher, hooks: [hook(kit, "hook", "exit 2")] }),
    expect: { verdict: { decision: fits ? "deny" : "none" }, runs: { hook: fits ? 1 : 0 } },
  };
});

const TAKES_TEXT = [
  "session_start",
  "turn_start",
  "user_prompt_submit",
  "user_steering_messages_submit",
  "user_followup_submit",
  "pre_compact",
  "worktree_create",
];
/** These take text as the page says, and none as the code does. */
const TAKES_TEXT_BY_PAGE = ["post_tool_use", "stop"];

function textRow(event: string, form: "plain" | "json"): RunCase {
  const text = form === "plain" ? "printf text" : prints(specific({ additional_context: "text" }));
  const taken: Expectation = {
    verdict: { ...GOES_ON, additionalContext: "text" },
    reply: { stdout: { hook_specific_output: { hook_event_name: event, additional_context: "text" } } },
  };
  return {
    id: `A6/${event}-${form}`,
    title: `${form} at ${event}`,
    matrix: "text, plain or in JSON, is context where an event takes any",
    event: canonical(event),
    config: (kit) => on(event, hook(kit, "hook", text)),
    expect: TAKES_TEXT_BY_PAGE.includes(event)
      ? { default: nothing, faithful: taken }
      : TAKES_TEXT.includes(event)
        ? taken
        : nothing,
  };
}

const UNREADABLE = /^hook \(.*\): invalid-output: /;

/** Standard output, and whether it is read with `strict_output` off and on. */
const OUTPUTS: readonly (readonly [name: string, text: string, lenient: boolean, strict: boolean])[] = [
  ["text", "printf context", true, false],
  ["nothing", ":", true, true],
  ["an empty object", "printf '{}'", true, true],
  ["an unknown field", prints({ other: 1 }), true, false],
  ["an unknown field further in", prints(specific({ updated_inpu: {} })), true, false],
  ["two objects", "printf '{} {}'", false, false],
  ["an object and text", "printf '{} done'", false, false],
  ["half an object", `printf '{"decision":'`, false, false],
  ["a list", "printf '[]'", true, false],
  ["null", "printf null", true, false],
];

const outputs = OUTPUTS.flatMap(([name, text, ...read]) =>
  read.map((isRead, isStrict): RunCase => {
    const how = isStrict === 1 ? "strict" : "lenient";
    return {
      id: `A11/${name.replaceAll(" ", "-")}-${how}`,
      title: `${name}, ${how}`,
      matrix: "output is one object, or text where that is allowed, or a failure",
      config: (kit) => on("pre_tool_use", hook(kit, "hook", text, { strict_output: isStrict === 1 })),
      expect: isRead ? nothing : refused(UNREADABLE),
    };
  }),
);

const REFUSALS: Readonly<Record<string, string>> = {
  "exit code 2": "exit 2",
  "decision: block": prints({ decision: "block", reason: "go on" }),
  "continue: false": prints({ continue: false }),
  "a denied permission": permits("deny"),
};

const atStop = Object.entries(REFUSALS).map(
  ([name, text]): RunCase => ({
    id: `A14/${name.replaceAll(/[^a-z0-9]+/g, "-")}`,
    title: name,
    matrix: "what cannot be refused goes on, and the user is told",
    event: "Stop",
    config: (kit) => on("stop", hook(kit, "hook", text)),
    expect: {
      verdict: { ...GOES_ON, systemMessage: /\bstop\b/ },
      reply: { exitCode: 0, stdout: { system_message: /\bstop\b/ } },
    },
  }),
);

const strictGuards: Readonly<Record<string, JsonObject>> = {
  "the name of another event": { hook_event_name: "stop", permission_decision: "allow" },
  "a new input": { permission_decision: "allow", updated_input: { cmd: "ls" } },
};

const cancelled: readonly ConformanceCase[] = [
  {
    id: "A7",
    title: "a call that its caller has given up is not permitted, and cancelled is not denied by a hook",
    cancelAfterMs: 60,
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "exec sleep 5")),
    expect: {
      verdict: { decision: "none", cancelled: true, reason: null },
      reply: { exitCode: 2, stdout: "", stderr: /cancelled/ },
    },
  },
  {
    id: "A8",
    title: "the same after the tool has run stops nothing",
    event: "PostToolUse",
    cancelAfterMs: 60,
    config: (kit) => on("post_tool_use", hook(kit, "hook", "exec sleep 5")),
    expect: { verdict: { ...GOES_ON, cancelled: true }, reply: { exitCode: 1, stdout: "", stderr: /cancelled/ } },
  },
];

const unwritable = ["pre_tool_use", "preempt lane", "tool_guard", "tool_input_transform", "permission_request"].map(
  (lane): RunCase => {
    const isAhead = lane === "preempt lane";
    const event = isAhead ? "pre_tool_use" : lane;
    const asks = (kit: Kit): JsonObject => hook(kit, "hook", permits("allow"));
    return {
      id: `A17/${lane.replaceAll(" ", "-")}`,
      title: lane,
      matrix: "an input that no JSON can hold is never approved",
      event: canonical(event),
      payload: { tool_input: { count: 1n as unknown as number } },
      ...(isAhead ? { options: { lane: "preempt" } } : {}),
      config: (kit) => (isAhead ? grouped(event, { preempt_yolo: true, hooks: [asks(kit)] }) : on(event, asks(kit))),
      expect: {
        verdict: { decision: "deny", reason: /^hook \(.*\): capability: the event cannot be written as JSON/ },
        runs: { hook: 0 },
      },
    };
  },
);

const single: readonly ConformanceCase[] = [
  {
    id: "A2",
    title: "a hook for another tool is not asked",
    payload: { tool_name: "shell" },
    config: (kit) => grouped("pre_tool_use", { matcher: "edit_file", hooks: [hook(kit, "hook", "exit 2")] }),
    expect: { ...nothing, runs: { hook: 0 } },
  },
  {
    id: "A3",
    title: "exit code 2 refuses, with stderr for a reason; the agent is told in JSON, with exit code 0",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", `${prints({ continue: true })}; echo not this >&2; exit 2`)),
    expect: refused(/^hook: not this$/),
  },
  {
    id: "A4",
    title: "decision: block refuses, with its reason",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", prints({ decision: "block", reason: "Tool not allowed" }))),
    expect: refused(/^hook: Tool not allowed$/),
  },
  {
    id: "A5",
    title: "text at pre_tool_use is nothing",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "echo hello")),
    expect: nothing,
  },
  ...AGENT_EVENTS.flatMap((event) => [textRow(event, "plain"), textRow(event, "json")]),
  ...cancelled,
  {
    id: "A9",
    title: "another exit code at pre_tool_use refuses; as the page has it, execution continues",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "exit 1")),
    expect: {
      default: refused(/^hook \(.*\): exit: ended with exit code 1; the gate stays shut$/),
      faithful: { verdict: { ...GOES_ON, systemMessage: /exit code 1; the agent goes on$/ } },
    },
  },
  {
    id: "A9/preempt",
    title: "ahead of the permissions it refuses either way",
    options: { lane: "preempt" },
    config: (kit) => grouped("pre_tool_use", { preempt_yolo: true, hooks: [hook(kit, "hook", "exit 1")] }),
    expect: { either: refused(/exit code 1; the gate stays shut$/) },
  },
  ...outputs,
  ...Object.entries(strictGuards).map(
    ([name, fields]): RunCase => ({
      id: `A12/${name.replaceAll(" ", "-")}`,
      title: name,
      matrix: "a strict guard that says what no guard says is refused, and changes nothing",
      event: "ToolGuard",
      config: (kit) => on("tool_guard", hook(kit, "hook", prints(specific(fields)), { strict_output: true })),
      expect: { verdict: { decision: "deny", reason: UNREADABLE, updatedInput: null } },
    }),
  ),
  ...atStop,
  ...[false, true].map(
    (strict): RunCase => ({
      id: `A15/${strict ? "strict" : "lenient"}`,
      title: strict ? "strict" : "lenient",
      matrix: "the name of another event in the output is a failure to strict hooks only",
      config: (kit) =>
        on(
          "pre_tool_use",
          hook(kit, "hook", permits("allow", "fine", { hook_event_name: "stop" }), { strict_output: strict }),
        ),
      expect: strict ? refused(UNREADABLE) : { verdict: { decision: "allow", reason: "hook: fine" } },
    }),
  ),
  {
    id: "A16/unknown event",
    title: "an unknown event",
    matrix: "what is no event is refused to the caller, and is no verdict",
    event: "PreToolUsed",
    expect: { throws: "HOOK_EVENT_UNKNOWN" },
  },
  {
    id: "A16/no input",
    title: "a payload without what the event is about",
    matrix: "what is no event is refused to the caller, and is no verdict",
    payload: { tool_name: null },
    expect: { throws: "HOOK_PAYLOAD_INVALID" },
  },
  ...unwritable,
  {
    id: "A18/text",
    title: "text is no summary",
    matrix: "before_compaction may be vetoed, or given a summary: the first",
    event: "BeforeCompaction",
    config: (kit) => on("before_compaction", hook(kit, "hook", "echo summary")),
    expect: { ...nothing, verdict: { ...nothing.verdict, summary: null } },
  },
  {
    id: "A18/veto",
    title: "exit code 2 vetoes",
    matrix: "before_compaction may be vetoed, or given a summary: the first",
    event: "BeforeCompaction",
    config: (kit) => on("before_compaction", hook(kit, "hook", "echo not now >&2; exit 2")),
    expect: {
      verdict: { decision: "block", reason: "hook: not now" },
      reply: { exitCode: 0, stdout: { decision: "block", reason: "hook: not now" } },
    },
  },
  {
    id: "A18/summaries",
    title: "of two summaries the first",
    matrix: "before_compaction may be vetoed, or given a summary: the first",
    event: "BeforeCompaction",
    config: (kit) =>
      on(
        "before_compaction",
        hook(kit, "slow", `sleep 0.05; ${prints(specific({ summary: "first" }))}`),
        hook(kit, "quick", prints(specific({ summary: "second" }))),
      ),
    expect: {
      verdict: { ...GOES_ON, summary: "first" },
      reply: { stdout: { hook_specific_output: { hook_event_name: "before_compaction", summary: "first" } } },
    },
  },
  {
    id: "A19",
    title: "a timeout that is left out, 0 or negative is 60 seconds",
    coveredBy: "test/dialects/docker-agent/timeouts.test.ts",
  },
  ...[undefined, true, false].map(
    (goesOn): RunCase => ({
      id: `A20/continue-${goesOn ?? "absent"}`,
      title: `continue ${goesOn ?? "left out"}`,
      matrix: "only continue: false stops, and only decision: block blocks",
      config: (kit) =>
        on(
          "pre_tool_use",
          hook(kit, "hook", prints(goesOn === undefined ? { reason: "x" } : { continue: goesOn, stop_reason: "over" })),
        ),
      expect: goesOn === false ? refused(/^hook: over$/) : nothing,
    }),
  ),
  {
    id: "A20/decision-allow",
    title: "decision: allow, where failures are told and no more",
    matrix: "only continue: false stops, and only decision: block blocks",
    event: "PostToolUse",
    config: (kit) => on("post_tool_use", hook(kit, "hook", prints({ decision: "allow" }))),
    expect: {
      verdict: { ...GOES_ON, systemMessage: /decision must be one of block, not "allow"; the agent goes on$/ },
    },
  },
];

export const dockerReplies: CaseFamily = {
  title: "docker-agent: what a hook's exit code and output mean",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026)",
  note: IN_OUR_TERMS,
  dialect: "docker-agent",
  cases: [...matchers, ...single],
};
