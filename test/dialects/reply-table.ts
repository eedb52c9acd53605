import type { JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";

/**
 * hookbox's replies to a tool call, by dialect and kind of answer: the bytes, the exit code, and what each real client
 * did with them. docs/replies.md is written from this file; test/dialects checks the bytes, test/agents the outcomes.
 */

export const REASON = "no-prod: names production";
export const TEXT = "policy: say please";
export const INSTEAD = { command: "touch instead", description: "another step" };

/** The kinds of answer of a verdict. */
export const VERDICTS = {
  deny: { decision: "deny", reason: REASON },
  ask: { decision: "ask", reason: REASON },
  rewrite: { updatedInput: INSTEAD },
  context: { additionalContext: TEXT },
  stop: { decision: "deny", reason: REASON, continue: false, stopReason: REASON },
  "cannot judge": { cancelled: true },
} as const satisfies Readonly<Record<string, Partial<Verdict>>>;

/** The kinds of answer without a verdict of a rule. */
const FAULTS = ["broken configuration", "unknown payload"] as const;

type Kind = keyof typeof VERDICTS | (typeof FAULTS)[number];
export const KINDS = [...Object.keys(VERDICTS), ...FAULTS] as readonly Kind[];

export interface Cell {
  /** `null`: nothing is printed. */
  readonly stdout: JsonObject | null;
  /** Whether the reason is on standard error. */
  readonly stderr: boolean;
  readonly exitCode: number;
}

const json = (stdout: JsonObject): Cell => ({ stdout, stderr: false, exitCode: 0 });
const code2: Cell = { stdout: null, stderr: true, exitCode: 2 };
const specific = (fields: JsonObject): JsonObject => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", ...fields },
});
const dockers = (fields: JsonObject): JsonObject => ({
  hook_specific_output: { hook_event_name: "pre_tool_use", ...fields },
});
const DENIES = specific({ permissionDecision: "deny", permissionDecisionReason: REASON });
const STOPS = { continue: false, stopReason: REASON };

/** For a payload that no dialect recognises. `REASON` is hookbox's own message. */
const ANY: Cell = {
  stdout: {
    blockingError: REASON,
    ...DENIES,
    block: true,
    blockReason: REASON,
    cancel: true,
    outcome: "block",
    reason: REASON,
    decision: "block",
  },
  stderr: true,
  exitCode: 2,
};

const CLAUDE: Readonly<Record<Kind, Cell>> = {
  deny: json(DENIES),
  ask: json(specific({ permissionDecision: "ask", permissionDecisionReason: REASON })),
  rewrite: json(specific({ updatedInput: INSTEAD })),
  context: json(specific({ additionalContext: TEXT })),
  stop: { stdout: { ...STOPS, ...DENIES }, stderr: true, exitCode: 2 },
  "cannot judge": code2,
  "broken configuration": code2,
  "unknown payload": ANY,
};

const BLOCKS: Cell = {
  stdout: { decision: "block", reason: REASON, ...specific({ permissionDecision: "deny" }) },
  stderr: true,
  exitCode: 2,
};
const BLOCKS_OPENCLAW = { block: true, blockReason: REASON };

