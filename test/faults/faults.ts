import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "../../src/json.ts";
import type { FailureKind } from "../../src/outcome.ts";
import { answering, guest } from "../helpers/guests.ts";
import type { FaultDialect, FaultEvent } from "./expected-meaning.ts";
import type { FaultyServer, Misbehaviour } from "./faulty-server.ts";
import { THINKING_FAULTS } from "./thinking-faults.ts";

/** Every way in which a hook of each type can fail, as data. */

/** What hooks are made from. */
export interface FaultKit {
  readonly folder: string;
  readonly server: FaultyServer;
  readonly closedPort: number;
}

/** An entry of a configuration; a function only for the type `function`. */
export type HookEntry = Readonly<Record<string, JsonValue | ((...event: never[]) => unknown)>>;

export interface Fault {
  readonly type: string;
  readonly name: string;
  readonly kind: FailureKind;
  /** Returns an entry for a file of that dialect. */
  readonly hook: (kit: FaultKit, dialect: FaultDialect) => HookEntry;
  /** The dialects whose files can have such a hook. */
  readonly dialects: readonly FaultDialect[];
  /** Replaces the usual executor, if no configuration causes the failure. */
  readonly needs?: "no room for detached hooks" | "a full queue" | "to be within a hook";
  /** The caller cancels before the event, or while the hook runs. */
  readonly cancels?: "before" | "meanwhile";
  /** Whether the rule only waits for its own short deadline. */
  readonly isTooSlow?: boolean;
  readonly payload?: Readonly<Record<string, unknown>>;
  /** The only events that can have such a hook. */
  readonly at?: readonly FaultEvent[];
  /** Dialects in which the hook is skipped without a failure at events that cannot refuse. */
  readonly onlyAtGates?: readonly FaultDialect[];
}

const OURS: readonly FaultDialect[] = ["hookbox"];
const EVERYBODY: readonly FaultDialect[] = [
  "hookbox",
  "claude-code",
  "docker-agent",
  "agentao",
  "autohand",
  "patterns",
];
/** Agentao knows no wrong types: it reads a field's value as true or false. */
const TYPED = EVERYBODY.filter((dialect) => dialect !== "agentao");
const WITH_ARGS: readonly FaultDialect[] = ["hookbox", "claude-code"];
const WITH_HTTP: readonly FaultDialect[] = ["hookbox", "claude-code", "patterns"];
/** These have no web hooks, but a file of hookbox's own format may have a web hook in their dialect. */
const SPOKEN: readonly FaultDialect[] = ["autohand"];

const MISSING = "./no-such-program-anywhere";
const FLOOD = "head -c 1100000 /dev/zero";

/** Shell text, and the resulting failure. */
const SCRIPTS: readonly (readonly [string, FailureKind, string, Partial<Fault>?])[] = [
  ["hangs", "timeout", "exec sleep 30", { isTooSlow: true }],
  ["hangs with a child that holds the output", "timeout", "sleep 30 & exec sleep 30", { isTooSlow: true }],
  ["is not there", "spawn", `exec ${MISSING}`],
  ["is killed", "signal", "kill -9 $$"],
  ["allows and is killed", "signal", `printf '{"decision":"approve"}'; kill -9 $$`],
  ["ends with 1", "exit", "echo no >&2; exit 1"],
  ["floods its output", "output-too-large", FLOOD],
  ["prints broken JSON", "invalid-output", `printf '{"decision":}'`],
  ["prints bad UTF-8", "invalid-output", `printf '{"reason":"\\377"}'`],
  ["prints a field of the wrong type", "invalid-output", `printf '{"continue":"no"}'`, { dialects: TYPED }],
  [
    "prints a decision that nobody knows",
    "invalid-output",
    `printf '{"decision":"blok"}'`,
    { onlyAtGates: ["agentao"] },
  ],
  ["is given up meanwhile", "cancelled", "exec sleep 30", { cancels: "meanwhile" }],
  ["is given up before", "cancelled", "exit 0", { cancels: "before" }],
];

const shellForm: readonly Fault[] = SCRIPTS.map(([name, kind, command, more]) => ({
  type: "command (shell)",
  name,
  kind,
  hook: () => ({ type: "command", command }),
  dialects: EVERYBODY,
  ...more,
}));

const execForm: readonly Fault[] = SCRIPTS.map(([name, kind, text, more]) => ({
  type: "command (exec)",
  name,
  kind,
  hook: () =>
    kind === "spawn"
      ? { type: "command", command: MISSING, args: [] }
      : { type: "command", command: "/bin/sh", args: ["-c", text] },
  ...more,
  dialects: WITH_ARGS,
}));

const detached: Fault = {
  type: "command (shell)",
  name: "detaches itself where there is no room",
  kind: "unavailable",
  hook: () => ({ type: "command", command: `echo '{"async":true}'; exec sleep 30` }),
  dialects: WITH_HTTP,
  needs: "no room for detached hooks",
};

