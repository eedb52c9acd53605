import type { JsonObject as Body } from "../../../src/json.ts";
import type { StubAnswer, StubRequest } from "../../helpers/stub-model.ts";
import type { CaseFamily, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { at, command, decision, prints } from "../claude-hooks.ts";

/** What prompt and agent hooks send, and to which model; and what an agent may do before it answers. */

const PRE = "PreToolUse";
const YES = JSON.stringify({ ok: true });
const no = (reason: string): string => JSON.stringify({ ok: false, reason });

/** Denies with the text that it was asked. */
const repeats = ({ body }: StubRequest): string => no(lastText(body));

function lastText(body: Body): string {
  const { messages } = body as unknown as { messages: { content: string | { text?: string }[] }[] };
  const content = messages.at(-1)?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

const asks = (kit: Kit, prompt: string, more: JsonObject = {}): JsonObject =>
  at(PRE, { type: "prompt", prompt, model: kit.stubModel("judge", repeats), ...more });
const denied = (reason: RegExp): Expectation => ({ verdict: { decision: "deny", reason }, runs: { judge: 1 } });

const substitutions: readonly RunCase[] = [
  {
    id: "JP2",
    title: "the event replaces $ARGUMENTS in a prompt",
    config: (kit) => asks(kit, "Before: $ARGUMENTS. After."),
    expect: denied(/: Before: \{.*"tool_name":"Bash".*\}\. After\.$/),
  },
  {
    id: "JP3",
    title: "a prompt without $ARGUMENTS gets the event at its end",
    config: (kit) => asks(kit, "Look at this."),
    expect: denied(/: Look at this\.\s+\{.*"tool_name":"Bash".*\}$/s),
  },
  {
    id: "JP4",
    title: "\\$ARGUMENTS in a prompt is plain text",
    config: (kit) => asks(kit, "It costs \\$ARGUMENTS."),
    expect: denied(/: It costs \$ARGUMENTS\.\s+\{.*"tool_name":"Bash"/s),
  },
  {
    id: "JP5",
    title: "hookbox does not replace $ARGUMENTS inside the event",
    payload: { tool_input: { command: "echo $ARGUMENTS" } },
    config: (kit) => asks(kit, "Is it? $ARGUMENTS"),
    expect: denied(/"command":"echo \$ARGUMENTS"\}?.*\}$/),
  },
];

/** Which model a hook gets: one of the agent's own providers, which our server replaces. */
const named = (id: string, title: string, model: JsonObject, expected: RegExp): RunCase => ({
  id,
  title,
  config: (kit) => {
    kit.stubModel("anthropic", ({ body }) => no(`it is ${body["model"]}`));
    return at(PRE, { type: "prompt", prompt: "May it?", ...model });
  },
  expect: { verdict: { decision: "deny", reason: expected }, runs: { anthropic: 1 } },
});

const models: readonly RunCase[] = [
  named("JP6", "a hook without a model gets a small model", {}, /it is claude-haiku/),
  named("JP7/haiku", "haiku", { model: "haiku" }, /it is claude-haiku/),
  named("JP7/sonnet", "sonnet", { model: "sonnet" }, /it is claude-sonnet/),
  named("JP7/opus", "opus", { model: "opus" }, /it is claude-opus/),
  named("JP7/whole", "a whole name", { model: "claude-made-up-9" }, /it is claude-made-up-9$/),
].map((one) => (one.id.startsWith("JP7") ? { ...one, matrix: "a model's short and full name" } : one));

const rest: readonly RunCase[] = [
  {
    id: "JP8",
    title: "a judge's yes does not undo a command's refusal, and its no outranks a command's permission",
    config: (kit) =>
      at(
        PRE,
        { type: "prompt", prompt: "May it?", model: kit.stubModel("yes", YES) },
        { type: "prompt", prompt: "May it be?", model: kit.stubModel("no", no("no")), continueOnBlock: true },
        command(kit, "permits", prints(decision("allow"))),
      ),
    expect: {
      verdict: { decision: "deny", continue: true, reason: /: no$/ },
      runs: { yes: 1, no: 1, permits: 1 },
    },
  },
  {
    id: "JP9",
    title: "hookbox asks no model if the hook's condition does not match",
    config: (kit) => asks(kit, "May it?", { if: "Bash(git *)" }),
    expect: { verdict: { decision: "none" }, runs: { judge: 0 } },
  },
  {
    id: "JP10",
    title: "a hook that asks a model at an unsuitable event fails by name, and asks no model",
    event: "SessionStart",
    config: (kit) => at("SessionStart", { type: "prompt", prompt: "Hello?", model: kit.stubModel("judge", YES) }),
    expect: { verdict: { decision: "none" }, runs: { judge: 0 }, problems: ["HOOK_CONFIG_HANDLER"] },
  },
  {
    id: "JP11",
    title: "hookbox reads a model's answer in a fence, with text around the fence",
    config: (kit) =>
      at(PRE, {
        type: "prompt",
        prompt: "May it?",
        model: kit.stubModel("judge", `I think not.\n\`\`\`json\n${no("out of hours")}\n\`\`\`\n`),
      }),
    expect: denied(/: out of hours$/),
  },
  {
    id: "JP12",
    title: "two different answers of a model are no answer",
    config: (kit) => at(PRE, { type: "prompt", prompt: "May it?", model: kit.stubModel("judge", `${no("x")} ${YES}`) }),
    expect: {
      default: { verdict: { decision: "deny", rules: [{ failure: { kind: "invalid-output" } }] } },
      faithful: { verdict: { decision: "none", rules: [{ failure: { kind: "invalid-output" } }] } },
    },
  },
];

/** Returns the results of the tools in the last turn. */
function results({ body }: StubRequest): string {
  const { messages } = body as unknown as { messages: { role: string; content: unknown }[] };
  return messages.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : [])).join("\n");
}
const call = (name: string, input: JsonObject): StubAnswer => ({ calls: [{ name, input }] });
const answers = (ok: boolean, reason = ""): StubAnswer => call("answer", { ok, reason });