export const REPLIES: Readonly<Record<string, Readonly<Record<Kind, Cell>>>> = {
  hookbox: CLAUDE,
  "claude-code": CLAUDE,
  "docker-agent": {
    deny: json(dockers({ permission_decision: "deny", permission_decision_reason: REASON })),
    ask: json(dockers({ permission_decision: "ask", permission_decision_reason: REASON })),
    rewrite: json(dockers({ updated_input: INSTEAD })),
    context: json(dockers({ additional_context: TEXT })),
    stop: json(dockers({ permission_decision: "deny", permission_decision_reason: REASON })),
    "cannot judge": code2,
    "broken configuration": code2,
    "unknown payload": ANY,
  },
  agentao: {
    deny: json(DENIES),
    ask: json(specific({ permissionDecision: "ask", permissionDecisionReason: REASON })),
    rewrite: { stdout: null, stderr: false, exitCode: 0 },
    context: json(specific({ additionalContext: TEXT })),
    stop: json(DENIES),
    "cannot judge": json(DENIES),
    "broken configuration": { stdout: DENIES, stderr: true, exitCode: 2 },
    "unknown payload": ANY,
  },
  autohand: {
    deny: json({ decision: "deny", reason: REASON }),
    ask: json({ decision: "ask", reason: REASON }),
    rewrite: json({ updatedInput: INSTEAD }),
    context: json({ additionalContext: TEXT }),
    stop: json({ decision: "deny", reason: REASON, ...STOPS }),
    "cannot judge": code2,
    "broken configuration": code2,
    "unknown payload": ANY,
  },
  openclaw: {
    deny: json(BLOCKS_OPENCLAW),
    ask: json({ requireApproval: { title: "Run a tool", description: REASON } }),
    rewrite: json({ params: INSTEAD }),
    context: json({}),
    stop: json(BLOCKS_OPENCLAW),
    "cannot judge": json(BLOCKS_OPENCLAW),
    "broken configuration": { stdout: BLOCKS_OPENCLAW, stderr: true, exitCode: 2 },
    "unknown payload": ANY,
  },
  patterns: {
    deny: BLOCKS,
    ask: BLOCKS,
    rewrite: json(specific({ updatedInput: INSTEAD })),
    context: json(specific({ additionalContext: TEXT })),
    stop: {
      stdout: { decision: "block", reason: REASON, ...STOPS, ...specific({ permissionDecision: "deny" }) },
      stderr: true,
      exitCode: 2,
    },
    "cannot judge": code2,
    "broken configuration": code2,
    "unknown payload": ANY,
  },
};

/** The source for how an agent reads replies, for dialects whose agents were not run. */
export const READ_IN: Readonly<Record<string, string>> = {
  "docker-agent": "docker-agent's own Go tests, September 2026",
  agentao: "Agentao's Python code, August 2026",
  autohand: "Autohand's TypeScript code, August 2026",
  openclaw: "OpenClaw 2026.9.6, which obeyed an object from a plugin",
};

/** The clients that were run, with their versions. */
export const CLIENTS_RUN = {
  "claude 2.1.197": "Claude Code 2.1.197",
  "claude 2.1.330": "Claude Code 2.1.330",
  codex: "Codex 0.169.0",
  qwen: "Qwen Code 0.24.4",
  copilot: "Copilot CLI 1.0.102",
  kimi: "Kimi Code 2.1.0",
  gemini: "Gemini CLI 0.61.0",
} as const;
export type ClientRun = keyof typeof CLIENTS_RUN;

/**
 * The result for the call. `changed`: the rewritten call runs. `told`: the call runs, and the model receives the text.
 */
export type Outcome = "refused" | "runs" | "changed" | "told";

/** The subject of a session with hookbox as its hook. */
export type Case = Exclude<Kind, "cannot judge"> | "nothing" | "looping guard";

const row = (claude: Outcome, others: Outcome, more: Partial<Record<ClientRun, Outcome>> = {}) => ({
  "claude 2.1.197": claude,
  "claude 2.1.330": claude,
  codex: others,
  qwen: others,
  copilot: others,
  kimi: others,
  // Its events have their own names, so no dialect reads its payloads.
  gemini: "refused" as Outcome,
  ...more,
});

const SHUT = row("refused", "refused");

/** By `--dialect` and case: what each client did with the call, with hookbox as its hook. */
export const OUTCOMES: Readonly<
  Record<"claude-code" | "patterns" | "auto", Readonly<Record<Case, Readonly<Record<ClientRun, Outcome>>>>>
> = {
  "claude-code": {
    nothing: row("runs", "runs"),
    deny: SHUT,
    ask: SHUT,
    rewrite: row("changed", "changed", { qwen: "refused", kimi: "refused" }),
    context: row("told", "told", { qwen: "runs", kimi: "runs" }),
    stop: SHUT,
    "looping guard": SHUT,
    "broken configuration": SHUT,
    "unknown payload": SHUT,
  },
  patterns: {
    nothing: row("runs", "runs"),
    deny: SHUT,
    ask: SHUT,
    rewrite: row("changed", "changed", { qwen: "refused", kimi: "refused" }),
    context: row("told", "told", { qwen: "runs", kimi: "runs" }),
    stop: SHUT,
    "looping guard": SHUT,
    "broken configuration": SHUT,
    "unknown payload": SHUT,
  },
  auto: {
    nothing: row("runs", "refused"),
    deny: SHUT,
    ask: SHUT,
    rewrite: row("changed", "refused"),
    context: row("told", "refused"),
    stop: SHUT,
    "looping guard": SHUT,
    "broken configuration": SHUT,
    "unknown payload": SHUT,
  },
};

