import type { CaseFamily, Expectation, JsonObject, Kit, ModelServerAnswer, RunCase } from "../case.ts";
import { prints } from "../claude-hooks.ts";
import { AGENT_EVENTS, canonical, GOES_ON, hook, NOTHING, on, refused, specific } from "../docker-hooks.ts";

/** Hooks of `type: model`: judges of calls, and models that add text. */

const PRE = "pre_tool_use";
const PROMPT = "{{ .ToolName }}: {{ .ToolInput | toJSON }}";
const said = (decision: string, reason: string): string => JSON.stringify({ decision, reason });

function asks(kit: Kit, answer: ModelServerAnswer, more: JsonObject = {}): JsonObject {
  return { name: "judge", type: "model", model: kit.stubModel("judge", answer), prompt: PROMPT, ...more };
}
function judges(kit: Kit, answer: ModelServerAnswer, more: JsonObject = {}): JsonObject {
  return asks(kit, answer, { schema: "pre_tool_use_decision", ...more });
}

interface Answer {
  readonly answer: ModelServerAnswer;
  readonly expect: Expectation;
  readonly more?: JsonObject;
}
const shut = (kind: string): Expectation => refused(new RegExp(`^judge \\(.*\\): ${kind}: `));

const answered = (decision: string, reason: RegExp): Expectation => ({
  verdict: { decision, continue: true, reason },
  reply: {
    exitCode: 0,
    stdout: {
      hook_specific_output: {
        hook_event_name: PRE,
        permission_decision: decision,
        permission_decision_reason: reason,
      },
    },
  },
});

const DECISIONS: Readonly<Record<string, Answer>> = {
  allow: { answer: said("allow", "only looks"), expect: answered("allow", /^judge: only looks$/) },
  ask: { answer: said("ask", "unsure"), expect: answered("ask", /^judge: unsure$/) },
  deny: { answer: said("deny", "the safe"), expect: answered("deny", /^judge: the safe$/) },
  "a denial among words": {
    answer: `I have looked at it.\n\n${said("deny", "the safe")}\n\nThat is all.`,
    expect: answered("deny", /^judge: the safe$/),
  },
  "a permission in a fence": {
    answer: `\`\`\`json\n${said("allow", "only looks")}\n\`\`\``,
    expect: answered("allow", /^judge: only looks$/),
  },
  "no JSON": { answer: "That is allowed.", expect: shut("invalid-output") },
  "nothing at all": { answer: "", expect: shut("invalid-output") },
  "a word that nobody knows": { answer: said("alow", "fine"), expect: shut("invalid-output") },
  "a permission and a question": {
    answer: `${said("allow", "a")} ${said("ask", "b")}`,
    expect: shut("invalid-output"),
  },
  "a permission with more to it": {
    answer: JSON.stringify({ decision: "allow", reason: "fine", sure: false }),
    expect: shut("invalid-output"),
  },
  "the same key twice": {
    answer: '{"decision": "deny", "decision": "allow", "reason": "fine"}',
    expect: shut("invalid-output"),
  },
  "an answer that is cut off": {
    answer: { text: said("allow", "fine"), stopReason: "length" },
    expect: shut("invalid-output"),
  },
  "a refusal to answer": {
    answer: { text: said("allow", "fine"), stopReason: "content_filter" },
    expect: shut("invalid-output"),
  },
  "status 401": { answer: { status: 401, text: "no" }, expect: shut("unavailable") },
  "a connection that ends in the middle": { answer: { hangsUp: "body" }, expect: shut("(unavailable|invalid-output)") },
  "no answer in time": { answer: { hangs: true }, more: { timeout: 1 }, expect: shut("timeout") },
  "an answer that drips": { answer: { hangs: "dripping" }, more: { timeout: 1 }, expect: shut("timeout") },
  "what the event says, repeated": {
    answer: ({ body }) => `The call was: ${JSON.stringify(body["messages"])}`,
    expect: shut("invalid-output"),
  },
};

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const decisions: readonly RunCase[] = Object.entries(DECISIONS).flatMap(([title, { answer, expect, more = {} }]) =>
  [false, true].map(
    (stream): RunCase => ({
      id: `DM1/${slug(title)}${stream ? "-streamed" : ""}`,
      title: `${title}${stream ? ", streamed" : ""}`,
      matrix: "a judge's answer, whole and as a stream, denies if the answer is no decision",
      config: (kit) => {
        const judge = judges(kit, answer, more);
        kit.stubModel("judge", answer, { stream });
        return on(PRE, judge);
      },
      expect: { either: expect },
    }),
  ),
);