const ANSWERS: readonly (readonly [string, FailureKind, Misbehaviour, Partial<Fault>?])[] = [
  ["hangs", "timeout", "hangs", { isTooSlow: true }],
  ["hangs half way", "timeout", "hangs-half-way", { isTooSlow: true }],
  ["answers with status 500", "unavailable", "status-500"],
  ["resets the connection", "unavailable", "resets"],
  ["breaks off", "unavailable", "breaks-off"],
  ["redirects in circles", "unavailable", "redirects-in-circles"],
  ["redirects to where nobody may send", "capability", "redirects-inwards"],
  ["floods", "output-too-large", "floods"],
  ["answers with text", "invalid-output", "text", { dialects: [...WITH_HTTP, "autohand"] }],
  ["answers with broken JSON", "invalid-output", "broken-json"],
  ["answers with bad UTF-8", "invalid-output", "bad-utf-8"],
  ["answers with a field of the wrong type", "invalid-output", "wrong-type", { dialects: [...WITH_HTTP, "autohand"] }],
  ["answers with a decision that nobody knows", "invalid-output", "unknown-decision"],
  ["is given up meanwhile", "cancelled", "hangs", { cancels: "meanwhile" }],
  ["is given up before", "cancelled", "ok", { cancels: "before" }],
];

const http: readonly Fault[] = [
  ...ANSWERS.map(
    ([name, kind, behaviour, more]): Fault => ({
      type: "http",
      name,
      kind,
      hook: ({ server }) => ({ type: "http", url: server.url(behaviour) }),
      dialects: [...WITH_HTTP, ...SPOKEN],
      ...more,
    }),
  ),
  {
    type: "http",
    name: "is not there",
    kind: "unavailable",
    hook: (kit) => ({ type: "http", url: `http://127.0.0.1:${kit.closedPort}/` }),
    dialects: [...WITH_HTTP, ...SPOKEN],
  },
  ...["http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::ffff:192.168.0.1]/"].map(
    (url): Fault => ({
      type: "http",
      name: `is at ${url}`,
      kind: "capability",
      hook: () => ({ type: "http", url }),
      dialects: [...WITH_HTTP, ...SPOKEN],
    }),
  ),
];

const never = (): Promise<never> => new Promise(() => {});
function spin(): null {
  const end = performance.now() + 200;
  while (performance.now() < end) {
    // A function that never awaits cannot be stopped.
  }
  return null;
}

const FUNCTIONS: readonly (readonly [string, FailureKind, () => unknown, Partial<Fault>?])[] = [
  ["never answers", "timeout", never, { isTooSlow: true }],
  ["answers too late, having held up everything", "timeout", spin, { isTooSlow: true }],
  [
    "throws",
    "trap",
    () => {
      throw new Error("no");
    },
  ],
  ["rejects with nothing", "trap", () => Promise.reject(undefined)],
  ["answers with a text", "invalid-output", () => "allow"],
  ["answers with what is no JSON", "invalid-output", () => ({ decision: () => "approve" })],
  ["answers with a field of the wrong type", "invalid-output", () => ({ continue: "no" })],
  ["answers with a decision that nobody knows", "invalid-output", () => ({ decision: "blok" })],
  ["is shown what cannot be copied", "unavailable", () => null, { payload: { when: new Date(0) } }],
  ["is given up meanwhile", "cancelled", never, { cancels: "meanwhile" }],
  ["is given up before", "cancelled", () => null, { cancels: "before" }],
];

const functions: readonly Fault[] = FUNCTIONS.map(([name, kind, run, more]) => ({
  type: "function",
  name,
  kind,
  hook: () => ({ type: "function", run }),
  dialects: OURS,
  ...more,
}));

/** It cannot break, so that it can only be cancelled. */
const context: Fault = {
  type: "context",
  name: "is given up before",
  kind: "cancelled",
  hook: () => ({ type: "context", text: "be careful" }),
  dialects: OURS,
  cancels: "before",
};

/** Agentao's type for the same, at the one event that accepts it. */
const prompt: Fault = {
  type: "prompt",
  name: "is given up before",
  kind: "cancelled",
  hook: () => ({ type: "prompt", prompt: "be careful" }),
  dialects: ["agentao"],
  cancels: "before",
  at: ["UserPromptSubmit"],
};

const LOOPS = "allows-then-loops-for-ever";
const BAD_UTF_8 = Uint8Array.from([...Buffer.from('{"reason":"'), 0xff, ...Buffer.from('"}')]);
type Module = string | { readonly puts: string | Uint8Array };

