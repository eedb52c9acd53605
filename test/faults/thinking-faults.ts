import type { FailureKind } from "../../src/outcome.ts";
import type { FaultDialect, FaultEvent } from "./expected-meaning.ts";
import type { Fault, FaultKit, HookEntry } from "./faults.ts";
import { ECHOED } from "./faulty-model.ts";

/** Every way in which hooks can fail that ask a model or an MCP server, and built-in hooks. */

const OURS: readonly FaultDialect[] = ["hookbox"];
const WITH_TOOLS: readonly FaultDialect[] = ["hookbox", "claude-code"];
const WITH_JUDGES: readonly FaultDialect[] = ["hookbox", "claude-code", "patterns"];
const WITH_MODELS: readonly FaultDialect[] = ["hookbox", "docker-agent"];

/** No agent is known to ask a model about a notification. */
const AT: readonly FaultEvent[] = ["PreToolUse", "Stop", "PostToolUse"];

type Row = readonly [name: string, kind: FailureKind, asked: string, more?: Partial<Fault>];

/** For everything that asks a model. */
const PROVIDERS: readonly Row[] = [
  ["hangs", "timeout", "stub/hangs", { isTooSlow: true }],
  ["has no key", "unavailable", "keyless/small"],
  ["is not there", "unavailable", "gone/small"],
  ["answers with status 401", "unavailable", "stub/status-401"],
  ["answers with status 429 for ever", "unavailable", "stub/status-429"],
  ["answers with status 500", "unavailable", "stub/status-500"],
  ["breaks off", "unavailable", "stub/breaks-off"],
  ["throws", "trap", "own/throws"],
  ["rejects with nothing", "trap", "own/rejects-with-nothing"],
  ["returns junk", "invalid-output", "own/returns-junk"],
  ["speaks another protocol", "invalid-output", "stub/another-protocol"],
  ["refuses to answer", "invalid-output", "stub/refuses"],
  ["is cut off", "invalid-output", "stub/is-cut-off"],
  ["is asked from within a hook that thinks", "unavailable", "stub/hangs", { needs: "to be within a hook" }],
  ["is given up meanwhile", "cancelled", "stub/hangs", { cancels: "meanwhile" }],
  ["is given up before", "cancelled", "stub/hangs", { cancels: "before" }],
];

/** For those that read an answer as text. */
const WORDS: readonly Row[] = [
  ["answers with nothing", "invalid-output", "stub/says-nothing"],
  ["answers in other words", "invalid-output", "stub/says-yes-in-words"],
  ["answers to another question", "invalid-output", "stub/wrong-schema"],
  ["answers with a field of the wrong type", "invalid-output", "stub/wrong-type"],
  ["answers with a word that nobody knows", "invalid-output", "stub/unknown-word"],
  ["contradicts itself", "invalid-output", "stub/contradicts-itself"],
  ["says a key twice", "invalid-output", "stub/says-a-key-twice"],
  [
    "echoes a permission",
    "invalid-output",
    "stub/echoes-the-event",
    { payload: { tool_input: { command: `echo '${ECHOED}'` } } },
  ],
  ["says too much", "output-too-large", "stub/says-too-much"],
];

/** The carrier of a text does not change its meaning: once is sufficient. */
const WIRES: readonly Row[] = [
  ["hangs half way", "timeout", "stub/hangs-half-way", { isTooSlow: true }],
  ["hangs half way in a stream", "timeout", "stream/hangs-half-way", { isTooSlow: true }],
  ["drips for ever", "timeout", "stub/drips-for-ever", { isTooSlow: true }],
  ["wants a long wait", "timeout", "stub/wants-a-long-wait", { isTooSlow: true }],
  ["never settles", "timeout", "own/never-settles", { isTooSlow: true }],
  ["answers late", "timeout", "own/answers-late", { isTooSlow: true }],
  ["answers with broken JSON", "invalid-output", "stub/broken-json"],
  ["answers with broken events", "invalid-output", "stream/broken-events"],
  ["speaks Anthropic's words brokenly", "invalid-output", "anthropic-stub/another-protocol"],
  ["floods", "output-too-large", "stub/floods"],
];

const QUESTION = "May this run? $ARGUMENTS";
const TEMPLATE = "May this run? {{ .ToolInput | toJSON }}";

const judges = [...PROVIDERS, ...WORDS].map(asking("prompt", WITH_JUDGES, { prompt: QUESTION }));
const wires = WIRES.map(asking("prompt", OURS, { prompt: QUESTION }));
const deciders = [...PROVIDERS, ...WORDS].map(
  asking("model", WITH_MODELS, { prompt: TEMPLATE, schema: "pre_tool_use_decision" }),
);
const writers = PROVIDERS.filter(([, , asked]) => asked.startsWith("stub/status")).map(
  asking("model (text)", WITH_MODELS, { type: "model", prompt: "What is this?" }),
);
const agents = [
  ...PROVIDERS,
  ...([
    ["runs out of turns", "turns", "own/calls-unknown-tools"],
    ["takes more tokens than it may", "turns", "own/takes-all-tokens"],
    ["never calls a tool", "invalid-output", "own/never-calls"],
    ["never calls a tool of a provider's", "invalid-output", "stub/never-calls"],
    ["has no folder to look at", "unavailable", "own/never-calls", { payload: { cwd: "/nowhere/at/all" } }],
    ["has the kernel's folder to look at", "unavailable", "own/never-calls", { payload: { cwd: "/proc/self" } }],
  ] satisfies Row[]),
].map(asking("agent", WITH_JUDGES, { prompt: QUESTION }));

