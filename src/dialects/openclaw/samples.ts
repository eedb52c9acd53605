import type { JsonObject } from "../../json.ts";
import {
  ANSWER,
  CALL_ID,
  COMMAND,
  CONTENT,
  FILE,
  LISTING,
  MODEL,
  type Payloads,
  PROMPT,
  payloadsOf,
  type Samples,
  SESSION_ID,
} from "../samples.ts";

/**
 * OpenClaw's events and contexts, with the fields of its documentation, or of its types if the documentation lists
 * none.
 */

const RUN_ID = "run-1";
const AGENT_ID = "main";
const SESSION_KEY = "agent:main:main";
const CHANNEL = "telegram";
const SENDER_ID = "user-1";
const MESSAGE_ID = "message-1";

interface Notice {
  readonly event: JsonObject;
  readonly ctx: JsonObject;
}

const TOOLS: readonly (readonly [string, JsonObject])[] = [
  ["exec", { command: COMMAND }],
  ["write", { path: FILE, content: CONTENT }],
  ["edit", { path: FILE, edits: [{ oldText: "42", newText: "43" }] }],
  ["read", { path: FILE }],
  ["apply_patch", { input: `*** Begin Patch\n*** Add File: ${FILE}\n+${CONTENT}*** End Patch\n` }],
  ["grep", { pattern: "answer", path: "src" }],
  ["find", { pattern: "*.ts", path: "src" }],
  ["ls", { path: "src" }],
  ["web_search", { query: "weather" }],
  ["web_fetch", { url: "https://example.com/" }],
  ["process", { action: "list" }],
  ["sessions_spawn", { task: PROMPT, label: "explorer" }],
];

const RESULT = { content: [{ type: "text", text: LISTING }] };
const SAID = { role: "assistant", content: [{ type: "text", text: ANSWER }] };
const ASKED = { role: "user", content: PROMPT };
const TALK = [ASKED, SAID];

const correlated = { agentId: AGENT_ID, sessionKey: SESSION_KEY, sessionId: SESSION_ID, runId: RUN_ID };

/** Returns the samples of a tool call. Its context names no working directory. */
function called(more: JsonObject): readonly Notice[] {
  return TOOLS.map(([toolName, params]) => ({
    event: { toolName, params, runId: RUN_ID, toolCallId: CALL_ID, ...more },
    ctx: correlated,
  }));
}

function persisted(): readonly Notice[] {
  return TOOLS.map(([toolName]) => ({
    event: { toolName, toolCallId: CALL_ID, message: { role: "toolResult", toolCallId: CALL_ID, toolName, ...RESULT } },
    ctx: { agentId: AGENT_ID, sessionKey: SESSION_KEY, toolName, toolCallId: CALL_ID },
  }));
}

const CALL = {
  runId: RUN_ID,
  callId: CALL_ID,
  sessionKey: SESSION_KEY,
  sessionId: SESSION_ID,
  provider: "example",
  model: MODEL,
  api: "messages",
  transport: "https",
};
const MODEL_RUN = { runId: RUN_ID, sessionId: SESSION_ID, provider: "example", model: MODEL };
const MESSAGE = { messageId: MESSAGE_ID, senderId: SENDER_ID };
const INBOUND = { content: PROMPT, channel: CHANNEL, ...MESSAGE, sessionKey: SESSION_KEY, isGroup: false };
const CHILD = "agent:main:subagent:1";
const SPAWN = { childSessionKey: CHILD, agentId: "explorer", label: "explorer", mode: "run", threadRequested: false };
const SKILL = { name: "example", skillKey: "example", description: "An example" };
const HASH = "0".repeat(64);
const PROPOSAL = { id: "proposal-1", kind: "create", revision: "1", revisionSha256: HASH };
const SKILL_FILE = { path: "SKILL.md", content: "# Example\n", encoding: "utf8", sha256: HASH, sizeBytes: 10 };
const ARTIFACT = {
  ...SKILL,
  skillFile: "/skills/example/SKILL.md",
  skillDir: "/skills/example",
  source: "workshop",
  revision: { contentSha256: HASH, treeSha256: HASH },
};

/** Events during an agent's run. */
const RUNS: Readonly<Record<string, Payloads>> = {
  before_model_resolve: [{ prompt: PROMPT, attachments: [] }],
  before_prompt_build: [{ prompt: PROMPT, messages: TALK }],
  agent_turn_prepare: [{ prompt: PROMPT, messages: TALK, queuedInjections: [] }],
  heartbeat_prompt_contribution: [{ sessionKey: SESSION_KEY, agentId: AGENT_ID, heartbeatName: "example" }],
  before_agent_start: [{ prompt: PROMPT, messages: TALK, runId: RUN_ID }],
  before_agent_run: [{ prompt: PROMPT, messages: TALK, channelId: CHANNEL, senderId: SENDER_ID }],
  before_agent_reply: [{ cleanedBody: PROMPT }],
  before_agent_finalize: [
    { runId: RUN_ID, sessionId: SESSION_ID, stopHookActive: false, lastAssistantMessage: ANSWER, messages: TALK },
  ],
  agent_end: [{ runId: RUN_ID, messages: TALK, success: true, durationMs: 4_000 }],
  model_call_started: [CALL],
  model_call_ended: [{ ...CALL, durationMs: 900, outcome: "completed", upstreamRequestIdHash: "0123456789ab" }],
  llm_input: [{ ...MODEL_RUN, systemPrompt: "You help.", prompt: PROMPT, historyMessages: [], imagesCount: 0 }],
  llm_output: [{ ...MODEL_RUN, assistantTexts: [ANSWER], lastAssistant: SAID, usage: { input: 900, output: 40 } }],
  before_compaction: [{ messageCount: 120, tokenCount: 90_000 }],
  after_compaction: [{ messageCount: 12, tokenCount: 4_000, compactedCount: 108 }],
  before_reset: [{ messages: TALK, reason: "reset" }],
  resolve_exec_env: [{ sessionKey: SESSION_KEY, toolName: "exec", host: "gateway" }],
};

