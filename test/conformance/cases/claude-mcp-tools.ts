import type { CaseFamily, Expectation, JsonObject, Kit, RunCase } from "../case.ts";
import { at, command, decision, prints, specific } from "../claude-hooks.ts";

/** MCP tools as hooks: a real server, with a hook that calls one tool. */

const PRE = "PreToolUse";

const tool = (kit: Kit, name: string, input: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  type: "mcp_tool",
  server: kit.mcp("server"),
  tool: name,
  input,
  ...more,
});
const says = (kit: Kit, output: JsonObject | string, more: JsonObject = {}): JsonObject =>
  tool(kit, "say", { texts: [typeof output === "string" ? output : JSON.stringify(output)] }, more);

const failed = (kind: string): Expectation => ({
  verdict: { decision: "none", continue: true, rules: [{ onFailure: "continue", failure: { kind } }] },
});
const refused = (kind: string): Expectation => ({
  verdict: { decision: "deny", continue: true, rules: [{ onFailure: "deny", failure: { kind } }] },
});

interface Failing {
  readonly kind: string;
  readonly hook: (kit: Kit, more: JsonObject) => JsonObject;
  /** It goes on by default, as to the letter: it is only an exit code. */
  readonly goesOn?: true;
  /** Problems of the configuration itself. */
  readonly problems?: readonly string[];
}

const FAILING: Readonly<Record<string, Failing>> = {
  "an error of the tool's": { kind: "exit", goesOn: true, hook: (kit, more) => tool(kit, "fails", {}, more) },
  "a picture": { kind: "invalid-output", hook: (kit, more) => tool(kit, "image", {}, more) },
  "a server that dies": { kind: "unavailable", hook: (kit, more) => tool(kit, "dies", {}, more) },
  "a tool that there is not": {
    kind: "unavailable",
    hook: (kit, more) => tool(kit, "nothing", {}, more),
    problems: ["HOOK_MCP_SERVER"],
  },
  "a server that is not up": {
    kind: "unavailable",
    hook: (kit, more) => ({ type: "mcp_tool", server: kit.mcp("gone", "exits"), tool: "say", ...more }),
    problems: ["HOOK_MCP_SERVER"],
  },
  "JSON of another shape": { kind: "invalid-output", hook: (kit, more) => says(kit, { continue: "yes" }, more) },
  "broken JSON": { kind: "invalid-output", hook: (kit, more) => says(kit, "{oops}", more) },
  "no answer in time": { kind: "timeout", hook: (kit, more) => tool(kit, "hangs", {}, { ...more, timeout: 2 }) },
};

/** No opinion, unless the hook blocks on failure: then an answer was required. */
const UNSAID: Readonly<Record<string, string>> = {
  "plain text": "looks fine",
  "JSON that is no hook's": JSON.stringify({ verdict: "fine" }),
};

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const failing: readonly RunCase[] = Object.entries(FAILING).flatMap(
  ([title, { kind, hook, goesOn, problems }]): RunCase[] => {
    const told = (expected: Expectation): Expectation => ({
      ...expected,
      ...(problems === undefined ? {} : { problems }),
    });
    return [
      {
        id: `MT1/${slug(title)}`,
        title,
        matrix: "an MCP tool without an answer, at a gate",
        config: (kit) => at(PRE, hook(kit, {})),
        expect:
          goesOn === true
            ? { either: told(failed(kind)) }
            : { default: told(refused(kind)), faithful: told(failed(kind)) },
      },
      {
        id: `MT2/${slug(title)}`,
        title,
        matrix: "an MCP tool without an answer, with onFailure: block",
        config: (kit) => at(PRE, hook(kit, { onFailure: "block" })),
        expect: { either: told(refused(kind)) },
      },
    ];
  },
);

const unsaid: readonly RunCase[] = Object.entries(UNSAID).flatMap(([title, text]): RunCase[] => [
  {
    id: `MT3/${slug(title)}`,
    title,
    matrix: "an MCP tool's answer without a reply field is no opinion",
    config: (kit) => at(PRE, says(kit, text)),
    expect: {
      either: { verdict: { decision: "none", continue: true, additionalContext: null }, reply: { stdout: "" } },
    },
  },
  {
    id: `MT2/${slug(title)}`,
    title,
    matrix: "an MCP tool without an answer, with onFailure: block",
    config: (kit) => at(PRE, says(kit, text, { onFailure: "block" })),
    expect: { either: refused("invalid-output") },
  },
]);

const CONTEXT = { plain: "mind the step", output: { verdict: { additionalContext: /mind the step$/ } } };