/** Each way in which a model gives no answer, with each `on_error`, as in the matrix of commands. */
const FAILURES: Readonly<Record<string, readonly [kind: string, answer: ModelServerAnswer, more?: JsonObject]>> = {
  "no decision": ["invalid-output", "That is allowed."],
  "status 400": ["unavailable", { status: 400 }],
  deadline: ["timeout", { hangs: true }, { timeout: 1 }],
};
const FAIL_CLOSED = ["pre_tool_use", "tool_guard"];
const ON_ERROR = ["", "warn", "ignore", "block"];

function failing(event: string, onError: string, what: string): RunCase {
  const [kind, answer, more = {}] = FAILURES[what] as (typeof FAILURES)[string];
  const word = event === "before_llm_call" ? "block" : "deny";
  const isShut = FAIL_CLOSED.includes(event) || onError === "block";
  const systemMessage =
    onError === "ignore" ? null : new RegExp(`^hookbox: judge \\(.*\\): ${kind}: .*; the agent goes on$`, "s");
  return {
    id: `DM2/${event}-${onError || "default"}-${slug(what)}`,
    title: `${what} at ${event}, on_error ${onError || "left out"}`,
    matrix: "a model without an answer, with each on_error",
    event: canonical(event),
    // The schema is for decisions; at events without one a text is asked for, which is always valid.
    config: (kit) =>
      on(event, judges(kit, answer, { ...(onError === "" ? {} : { on_error: onError }), prompt: "May it?", ...more })),
    expect: isShut
      ? { verdict: { decision: word, rules: [{ onFailure: "deny", failure: { kind } }] } }
      : { verdict: { ...GOES_ON, systemMessage, rules: [{ onFailure: "continue", failure: { kind } }] } },
  };
}

const failures: readonly RunCase[] = [...FAIL_CLOSED, "tool_input_transform", "before_llm_call"].flatMap((event) =>
  ON_ERROR.flatMap((onError) => Object.keys(FAILURES).map((what) => failing(event, onError, what))),
);

/** Events at which the agent's code uses free text. */
const CONTEXT = [
  "session_start",
  "user_prompt_submit",
  "user_steering_messages_submit",
  "user_followup_submit",
  "turn_start",
  "pre_compact",
  "worktree_create",
];

const texts: readonly RunCase[] = AGENT_EVENTS.map((event): RunCase => {
  const takes = CONTEXT.includes(event);
  const pageTakes = takes || event === "post_tool_use" || event === "stop";
  const text: Expectation = {
    verdict: { ...GOES_ON, additionalContext: "Mind the step." },
    runs: { judge: 1 },
  };
  const none: Expectation = {
    verdict: { ...GOES_ON, additionalContext: null },
    runs: { judge: 1 },
    problems: ["HOOK_CONFIG_INERT"],
  };
  return {
    id: `DM3/${event}`,
    title: event,
    matrix: "a model's free text is added only at events that take text",
    event: canonical(event),
    config: (kit) => on(event, asks(kit, "Mind the step.", { prompt: "Anything to add?" })),
    expect: takes === pageTakes ? { either: takes ? text : none } : { default: none, faithful: text },
  };
});