/** Events of messages, whose context names the channel. */
const MESSAGES: Readonly<Record<string, Payloads>> = {
  inbound_claim: [INBOUND],
  message_received: [
    { from: SENDER_ID, content: PROMPT, threadId: "thread-1", ...MESSAGE, sessionKey: SESSION_KEY, metadata: {} },
  ],
  message_sending: [{ to: SENDER_ID, content: ANSWER, metadata: {} }],
  reply_payload_sending: [{ payload: { text: ANSWER }, kind: "final", channel: CHANNEL, sessionKey: SESSION_KEY }],
  message_sent: [{ to: SENDER_ID, content: ANSWER, success: true, messageId: "message-2" }],
  before_dispatch: [INBOUND],
  reply_dispatch: [
    {
      ctx: { Body: PROMPT, BodyForAgent: PROMPT },
      runId: RUN_ID,
      sessionKey: SESSION_KEY,
      inboundAudio: false,
      shouldRouteToOriginating: false,
      shouldSendToolSummaries: false,
      shouldSendFullToolDetails: false,
      sendPolicy: "allow",
    },
  ],
};

const CHANNELED = { channelId: CHANNEL, sessionKey: SESSION_KEY, runId: RUN_ID, ...MESSAGE };

/** Returns the samples of all other events, each with its own context. */
function others(cwd: string): Readonly<Record<string, readonly Notice[]>> {
  const session = { agentId: AGENT_ID, sessionId: SESSION_ID, sessionKey: SESSION_KEY };
  const gateway = { port: 18_789, config: {}, workspaceDir: cwd };
  const skills = { workspaceDir: cwd, agentId: AGENT_ID };
  const spawning = { requesterSessionKey: SESSION_KEY };
  const spawned = { ...spawning, runId: RUN_ID, childSessionKey: CHILD };
  const scan = { status: "ok", scannedFiles: 1, critical: 0, warn: 0, info: 0, findings: [] };
  const install = {
    targetType: "skill",
    targetName: "example",
    sourcePath: `${cwd}/example`,
    sourcePathKind: "directory",
    request: { kind: "skill-install", mode: "install" },
    builtinScan: scan,
    skill: { installId: "example" },
  };
  const bundle = { skillMd: SKILL_FILE, files: [], treeSha256: HASH };
  const changed = { action: "created", source: "workshop", occurredAt: "2026-01-01T00:00:00.000Z", after: ARTIFACT };
  return {
    before_tool_call: called({}),
    after_tool_call: called({ result: RESULT, durationMs: 12 }),
    tool_result_persist: persisted(),
    before_message_write: [
      {
        event: { message: SAID, sessionKey: SESSION_KEY, agentId: AGENT_ID },
        ctx: { agentId: AGENT_ID, sessionKey: SESSION_KEY },
      },
    ],
    session_start: [{ event: { sessionId: SESSION_ID, sessionKey: SESSION_KEY }, ctx: session }],
    session_end: [
      { event: { sessionId: SESSION_ID, sessionKey: SESSION_KEY, messageCount: 12, reason: "new" }, ctx: session },
    ],
    subagent_spawning: [{ event: SPAWN, ctx: spawning }],
    subagent_delivery_target: [
      {
        event: { childSessionKey: CHILD, requesterSessionKey: SESSION_KEY, expectsCompletionMessage: true },
        ctx: spawned,
      },
    ],
    subagent_spawned: [{ event: { ...SPAWN, runId: RUN_ID }, ctx: spawned }],
    subagent_ended: [
      {
        event: { targetSessionKey: CHILD, targetKind: "subagent", reason: "completed", runId: RUN_ID, outcome: "ok" },
        ctx: spawned,
      },
    ],
    gateway_start: [{ event: { port: 18_789 }, ctx: gateway }],
    gateway_stop: [{ event: { reason: "shutdown" }, ctx: gateway }],
    before_install: [{ event: install, ctx: { targetType: "skill", requestKind: "skill-install" } }],
    skill_proposal_evaluate: [
      { event: { proposal: PROPOSAL, skill: SKILL, candidate: bundle, reason: "created" }, ctx: skills },
    ],
    skill_changed: [{ event: changed, ctx: skills }],
  };
}

export const openclawSamples: Samples = (event, cwd) => {
  const run = { ...correlated, workspaceDir: cwd };
  const table = others(cwd);
  const notices: readonly Notice[] = [
    ...payloadsOf(RUNS, event).map((its) => ({ event: its, ctx: run })),
    ...payloadsOf(MESSAGES, event).map((its) => ({ event: its, ctx: CHANNELED })),
    ...(Object.hasOwn(table, event) ? (table[event] as readonly Notice[]) : []),
  ];
  return notices.map((one) => ({ hook: event, ...one }));
};
