import { hook, list, slug } from "../autohand-hooks.ts";
import type { CaseFamily, JsonObject, RunCase } from "../case.ts";

const switched = (enabled: boolean | undefined, runs: number): RunCase => ({
  id: `AH-1/${enabled ?? "absent"}`,
  title: `the switch for all hooks: ${enabled ?? "absent"}`,
  matrix: "a switch turns all hooks on and off",
  config: (kit) => ({
    hooks: { ...(enabled === undefined ? {} : { enabled }), hooks: [hook(kit, "one", "pre-tool", "true")] },
  }),
  expect: { runs: { one: runs }, problems: [] },
});

const filtered = (filter: JsonObject, payload: JsonObject, runs: number, event = "PreToolUse"): RunCase => ({
  id: `AH-${"tool" in filter ? 4 : 5}/${slug(JSON.stringify(payload)).slice(0, 60)}`,
  title: `${JSON.stringify(filter)} and ${JSON.stringify(payload)}`,
  matrix: "tool" in filter ? "a filter by tool compares exact names" : "a filter by path matches if any glob matches",
  event,
  payload,
  config: (kit) => list(hook(kit, "one", event === "FileChanged" ? "file-modified" : "pre-tool", "true", { filter })),
  expect: { runs: { one: runs } },
});

/** The event, its canonical name, what a matcher is tested against, a matcher that matches and one that does not. */
const SUBJECTS: readonly (readonly [string, string, JsonObject, fits: string, other: string])[] = [
  ["pre-tool", "PreToolUse", { tool_name: "Write" }, "^write_", "^write$"],
  ["pre-tool", "PreToolUse", { tool_name: "run_command" }, "run_command|x", "RUN_COMMAND"],
  ["post-tool", "PostToolUse", { tool_name: "Read" }, "file$", "^file"],
  ["permission-request", "PermissionRequest", { tool_name: "Read" }, "^read_file$", "^read_files$"],
  ["notification", "Notification", { notification_type: "idle" }, "idl", "busy"],
  ["session-start", "SessionStart", { source: "resume" }, "startup|resume", "clear"],
  ["session-end", "SessionEnd", { reason: "quit" }, "^quit$", "exit"],
  ["subagent-stop", "SubagentStop", { agent_type: "reviewer" }, "review", "writer"],
  ["automode:start", "AutomodeStart", { automode_prompt: "ship it", automode_iteration: 3 }, "^ship it 3$", "^3"],
  ["automode:checkpoint", "AutomodeCheckpoint", { automode_checkpoint_commit: "abc" }, "^abc$", "abd"],
  ["autoresearch:run", "AutoresearchRun", { autoresearch_goal: "speed", tool_input: { n: 1 } }, '"n":1', "slow"],
  ["review:start", "ReviewStart", { review_path: "src", review_scope: "file" }, "^src file$", "^file"],
  [
    "goal-written:completed",
    "GoalCompleted",
    { goal_objective: "done", goal_source: "user" },
    "done user",
    "user done",
  ],
  ["team-created", "TeamCreated", { team_name: "blue" }, "^blue$", "red"],
  ["team-shutdown", "TeamShutdown", {}, "^$", "blue"],
  ["teammate-idle", "TeammateIdle", { team_name: "blue", teammate_name: "ann" }, "blue ann", "ann blue"],
  ["task-completed", "TaskCompleted", { task_id: "7", team_task_owner: "ann" }, "^7 ann$", "^ann"],
  ["notification", "Notification", {}, "^$", "idle"],
];

/** Matchers that match no tool and are close to a tool's name. */
const NEARLY: readonly string[] = ["RUN_COMMAND", "^read_files$"];

const matched = SUBJECTS.flatMap(([event, canonical, payload, fits, other], index) =>
  [fits, other].map(
    (matcher, at): RunCase => ({
      id: `AH-6/${slug(event)}-${index}-${at === 0 ? "fits" : "does-not"}`,
      title: `${event} ${JSON.stringify(payload)} and /${matcher}/`,
      matrix: "the text that a matcher tests, in any place and with regard to case",
      event: canonical,
      payload,
      config: (kit) => list(hook(kit, "one", event, "true", { matcher })),
      expect: {
        runs: { one: at === 0 ? 1 : 0 },
        ...(NEARLY.includes(matcher) ? { problems: ["HOOK_CONFIG_UNKNOWN_TOOL"] } : {}),
      },
    }),
  ),
);

const unmatched = (
  [
    ["stop", "Stop"],
    ["pre-prompt", "UserPromptSubmit"],
    ["file-modified", "FileChanged"],
    ["mode-change", "ModeChange"],
  ] as const
).map(
  ([event, canonical]): RunCase => ({
    id: `AH-6/${event}-has-nothing`,
    title: `${event} has nothing to match on: the hook runs`,
    matrix: "the text that a matcher tests, in any place and with regard to case",
    event: canonical,
    config: (kit) => list(hook(kit, "one", event, "true", { matcher: "never" })),
    expect: { runs: { one: 1 }, problems: ["HOOK_CONFIG_INERT"] },
  }),
);

const covered = "test/hosts/autohand/session.test.ts";
const calls = "test/hosts/autohand/tool.test.ts";

