import type { CaseFamily, ConformanceCase, Expected, JsonObject, Kit, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { canonical, GOES_ON, grouped, hook, NOTHING, on, permits, refused, specific } from "../docker-hooks.ts";

/** A name is matched as a whole. */
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
    matrix: "a docker-agent matcher matches a tool's whole name",
    payload: { tool_name: tool },
    config: (kit) => grouped("pre_tool_use", { matcher, hooks: [hook(kit, "hook", "exit 2")] }),
    expect: {
      verdict: { decision: fits ? "deny" : "none" },
      runs: { hook: fits ? 1 : 0 },
      // Close to the name of a tool.
      ...(matcher === "edit" ? { problems: ["HOOK_CONFIG_UNKNOWN_TOOL"] } : {}),
    },
  };
});

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
    matrix: "a refusal at an event that cannot be refused has no effect, and the user gets a message",
    event: "Stop",
    config: (kit) => on("stop", hook(kit, "hook", text)),
    expect: {
      verdict: { ...GOES_ON, systemMessage: /^hook "hook" .*\bstop (?:cannot block|decides no permission)$/ },
      reply: { exitCode: 0, stdout: { system_message: /\bstop\b/ } },
    },
  }),
);

/** What a hook prints before it ends with exit code 2, and the text of the refusal. */
const BESIDE: readonly (readonly [title: string, text: string, said: Expected])[] = [
  ["the reason of a block", `${prints({ decision: "block", reason: "policy" })}; exit 2`, { reason: "hook: policy" }],
  ["a reason to stop", `${prints({ continue: false, stop_reason: "over" })}; exit 2`, { reason: "hook: over" }],
  ["the reason of a permission", `${permits("deny", "unsafe")}; exit 2`, { reason: "hook: unsafe", decision: "deny" }],
  [
    "a word to the user",
    `${prints({ continue: false, system_message: "install failed" })}; exit 2`,
    { systemMessage: "install failed", reason: "hook: says deny" },
  ],
  [
    "standard error and a reason",
    `${prints({ reason: "policy" })}; echo looked >&2; exit 2`,
    { reason: "hook: looked\npolicy" },
  ],
  ["a permission, which does not count", `${permits("allow", "fine")}; exit 2`, { reason: "hook: fine" }],
];

const beside = BESIDE.map(
  ([title, text, said]): RunCase => ({
    id: `A22/${title.replaceAll(/[^a-z]+/g, "-")}`,
    title,
    matrix: "exit code 2 refuses with the printed reason, also for a strict hook",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", text, { strict_output: true })),
    expect: { either: { verdict: { decision: "deny", ...(said as object) } } },
  }),
);

const cancelled: readonly ConformanceCase[] = [
  {
    id: "A7",
    title: "a call that its caller has cancelled is neither permitted nor denied",
    cancelAfterMs: 60,
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "exec sleep 5")),
    expect: {
      verdict: { decision: "none", cancelled: true, reason: null },
      reply: { exitCode: 2, stdout: "", stderr: /cancelled/ },
    },
  },
  {
    id: "A8",
    title: "a call that its caller cancels after the tool has run stops nothing",
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
      matrix: "an input that JSON cannot express is never approved",
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
    title: "a hook for another tool does not run",
    payload: { tool_name: "shell" },
    config: (kit) => grouped("pre_tool_use", { matcher: "edit_file", hooks: [hook(kit, "hook", "exit 2")] }),
    expect: { ...NOTHING, runs: { hook: 0 } },
  },
  {
    id: "A3",
    title: "exit code 2 refuses, with standard error as the reason, and the agent gets JSON with exit code 0",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", `${prints({ continue: true })}; echo not this >&2; exit 2`)),
    expect: refused(/^hook: not this$/),
  },
  {
    id: "A4",
    title: "decision: block in a reply refuses with the reply's reason",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", prints({ decision: "block", reason: "Tool not allowed" }))),
    expect: refused(/^hook: Tool not allowed$/),
  },
  {
    id: "A5",
    title: "text at pre_tool_use has no effect",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "echo hello")),
    expect: NOTHING,
  },
  ...cancelled,
  {
    id: "A9",
    title: "an exit code other than 0 and 2 at pre_tool_use refuses, but on the page execution continues",
    config: (kit) => on("pre_tool_use", hook(kit, "hook", "exit 1")),
    expect: {
      default: refused(/^hook \(.*\): exit: ended with exit code 1; the gate stays shut$/),
      faithful: { verdict: { ...GOES_ON, systemMessage: /exit code 1; the agent goes on$/ } },
    },
  },
  {
    id: "A9/preempt",
    title: "an exit code other than 0 and 2 in the preempt lane refuses, by default and with faithful",
    options: { lane: "preempt" },
    config: (kit) => grouped("pre_tool_use", { preempt_yolo: true, hooks: [hook(kit, "hook", "exit 1")] }),
    expect: { either: refused(/exit code 1; the gate stays shut$/) },
  },
  ...beside,
  ...atStop,
  {
    id: "A16/unknown event",
    title: "an unknown event",
    matrix: "a payload that is no event gives the caller an error and no verdict",
    event: "PreToolUsed",
    expect: { throws: "HOOK_EVENT_UNKNOWN" },
  },
  {
    id: "A16/no input",
    title: "a payload without what the event is about",
    matrix: "a payload that is no event gives the caller an error and no verdict",
    payload: { tool_name: null },
    expect: { throws: "HOOK_PAYLOAD_INVALID" },
  },
  ...unwritable,
  {
    id: "A18/text",
    title: "text is no summary",
    matrix: "a hook at before_compaction may veto, or give a summary, of which the first counts",
    event: "BeforeCompaction",
    config: (kit) => on("before_compaction", hook(kit, "hook", "echo summary")),
    expect: { ...NOTHING, verdict: { ...NOTHING.verdict, summary: null } },
  },
  {
    id: "A18/veto",
    title: "exit code 2 vetoes",
    matrix: "a hook at before_compaction may veto, or give a summary, of which the first counts",
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
    matrix: "a hook at before_compaction may veto, or give a summary, of which the first counts",
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
    id: "A21",
    title: "a hook may take shared keys from a YAML merge key",
    config: (kit) =>
      [
        `shared: &shared { type: command, timeout: 9, command: ${JSON.stringify(kit.script("shared", "exit 2"))} }`,
        "hooks:",
        "  pre_tool_use:",
        "    - hooks:",
        "        - { <<: *shared, name: first, timeout: 5 }",
        `        - { <<: *shared, name: second, command: ${JSON.stringify(kit.script("second", "exit 2"))} }`,
      ].join("\n"),
    expect: { ...refused(/^first: .*\nsecond: /), runs: { shared: 1, second: 1 } },
  },
  {
    id: "A19",
    title: "a timeout that is absent, 0 or negative is 60 seconds",
    coveredBy: "test/dialects/docker-agent/timeouts.test.ts",
  },
];

const IN_OUR_TERMS = [
  "Some tests of docker-agent look into the agent, for example at its errors, or at -1 for a failed hook. The cases",
  "look at the verdict's event, decision, continue and reason, and at the agent's reply. The reason names the hook",
  "and the kind of failure. The hooks in these cases are processes. A hook that docker-agent would report as failed",
  "is a hook that cannot be started or is killed.",
].join(" ");

export const dockerReplies: CaseFamily = {
  title: "docker-agent: which hooks are asked, and how they end",
  source: "docker-agent's hook tests (September 2026) and hooks page (mid-2026)",
  note: IN_OUR_TERMS,
  dialect: "docker-agent",
  cases: [...matchers, ...single],
};