const answers: readonly RunCase[] = [
  {
    id: "MT4",
    title: "an MCP tool's denial as JSON",
    config: (kit) => at(PRE, says(kit, decision("deny", "not now"))),
    expect: {
      verdict: { decision: "deny", reason: /: not now$/ },
      reply: {
        exitCode: 0,
        stdout: { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: /not now$/ } },
      },
    },
  },
  {
    id: "MT5",
    title: "an MCP tool's permission as JSON, with a new input",
    config: (kit) =>
      at(PRE, says(kit, specific(PRE, { permissionDecision: "allow", updatedInput: { command: "ls -l" } }))),
    expect: { verdict: { decision: "allow", updatedInput: { command: "ls -l" } } },
  },
  {
    id: "MT6",
    title: "hookbox joins several texts of an MCP tool",
    config: (kit) => at(PRE, tool(kit, "say", { texts: ['{"systemMessage":', '"in two"}'] })),
    expect: { verdict: { decision: "none", systemMessage: /in two$/ } },
  },
  {
    id: "MT7",
    title: "an MCP tool's structured content counts if the answer has no text",
    config: (kit) =>
      at(PRE, tool(kit, "result", { result: { content: [], structuredContent: decision("deny", "structured") } })),
    expect: { verdict: { decision: "deny", reason: /: structured$/ } },
  },
  {
    id: "MT8/text",
    title: "as plain text",
    matrix: "an MCP tool's text for the model, at an event that takes text",
    event: "UserPromptSubmit",
    config: (kit) => at("UserPromptSubmit", says(kit, CONTEXT.plain)),
    expect: CONTEXT.output,
  },
  {
    id: "MT8/json",
    title: "as JSON",
    matrix: "an MCP tool's text for the model, at an event that takes text",
    event: "UserPromptSubmit",
    config: (kit) =>
      at("UserPromptSubmit", says(kit, specific("UserPromptSubmit", { additionalContext: CONTEXT.plain }))),
    expect: CONTEXT.output,
  },
  {
    id: "MT9",
    title: "an MCP tool replaces a tool's output",
    event: "PostToolUse",
    payload: { tool_name: "mcp__files__read", tool_response: "long" },
    config: (kit) => at("PostToolUse", says(kit, specific("PostToolUse", { updatedMCPToolOutput: "short" }))),
    expect: { verdict: { decision: "none", updatedOutput: "short" } },
  },
  {
    id: "MT10",
    title: "an MCP tool blocks after a tool has run, with a reason for the model",
    event: "PostToolUse",
    config: (kit) => at("PostToolUse", says(kit, { decision: "block", reason: "look again" })),
    expect: { verdict: { decision: "block", reason: /: look again$/ }, reply: { stdout: { decision: "block" } } },
  },
  {
    id: "MT11",
    title: "hookbox also asks an MCP server at an address",
    config: (kit) => at(PRE, { type: "mcp_tool", server: kit.httpMcp("far"), tool: "judge" }),
    expect: { verdict: { decision: "deny", reason: /: not over here$/ } },
  },
];

/** The server answers with its input. */
const told = (id: string, title: string, text: string, expected: string | RegExp): RunCase => ({
  id: `MT12/${id}`,
  title,
  matrix: "a field of the event replaces ${PATH} in texts of the input",
  event: "UserPromptSubmit",
  payload: { prompt: "Why ${cwd}?", parts: { list: [{ name: "first" }, { name: "second" }], count: 3 } },
  config: (kit) => at("UserPromptSubmit", tool(kit, "say", { texts: [text] })),
  expect: { verdict: { additionalContext: expected } },
});

const substitutions: readonly RunCase[] = [
  told("field", "a field", "at ${hook_event_name}", /: at UserPromptSubmit$|^at UserPromptSubmit$/),
  told("list", "a place in a list", "${parts.list.1.name}", /second$/),
  told(
    "number",
    "what is no text is JSON",
    "${parts.count} in ${parts.list}",
    /3 in \[\{"name":"first"\},\{"name":"second"\}\]$/,
  ),
  told("missing", "what is missing is nothing", "<${parts.none}${nothing.at.all}>", /<>$/),
  told("again", "what a field holds is not looked at again", "${prompt}", /Why \$\{cwd\}\?$/),
  told("dollar", "any other $ is itself", "$prompt costs $5", /\$prompt costs \$5$/),
];

const running: readonly RunCase[] = [
  {
    id: "MT13",
    title: "an MCP tool runs in parallel with other hooks, and every hook runs to its end",
    config: (kit) =>
      at(
        PRE,
        says(kit, decision("deny", "no")),
        command(kit, "waits", `sleep 0.05; ${prints(decision("allow"))}`),
        says(kit, { systemMessage: "and a word" }),
      ),
    expect: {
      verdict: { decision: "deny", reason: /: no$/, systemMessage: /and a word$/ },
      runs: { waits: 1, server: 1 },
    },
  },
  {
    id: "MT14",
    title: "hooks and events share a single process of an MCP server",
    times: 2,
    atOnce: 5,
    config: (kit) => at(PRE, says(kit, {}), tool(kit, "pid")),
    expect: { verdict: { decision: "none" }, runs: { server: 1 } },
  },
  {
    id: "MT15",
    title: "a hook with an undefined MCP server fails by name, and its gate denies",
    config: () => at(PRE, { type: "mcp_tool", server: "nowhere", tool: "say" }),
    expect: { verdict: { decision: "deny", reason: /nowhere/ }, problems: ["HOOK_MCP_SERVER"] },
  },
  ...["SessionStart", "Setup"].map(
    (event): RunCase => ({
      id: `MT16/${event}`,
      title: `at ${event}`,
      matrix: "a failure of an MCP tool blocks nothing at an event that cannot be blocked, with every onFailure",
      event,
      config: (kit) => at(event, tool(kit, "fails", {}, { onFailure: "block" })),
      expect: {
        verdict: { decision: "none", continue: true },
        reply: { exitCode: 0 },
        problems: ["HOOK_CONFIG_INERT"],
      },
    }),
  ),
];

export const claudeMcpTools: CaseFamily = {
  title: "Claude Code: tools of MCP servers as hooks",
  source: "Hooks reference (2.1.295), MCP tool hooks; types of the agent SDK 0.3.329",
  note: "The MCP server in these cases is real. The server is a process that uses its standard streams, or streamable HTTP on this machine.",
  dialect: "claude-code",
  cases: [...answers, ...substitutions, ...failing, ...unsaid, ...running],
};