const GUARDS: readonly (readonly [string, FailureKind, Module, HookEntry?, Partial<Fault>?])[] = [
  [
    "loops beyond its deadline",
    "timeout",
    "divides-for-ever",
    { limits: { fuel: 2_000_000_000 } },
    { isTooSlow: true },
  ],
  ["loops beyond its fuel", "fuel", LOOPS, { limits: { fuel: 10_000 } }],
  ["traps", "trap", "traps"],
  ["allows and traps", "trap", "allows-then-traps"],
  ["reads beyond its blocks", "trap", "reads-beyond-its-blocks"],
  ["calls itself without end", "stack", "recurses-for-ever"],
  ["grows to its limit", "memory", "grows-to-its-limit", { limits: { memoryMiB: 1 } }],
  ["returns 1", "exit", "allows-and-returns-1"],
  ["reports an error", "exit", "allows-then-reports-an-error"],
  ["says nothing", "no-output", "says-nothing"],
  ["says too much", "output-too-large", "denies", { limits: { outputBytes: 2 } }],
  ["puts out broken JSON", "invalid-output", { puts: '{"decision":"approve"' }],
  ["puts out bad UTF-8", "invalid-output", { puts: BAD_UTF_8 }],
  ["puts out a field of the wrong type", "invalid-output", { puts: '{"continue":"no"}' }],
  ["puts out a decision that nobody knows", "invalid-output", { puts: '{"decision":"blok"}' }],
  ["wants what it was not granted", "capability", "imports-wasi"],
  ["is not what was reviewed", "integrity", "allows", { sha256: "0".repeat(64) }],
  ["is not there", "unavailable", ""],
  ["finds no thread", "unavailable", LOOPS, { limits: { fuel: 500_000_000 } }, { needs: "a full queue" }],
  ["is given up meanwhile", "cancelled", LOOPS, { limits: { fuel: 2_000_000_000 } }, { cancels: "meanwhile" }],
  ["is given up before", "cancelled", "allows", {}, { cancels: "before" }],
];

const guards: readonly Fault[] = GUARDS.map(([name, kind, module, fields = {}, more]) => ({
  type: "wasm",
  name,
  kind,
  hook: ({ folder }) => {
    const file = join(folder, `${name.replaceAll(" ", "-")}.wasm`);
    if (module !== "") writeFileSync(file, typeof module === "string" ? guest(module) : answering(module.puts));
    return { type: "wasm", module: file, ...fields };
  },
  dialects: OURS,
  ...more,
}));

const UNANSWERED = "whose model nobody answers for";
const UNKNOWN_KEY = "whose matcher has a key that nobody knows";

/** Hooks that cannot run as configured, and are refused by name. */
const refused: readonly Fault[] = (
  [
    ["mcp_tool", "whose server nobody knows", { server: "policy", tool: "judge" }, WITH_ARGS],
    ["prompt", UNANSWERED, { model: "nowhere/small", prompt: "May this run?" }, WITH_HTTP],
    ["agent", UNANSWERED, { model: "nowhere/small", prompt: "May this run?" }, WITH_HTTP],
    [
      "mcp_tool",
      "whose server nobody knows, that is to be passed over",
      { server: "p", tool: "j", onFailure: "continue" },
      WITH_ARGS,
    ],
    ["model", UNANSWERED, { model: "nowhere/small", prompt: "May this run?" }, ["docker-agent"]],
    ["builtin", "that nobody knows", { command: "no_such_builtin" }, ["docker-agent"]],
    ["builtin", "without its args", { command: "http_post" }, ["docker-agent"]],
    ["function", "that names no built-in", { run: "builtin:no_such_builtin" }, OURS],
    ["command", "that names no built-in", { command: "builtin:no_such_builtin" }, ["autohand"]],
    ["command", "that is written wrongly", { command: 5 }, EVERYBODY],
    ["command", "without a command", {}, ["agentao", "autohand"]],
    ["command", "whose matcher cannot be read", { command: "exit 0", matcher: "(" }, ["agentao", "autohand"]],
    ["command", UNKNOWN_KEY, { command: "exit 0", matcher: { tools: "Bash" } }, ["agentao"]],
    ["command", "whose filter has a key that nobody knows", { command: "exit 0", filter: { tools: [] } }, ["autohand"]],
    ["command", "whose deadline is no number", { command: "exit 0", timeout: "soon" }, ["autohand"]],
    ["http", "that is written wrongly", { url: 5 }, [...WITH_HTTP, "agentao"]],
    ["agent", "that its agent skips", { prompt: "May this run?" }, ["agentao"]],
    // Autohand has one type and no name for it.
    ["comand", "of no known type", {}, EVERYBODY.filter((dialect) => dialect !== "autohand")],
  ] as const
).map(([type, name, fields, dialects]) => ({
  type: `${type} (refused)`,
  name,
  kind: "unavailable",
  hook: () => ({ type, ...fields }),
  dialects,
  ...(type === "command" && name !== UNKNOWN_KEY ? {} : { onlyAtGates: ["agentao"] }),
}));

export const FAULTS: readonly Fault[] = [
  ...shellForm,
  detached,
  ...execForm,
  ...http,
  ...functions,
  context,
  prompt,
  ...guards,
  ...refused,
  ...THINKING_FAULTS,
];