const agentAt = (kit: Kit, answer: (request: StubRequest) => StubAnswer, more: JsonObject = {}): JsonObject =>
  at(PRE, {
    type: "agent",
    prompt: "Is the list complete? $ARGUMENTS",
    model: kit.stubModel("agent", answer),
    ...more,
  });

const agents: readonly RunCase[] = [
  {
    id: "JA2",
    title: "an agent hook searches files and lines, reads a file, and answers",
    config: (kit) => {
      kit.file("stock/list.txt", "apples\npears\n");
      const turns: readonly ((said: string) => StubAnswer)[] = [
        () => call("glob", { pattern: "stock/*.txt" }),
        (said) => call("grep", { pattern: said.includes("stock/list.txt") ? "pears" : "no such thing" }),
        (said) => (said.includes("stock/list.txt:2: pears") ? call("read", { path: "stock/list.txt" }) : answers(true)),
        (said) => answers(false, said.includes("apples") && !said.includes("plums") ? "plums are missing" : "?"),
      ];
      const seen = new Set<StubRequest>();
      return agentAt(kit, (request) => {
        seen.add(request);
        return (turns[seen.size - 1] as (typeof turns)[number])(results(request));
      });
    },
    expect: {
      verdict: {
        decision: "deny",
        continue: true,
        reason: /: plums are missing$/,
        rules: [{ receipt: { turns: 4, model: "agent/small", inputTokens: 40, outputTokens: 20 } }],
      },
      runs: { agent: 4 },
    },
  },
  {
    id: "JA3",
    title: "an agent hook without an answer after 50 turns is cancelled, and its gate denies",
    config: (kit) => {
      kit.file("list.txt", "apples\n");
      return agentAt(kit, () => ({ ...call("read", { path: "list.txt" }), inputTokens: 1, outputTokens: 1 }), {
        timeout: 60,
      });
    },
    expect: {
      default: {
        verdict: {
          decision: "deny",
          rules: [{ outcome: "cancelled", failure: { kind: "turns", limit: 50 }, receipt: { turns: 50 } }],
        },
        runs: { agent: 50 },
      },
      faithful: {
        verdict: { decision: "none", continue: true, systemMessage: null, rules: [{ outcome: "cancelled" }] },
        reply: { exitCode: 0, stdout: "" },
        runs: { agent: 50 },
      },
    },
  },
  {
    id: "JA4",
    title: "an agent hook sees no file outside of the working directory, writes no file and runs nothing",
    payload: (kit) => ({ cwd: kit.repository().top }),
    config: (kit) => {
      kit.repository();
      kit.file("outside.txt", "a secret place");
      let turns = 0;
      const tries: readonly StubAnswer[] = [
        {
          calls: ["../outside.txt", `${kit.folder}/outside.txt`, "/etc/passwd"].map((path) => ({
            name: "read",
            input: { path },
          })),
        },
        {
          calls: [
            { name: "write", input: { path: "b.txt", content: "b" } },
            { name: "bash", input: { command: "touch b.txt" } },
            { name: "agent", input: { prompt: "help me" } },
          ],
        },
      ];
      return agentAt(kit, (request) => {
        const said = results(request);
        const leaked = said.includes("secret place") || said.includes("root:");
        return tries[turns++] ?? answers(false, leaked ? "leaked" : `held after ${said.split("\n").length} answers`);
      });
    },
    expect: { verdict: { decision: "deny", reason: /: held after \d+ answers$/ }, runs: { agent: 3 } },
  },
  {
    id: "JA5",
    title: "an agent hook's text with a yes, without the answer tool, is no answer",
    config: (kit) => agentAt(kit, () => ({ text: YES })),
    expect: {
      default: { verdict: { decision: "deny", rules: [{ failure: { kind: "invalid-output" } }] }, runs: { agent: 2 } },
      faithful: { verdict: { decision: "none" }, runs: { agent: 2 } },
    },
  },
];

export const claudeModels: CaseFamily = {
  title: "Claude Code: what prompt and agent hooks ask",
  source: "Hooks reference (2.1.295), prompt-based and agent-based hooks",
  note: "hookbox asks each model in these cases over a socket of this machine.",
  dialect: "claude-code",
  cases: [...substitutions, ...models, ...rest, ...agents],
};