const rest: readonly RunCase[] = [
  {
    id: "DM4",
    title: "a template sees the event with the agent's names, and only toJSON escapes text",
    payload: { tool_name: "shell", tool_input: { cmd: 'echo "a" <b>' }, agent_name: "root" },
    config: (kit) =>
      on(
        PRE,
        judges(
          kit,
          ({ body }) =>
            said(
              "deny",
              JSON.stringify(body["messages"]).includes('root runs shell with {\\"cmd') ? "seen" : "not seen",
            ),
          {
            prompt:
              '{{ .AgentName }} runs {{ .ToolName }} with {{ .ToolInput | toJSON }}{{ if eq .ToolName "edit" }}?{{ end }}',
          },
        ),
      ),
    expect: { verdict: { decision: "deny", reason: "judge: seen" } },
  },
  {
    id: "DM5",
    title: "truncate in a template keeps the beginning of the text",
    payload: { tool_name: "shell", tool_input: { cmd: "Z".repeat(500) } },
    config: (kit) =>
      on(
        PRE,
        judges(kit, ({ body }) => said("deny", `${JSON.stringify(body["messages"]).split("Z").length - 1} of them`), {
          prompt: "{{ .ToolInput.cmd | truncate 20 }}",
        }),
      ),
    expect: { verdict: { decision: "deny", reason: "judge: 20 of them" } },
  },
  ...(
    [
      ["a field that no event has", { prompt: "{{ .ToolNmae }}" }, "HOOK_PROMPT_TEMPLATE"],
      ["an action without an end", { prompt: "{{ if .ToolName }}" }, "HOOK_PROMPT_TEMPLATE"],
      ["a schema that nobody knows", { schema: "yes_or_no" }, "HOOK_CONFIG_HANDLER"],
      ["a provider that nobody knows", { model: "nobody/small" }, "HOOK_MODEL_PROVIDER"],
    ] as const
  ).map(
    ([title, more, code]): RunCase => ({
      id: `DM6/${slug(title)}`,
      title,
      matrix: "a question that hookbox cannot ask is an error of the file, and its gate denies",
      config: (kit) => on(PRE, judges(kit, said("allow", "fine"), more)),
      expect: { verdict: { decision: "deny" }, runs: { judge: 0 }, problems: [code] },
    }),
  ),
  {
    id: "DM7",
    title: "a judge sees the previous hook's rewrite (P9), and its question counts",
    payload: { tool_name: "shell", tool_input: { cmd: "original" } },
    config: (kit) =>
      on(
        PRE,
        hook(kit, "rewrites", prints(specific({ updated_input: { cmd: "rewritten" } }))),
        judges(kit, ({ body }) =>
          said("ask", JSON.stringify(body["messages"]).includes("rewritten") ? "is rewritten" : "is not"),
        ),
      ),
    expect: { verdict: { decision: "ask", reason: "judge: is rewritten", updatedInput: { cmd: "rewritten" } } },
  },
  {
    id: "DM8",
    title: "a judge's permission does not outrank a command's refusal",
    config: (kit) => on(PRE, judges(kit, said("allow", "fine")), hook(kit, "refuses", "echo no >&2; exit 2")),
    expect: { verdict: { decision: "deny", reason: "refuses: no" }, runs: { judge: 1, refuses: 1 } },
  },
  {
    id: "DM9",
    title: "strict_output changes nothing for a model with a schema",
    config: (kit) => on(PRE, judges(kit, said("allow", "fine"), { strict_output: true })),
    expect: { verdict: { decision: "allow", reason: "judge: fine" } },
  },
  {
    id: "DM10",
    title: "with strict_output, a model's text is a failure at an event that takes no text",
    event: "AfterModelCall",
    config: (kit) => on("after_llm_call", asks(kit, "Mind the step.", { prompt: "Anything?", strict_output: true })),
    expect: {
      verdict: { ...GOES_ON, systemMessage: /invalid-output/, rules: [{ failure: { kind: "invalid-output" } }] },
      problems: ["HOOK_CONFIG_INERT"],
    },
  },
  {
    id: "DM11",
    title: "working_dir and env have no effect for a model, as on the page",
    config: (kit) => on(PRE, judges(kit, said("deny", "as ever"), { working_dir: "/nowhere/at/all", env: { A: "b" } })),
    expect: {
      verdict: { decision: "deny", reason: "judge: as ever" },
      runs: { judge: 1 },
      problems: ["HOOK_CONFIG_INERT", "HOOK_CONFIG_INERT"],
    },
  },
  {
    id: "DM12",
    title: "hookbox asks a duplicate judge once",
    config: (kit) => {
      const judge = judges(kit, said("deny", "once"));
      return on(PRE, judge, judge);
    },
    expect: { verdict: { decision: "deny" }, runs: { judge: 1 } },
  },
  {
    id: "DM13",
    title: "a model without text adds nothing",
    event: "TurnStart",
    config: (kit) => on("turn_start", asks(kit, " \n", { prompt: "Anything?" })),
    expect: { ...NOTHING, runs: { judge: 1 } },
  },
];

export const dockerModels: CaseFamily = {
  title: "docker-agent: hooks that ask a model",
  source: "docker-agent's hooks page (mid-2026), LLM as a judge, and its hook tests (September 2026)",
  note: "hookbox asks the model in these cases over a socket of this machine, with OpenAI's protocol.",
  dialect: "docker-agent",
  cases: [...decisions, ...failures, ...texts, ...rest],
};