/** `type` may name more than the entry's own type. */
function asking(type: string, dialects: readonly FaultDialect[], fields: HookEntry): (row: Row) => Fault {
  return ([name, kind, asked, more]) => ({
    type,
    name,
    kind,
    // Only hookbox's own format bounds an agent's turns.
    hook: (_, dialect) => ({
      type,
      model: asked,
      ...fields,
      ...(type === "agent" && dialect === "hookbox" ? { maxTurns: 3 } : {}),
    }),
    dialects,
    at: AT,
    ...more,
  });
}

const say = (text: string): HookEntry => ({ tool: "say", input: { texts: [text] } });

const TOOLS: readonly (readonly [string, FailureKind, server: string, HookEntry, Partial<Fault>?])[] = [
  ["hangs", "timeout", "well", { tool: "hangs" }, { isTooSlow: true }],
  ["hangs in the handshake", "timeout", "silent", { tool: "pid" }, { isTooSlow: true }],
  ["is of a server that is not there", "unavailable", "missing", { tool: "pid" }],
  ["is of a server that exits at once", "unavailable", "exits", { tool: "pid" }],
  ["dies", "unavailable", "dies", { tool: "dies" }],
  ["throws", "exit", "well", { tool: "throws" }],
  ["reports an error", "exit", "well", { tool: "fails" }],
  ["is none of the server's", "unavailable", "well", { tool: "nobody" }],
  ["floods", "output-too-large", "floods", { tool: "floods" }],
  ["gives a picture", "invalid-output", "well", { tool: "image" }],
  ["says broken JSON", "invalid-output", "well", say('{"decision":}')],
  ["says a field of the wrong type", "invalid-output", "well", say('{"continue":"no"}')],
  ["says a decision that nobody knows", "invalid-output", "well", say('{"decision":"blok"}')],
  ["is asked with too much", "capability", "well", { tool: "echo", input: { said: "x".repeat(1_100_000) } }],
  ["is of a web server that is not there", "unavailable", "http-gone", { tool: "pid" }],
  ["is of a web server with status 500", "unavailable", "http-status-500", { tool: "pid" }],
  ["is of a web server that hangs", "timeout", "http-hangs", { tool: "pid" }, { isTooSlow: true }],
  ["is of a web server where nobody may send", "capability", "http-inwards", { tool: "pid" }],
  ["is asked from within a hook that thinks", "unavailable", "well", { tool: "pid" }, { needs: "to be within a hook" }],
  ["is given up meanwhile", "cancelled", "well", { tool: "hangs" }, { cancels: "meanwhile" }],
  ["is given up before", "cancelled", "well", { tool: "pid" }, { cancels: "before" }],
];

const tools: readonly Fault[] = TOOLS.map(([name, kind, server, fields, more]) => ({
  type: "mcp_tool",
  name,
  kind,
  hook: () => ({ type: "mcp_tool", server, ...fields }),
  dialects: WITH_TOOLS,
  at: AT,
  ...more,
}));

type Called = readonly [name: string, ...args: string[]];

/** Each at an event where its built-in has work to do. Any other problem in one is a note. */
const BUILTINS: readonly (readonly [string, FailureKind, (kit: FaultKit) => Called, Partial<Fault>?])[] = [
  ["posts to who hangs", "timeout", ({ server }) => ["http_post", server.url("hangs"), "hi"], { isTooSlow: true }],
  ["posts to where nobody may send", "capability", () => ["http_post", "http://169.254.169.254/latest", "hi"]],
  ["posts to no address", "capability", () => ["http_post", "not an address", "hi"]],
  ["runs a git that hangs", "timeout", () => ["add_git_status"], { isTooSlow: true, at: ["UserPromptSubmit"] }],
  ["counts what nobody counts", "unavailable", () => ["max_iterations", "3"], { at: ["BeforeModelCall"] }],
  [
    "fills a template with what is not there",
    "capability",
    () => ["add_context", "{{ .ToolInput.a.b }}"],
    { at: ["UserPromptSubmit"] },
  ],
  [
    "posts and is given up meanwhile",
    "cancelled",
    ({ server }) => ["http_post", server.url("hangs"), "hi"],
    { cancels: "meanwhile" },
  ],
  ["is given up before", "cancelled", () => ["snapshot"], { cancels: "before" }],
];

const builtins: readonly Fault[] = BUILTINS.map(([name, kind, called, more]) => ({
  type: "builtin",
  name,
  kind,
  hook: (kit, dialect) => {
    const [builtin, ...args] = called(kit);
    return dialect === "docker-agent"
      ? { type: "builtin", command: builtin, args }
      : { type: "function", run: `builtin:${builtin}`, args };
  },
  dialects: ["hookbox", "docker-agent"],
  at: AT,
  ...more,
}));

export const THINKING_FAULTS: readonly Fault[] = [
  ...judges,
  ...wires,
  ...deciders,
  ...writers,
  ...agents,
  ...tools,
  ...builtins,
];