/** How one client reads a hook's output: whether the tool does not run. */
interface Reading {
  readonly what: string;
  readonly prints: JsonObject | null;
  /** With 2, the reason is on standard error. */
  readonly exitCode: 0 | 2;
  readonly refused: Readonly<Record<ClientRun, boolean>>;
}

const ALL: Readonly<Record<ClientRun, boolean>> = {
  "claude 2.1.197": true,
  "claude 2.1.330": true,
  codex: true,
  qwen: true,
  copilot: true,
  kimi: true,
  gemini: true,
};
const allBut = (...open: readonly ClientRun[]): Readonly<Record<ClientRun, boolean>> => ({
  ...ALL,
  ...Object.fromEntries(open.map((name) => [name, false])),
});

const says = (word: string, more: JsonObject = {}): JsonObject => ({
  ...more,
  ...specific({ permissionDecision: word, permissionDecisionReason: REASON }),
});

/** Measured without hookbox: the reasons for the form of the replies. */
export const READINGS: readonly Reading[] = [
  { what: "nothing", prints: null, exitCode: 2, refused: ALL },
  { what: "the refusal for any agent", prints: ANY.stdout, exitCode: 2, refused: ALL },
  { what: "`deny`", prints: says("deny"), exitCode: 0, refused: allBut("gemini") },
  { what: "`deny`", prints: says("deny"), exitCode: 2, refused: allBut("gemini") },
  { what: "`deny` and `continue: false`", prints: says("deny", STOPS), exitCode: 0, refused: allBut("codex") },
  { what: "`deny` and `continue: false`", prints: says("deny", STOPS), exitCode: 2, refused: ALL },
  {
    what: "`deny` and `suppressOutput`",
    prints: says("deny", { suppressOutput: true }),
    exitCode: 0,
    refused: allBut("codex", "gemini"),
  },
  {
    what: "`deny` and `updatedInput`",
    prints: specific({ permissionDecision: "deny", permissionDecisionReason: REASON, updatedInput: INSTEAD }),
    exitCode: 0,
    refused: allBut("codex", "gemini"),
  },
  {
    what: "`deny` and an unknown field",
    prints: says("deny", { blockingError: REASON }),
    exitCode: 0,
    refused: allBut("codex", "gemini"),
  },
  { what: "`ask`", prints: says("ask"), exitCode: 0, refused: allBut("codex", "kimi", "gemini") },
  {
    what: "`defer`",
    prints: says("defer"),
    exitCode: 0,
    refused: allBut("codex", "qwen", "copilot", "kimi", "gemini"),
  },
  {
    what: '`"decision": "deny"`',
    prints: { decision: "deny", reason: REASON },
    exitCode: 2,
    refused: allBut("claude 2.1.197"),
  },
  {
    what: '`permissionDecision: "block"`, `"decision": "block"`',
    prints: { decision: "block", reason: REASON, ...specific({ permissionDecision: "block" }) },
    exitCode: 2,
    refused: allBut("claude 2.1.197"),
  },
  {
    what: "`deny` with another event's name",
    prints: {
      hookSpecificOutput: { hookEventName: "Stop", permissionDecision: "deny", permissionDecisionReason: REASON },
    },
    exitCode: 2,
    refused: allBut("claude 2.1.197", "gemini"),
  },
  { what: "`blockingError` alone", prints: { blockingError: REASON }, exitCode: 2, refused: allBut("gemini") },
  {
    what: "`continue: false` alone",
    prints: STOPS,
    exitCode: 0,
    refused: allBut("claude 2.1.197", "claude 2.1.330", "codex", "copilot", "kimi"),
  },
];
