import { hook, list, slug } from "../autohand-hooks.ts";
import type { CaseFamily, Expectation, JsonObject, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";

const shut = (reason: RegExp): Expectation => ({
  verdict: { decision: "deny", reason },
  reply: { exitCode: 0, stdout: { decision: "deny", reason } },
});
const open = (kind: string): Expectation => ({
  verdict: {
    decision: "none",
    continue: true,
    systemMessage: /; the agent goes on$/,
    rules: [{ rule: "one", onFailure: "continue", failure: { kind } }],
  },
  reply: { exitCode: 0, stdout: "", stderr: /; the agent goes on\n$/ },
});

/** What the page lets pass ("execution continues") and the agent itself refuses since July 2026. */
const FAILURES: Readonly<Record<string, readonly [kind: string, text: string, more?: JsonObject]>> = {
  "exit 1": ["exit", "exit 1"],
  "exit 1 with a permission": ["exit", `${prints({ decision: "allow" })}; exit 1`],
  "exit 127": ["spawn", "exit 127"],
  timeout: ["timeout", "trap '' TERM; sleep 5", { timeout: 200 }],
  "killed from outside": ["signal", "kill -9 $$"],
  "an unknown decision": ["invalid-output", prints({ decision: "maybe" })],
  "a wrong type": ["invalid-output", prints({ reason: 3 })],
  "text that begins like JSON": ["invalid-output", prints("{not-json")],
  "a reserved key": ["invalid-output", prints({ updatedInput: { type: "read_file" } })],
};
const IDS: Readonly<Record<string, string>> = { timeout: "AH-10", "killed from outside": "AH-12b" };

const failing = ["pre-tool", "permission-request"].flatMap((event) =>
  Object.entries(FAILURES).map(
    ([name, [kind, text, more]]): RunCase => ({
      id: `${IDS[name] ?? "AH-13"}/${event}-${slug(name)}`,
      title: `${name} at ${event}`,
      matrix: "a hook without a valid answer",
      event: event === "pre-tool" ? "PreToolUse" : "PermissionRequest",
      config: (kit) => list(hook(kit, "one", event, text, more)),
      expect: {
        default: shut(new RegExp(`^one \\(.*\\): ${kind}: .*; the gate stays shut$`, "s")),
        faithful: open(kind),
      },
    }),
  ),
);

const watching = Object.entries(FAILURES).map(
  ([name, [kind, text, more]]): RunCase => ({
    id: `AH-25/${slug(name)}`,
    title: `${name} at post-tool`,
    matrix: "a hook without a valid answer at an event that needs no answer",
    event: "PostToolUse",
    config: (kit) => list(hook(kit, "one", "post-tool", text, more)),
    expect: { either: open(kind) },
  }),
);

interface Answer {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly event?: readonly [agent: string, canonical: string];
  readonly payload?: JsonObject;
  readonly expect: RunCase["expect"];
}

const NOTHING: Expectation = {
  verdict: { decision: "none", reason: null, systemMessage: null },
  reply: { exitCode: 0, stdout: "", stderr: "" },
};
const ASKS_NOBODY: Expectation = {
  verdict: { decision: "none", rules: [{ rule: "one", status: "abstained", dropped: [/decision "ask"/] }] },
  reply: { exitCode: 0, stdout: "", stderr: "" },
};
const LEARN = ["pre-learn", "BeforeLearn"] as const;

const ANSWERS: readonly Answer[] = [
  {
    id: "AH-8",
    title: "exit code 2 refuses with the text on standard error",
    text: "echo 'not that' >&2; exit 2",
    expect: shut(/^one: not that$/),
  },
  {
    id: "AH-8/silent",
    title: "exit code 2 without text also refuses",
    text: "exit 2",
    expect: shut(/^one: blocked by a hook$/),
  },
  {
    id: "AH-9/json",
    title: "a hook's JSON counts with exit code 0",
    text: prints({ decision: "deny", reason: "no" }),
    expect: shut(/^one: no$/),
  },
  { id: "AH-9/text", title: "a hook's plain text has no effect", text: "echo all is well", expect: NOTHING },
  { id: "AH-9/list", title: "JSON that is no object is text", text: "echo '[1]'", expect: NOTHING },
  {
    id: "AH-9/json-at-2",
    title: "Autohand ignores JSON next to exit code 2",
    text: `${prints({ decision: "allow", reason: "x" })}; echo no >&2; exit 2`,
    expect: shut(/^one: no$/),
  },
  {
    id: "AH-26/allow",
    title: "the decision allow is a permission",
    text: prints({ decision: "allow", reason: "fine" }),
    expect: { verdict: { decision: "allow" }, reply: { stdout: { decision: "allow", reason: /fine/ } } },
  },
  {
    id: "AH-26/ask",
    title: "the decision ask is a question",
    text: prints({ decision: "ask" }),
    expect: { verdict: { decision: "ask" }, reply: { stdout: { decision: "ask" } } },
  },
  {
    id: "AH-26/block",
    title: "the decision block refuses",
    text: prints({ decision: "block", reason: "no" }),
    expect: shut(/^one: no$/),
  },
  {
    id: "AH-26/nulls",
    title: "a decision of null is no opinion",
    text: prints({
      decision: null,
      reason: null,
      continue: null,
      stopReason: null,
      updatedInput: null,
      additionalContext: null,
    }),
    expect: NOTHING,
  },
  {
    id: "AH-26/continue",
    title: "continue: false stops the agent",
    text: prints({ continue: false, stopReason: "enough" }),
    expect: {
      verdict: { decision: "deny", continue: false, stopReason: /enough/ },
      reply: { stdout: { continue: false, stopReason: /enough/ } },
    },
  },
  {
    id: "AH-27/input",
    title: "a new input changes the old input field by field, in the agent's words",
    text: prints({ decision: "allow", updatedInput: { path: "b" } }),
    payload: { tool_name: "Read", tool_input: { file_path: "a", limit: 3 } },
    expect: {
      verdict: { updatedInput: { file_path: "b", limit: 3 } },
      reply: { stdout: { updatedInput: { path: "b", limit: 3 } } },
    },
  },
  {
    id: "AH-27/context",
    title: "a hook's text becomes part of the conversation",
    text: prints({ additionalContext: "mind the gap" }),
    expect: {
      verdict: { additionalContext: /mind the gap/ },
      reply: { stdout: { additionalContext: /mind the gap/ } },
    },
  },
  {
    id: "AH-28/exit-2",
    title: "exit code 2 prevents the agent from learning",
    event: LEARN,
    text: "echo no >&2; exit 2",
    expect: { verdict: { decision: "block" }, reply: { exitCode: 2, stderr: "one: no\n" } },
  },
  {
    id: "AH-28/exit-1",
    title: "any failure without exit code 2 does not prevent the agent from learning",
    event: LEARN,
    text: "exit 1",
    expect: open("exit"),
  },
  {
    id: "AH-29/prompt",
    title: "exit code 2 at pre-prompt stops the instruction",
    event: ["pre-prompt", "UserPromptSubmit"],
    text: "echo no >&2; exit 2",
    expect: { verdict: { decision: "block" }, reply: { exitCode: 2, stderr: "one: no\n" } },
  },
  {
    id: "AH-30",
    title: "the decision ask at pre-prompt continues, because Autohand asks no user at this event",
    event: ["pre-prompt", "UserPromptSubmit"],
    text: prints({ decision: "ask", reason: "the default" }),
    expect: ASKS_NOBODY,
  },
  {
    id: "AH-31",
    title: "the decision ask at pre-learn continues",
    event: LEARN,
    text: prints({ decision: "ask" }),
    expect: ASKS_NOBODY,
  },
  {
    id: "AH-32",
    title: "text next to an ask at pre-prompt becomes part of the conversation",
    event: ["pre-prompt", "UserPromptSubmit"],
    text: prints({ decision: "ask", additionalContext: "mind the gap" }),
    expect: { verdict: { decision: "none", additionalContext: /mind the gap/ } },
  },
  {
    id: "AH-35",
    title:
      "a gate refuses a call that is too large for variables, but with faithful the hook starts with a part of the call",
    text: 'test "$HOOK_CUT" = HOOK_ARGS',
    payload: { tool_name: "Write", tool_input: { file_path: "a", content: "x".repeat(130_000) } },
    expect: {
      default: { runs: { one: 0 }, ...shut(/^one \(.*\): spawn: .*HOOK_ARGS.*; the gate stays shut$/s) },
      faithful: { runs: { one: 1 }, ...NOTHING },
    },
  },
  {
    id: "AH-29/stop",
    title: "a refusal at stop blocks nothing, and the user gets a message",
    event: ["stop", "Stop"],
    text: "echo no >&2; exit 2",
    expect: {
      verdict: { decision: "none", systemMessage: /stop cannot be blocked: no/ },
      reply: { exitCode: 0, stdout: "" },
    },
  },
];

const answered = ANSWERS.map(
  ({ text, event: [agent, event] = ["pre-tool", "PreToolUse"], payload = {}, ...rest }): RunCase => ({
    ...rest,
    event,
    payload,
    config: (kit) => list(hook(kit, "one", agent, text)),
  }),
);

export const autohandReplies: CaseFamily = {
  title: "Autohand: what a hook's answer means",
  source: "Autohand's hooks page (May 2026), control flow and exit codes, and its code (August 2026)",
  note: "By default a gate follows Autohand's code. With `faithful`, a gate follows Autohand's page and may be more open.",
  dialect: "autohand",
  cases: [...answered, ...failing, ...watching],
};