export const autohandRunning: CaseFamily = {
  title: "Autohand: which hooks run, and how",
  source: "Autohand's hooks page (May 2026) and its code (August 2026)",
  note: "The cases dispatch events under their canonical names, with canonical fields.",
  dialect: "autohand",
  cases: [
    switched(true, 1),
    switched(undefined, 1),
    switched(false, 0),
    {
      id: "AH-2",
      title: "a hook that is switched off does not run, and neither does a hook for another event",
      config: (kit) =>
        list(
          hook(kit, "off", "pre-tool", "true", { enabled: false }),
          hook(kit, "other", "post-tool", "true"),
          hook(kit, "on", "pre-tool", "true"),
        ),
      expect: { runs: { off: 0, other: 0, on: 1 } },
    },
    {
      id: "AH-3",
      title: "stop and post-response are the same event, and hooks of stop run first",
      event: "Stop",
      config: (kit) => list(hook(kit, "old", "post-response", "true"), hook(kit, "new", "stop", "true")),
      expect: { runs: { old: 1, new: 1 }, verdict: { rules: [{ rule: "old" }, { rule: "new" }] } },
    },
    filtered({ tool: ["write_file"] }, { tool_name: "Read" }, 0),
    filtered({ tool: ["write_file"] }, { tool_name: "Write" }, 1),
    filtered({ tool: ["write_file"] }, { tool_name: "write_file" }, 1),
    filtered({ tool: ["write_file"] }, { tool_name: "Edit" }, 0),
    filtered({ path: ["src/**/*.ts"] }, { file_path: "src/test.js" }, 0, "FileChanged"),
    filtered({ path: ["src/**/*.ts"] }, { file_path: "src/test.ts" }, 1, "FileChanged"),
    filtered({ path: ["src/**/*.ts"] }, { file_path: "src/a/b/test.ts" }, 1, "FileChanged"),
    filtered({ path: ["src/**/*.ts"] }, { event: "change" }, 0, "FileChanged"),
    filtered({ path: ["*.md", "src/**"] }, { tool_name: "Write", tool_input: { file_path: "src/x" } }, 1),
    ...matched,
    ...unmatched,
    {
      id: "AH-6/invalid",
      title: "a matcher that is no expression: the agent never runs the hook, and a gate without its hook is shut",
      matrix: "the text that a matcher tests, in any place and with regard to case",
      config: (kit) => list(hook(kit, "one", "pre-tool", "true", { matcher: "(" })),
      expect: {
        runs: { one: 0 },
        problems: ["HOOK_CONFIG_MATCHER"],
        verdict: { decision: "deny", reason: /matcher "\("/ },
      },
    },
    {
      id: "AH-34",
      title: "a matcher with look-around is a problem, and its gate refuses",
      config: (kit) => list(hook(kit, "one", "pre-tool", "true", { matcher: "^(?!read_)" })),
      expect: {
        runs: { one: 0 },
        problems: ["HOOK_CONFIG_MATCHER"],
        verdict: { decision: "deny", reason: /linear time/ },
      },
    },
    {
      id: "AH-7",
      title: "the report says how each hook ended",
      event: "Notification",
      config: (kit) => list(hook(kit, "good", "notification", "true"), hook(kit, "bad", "notification", "false")),
      expect: {
        runs: { good: 1, bad: 1 },
        verdict: {
          rules: [{ outcome: "success" }, { outcome: "non_blocking_error", failure: { kind: "exit", value: 1 } }],
        },
      },
    },
    {
      id: "AH-23",
      title: "later hooks run after a refusal, but not after continue: false",
      config: (kit) =>
        list(
          hook(kit, "denies", "pre-tool", "echo no >&2; exit 2"),
          hook(kit, "stops", "pre-tool", `echo '{"continue": false, "stopReason": "enough"}'`),
          hook(kit, "late", "pre-tool", "true"),
        ),
      expect: {
        runs: { denies: 1, stops: 1, late: 0 },
        verdict: { decision: "deny", continue: false, stopReason: "stops: enough" },
      },
    },
    {
      id: "AH-24",
      title: "an async hook decides nothing, and hookbox warns of an async hook at a gate",
      config: (kit) => list(hook(kit, "one", "pre-tool", "exit 2", { async: true })),
      expect: {
        runs: { one: 1 },
        problems: ["HOOK_CONFIG_INERT"],
        verdict: { decision: "none" },
        reply: { exitCode: 0, stdout: "" },
      },
    },
    { id: "AH-11", title: "an aborted signal starts no hooks, and ends running hooks", coveredBy: covered },
    { id: "AH-12", title: "listeners get a tool's end even after an abort", coveredBy: covered },
    { id: "AH-14", title: "a hook with ask makes the host ask the user once", coveredBy: calls },
    {
      id: "AH-15",
      title: "an allowed call runs with its new arguments, without a question to the user",
      coveredBy: calls,
    },
    { id: "AH-16", title: "the policy judges a rewritten call again", coveredBy: calls },
    {
      id: "AH-17",
      title: "a new input with reserved, unknown, missing or mistyped fields is refused",
      coveredBy: calls,
    },
    { id: "AH-18", title: "added text reaches the conversation, and the call keeps its id", coveredBy: calls },
    { id: "AH-19", title: "every event's notifications", coveredBy: "test/hosts/autohand/notifications.test.ts" },
    { id: "AH-20", title: "reset, shutdown, and at most an error for each prompt", coveredBy: covered },
    {
      id: "AH-33",
      title: "a verdict that the host returns has the new input in the tool's own field names",
      coveredBy: covered,
    },
    {
      id: "AH-21",
      title: "hooks are added, removed and switched by event and number",
      coveredBy: "test/e2e/hooks.test.ts",
    },
    {
      id: "AH-22",
      title: "the security guard's table of exit codes",
      coveredBy: "test/agent-pages/autohand-guard.test.ts",
    },
  ],
};
