import type { JsonObject } from "../../src/json.ts";
import type { CliResult } from "./cli.ts";

/**
 * What each agent sends before a tool call, and how it reads its hook's reply. Written from the agents' pages, without
 * any code of hookbox: the other side of the protocol.
 */

/** What the agent does after the hook's reply. */
export type Next = "runs the tool" | "asks its user" | "refuses";

/** The output of a hook process, which is all that an agent sees. */
export type Said = Pick<CliResult, "exitCode" | "stdout" | "stderr">;

export interface AgentByHand {
  readonly dialect: string;
  /** `directory`: the working directory of this one command, in the field that the agent's tool has for it. */
  shell(command: string, directory?: string): JsonObject;
  /** The payload of a call of any tool, by the agent's own names. */
  call(tool: string, input: JsonObject): JsonObject;
  write(path: string): JsonObject;
  next(said: Said): Next;
  /** For an agent that cannot ask its user: what a question becomes. */
  readonly asking?: Next;
}

const WORKING_DIRECTORY = "/home/ann/shop";

/** Empty standard output is an object without fields. Anything else has to be JSON. */
function printed({ stdout }: Said): JsonObject {
  return stdout.trim() === "" ? {} : (JSON.parse(stdout) as JsonObject);
}

function field(object: JsonObject, name: string): JsonObject {
  return (object[name] ?? {}) as JsonObject;
}

function byWord(word: unknown): Next {
  if (word === "deny" || word === "block") return "refuses";
  return word === "ask" ? "asks its user" : "runs the tool";
}

const claudeCall = (tool: string, input: JsonObject): JsonObject => ({
  session_id: "5c1e",
  transcript_path: "/home/me/.claude/5c1e.jsonl",
  cwd: WORKING_DIRECTORY,
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: tool,
  tool_input: input,
  tool_use_id: "toolu_1",
});

const claudeWords = {
  call: claudeCall,
  // Claude Code has no such field; agents that send Claude Code's payloads do.
  shell: (command: string, directory?: string) =>
    claudeCall("Bash", { command, description: "do it", ...(directory === undefined ? {} : { workdir: directory }) }),
  write: (path: string) => claudeCall("Write", { file_path: path, content: "x" }),
};

/** Exit code 2 refuses; JSON counts with exit code 0; everything else is no answer. */
function nextOfClaude(said: Said): Next {
  if (said.exitCode === 2) return "refuses";
  if (said.exitCode !== 0) return "runs the tool";
  const reply = printed(said);
  return byWord(field(reply, "hookSpecificOutput")["permissionDecision"] ?? reply["decision"]);
}

const dockerCall = (tool_name: string, tool_input: JsonObject): JsonObject => ({
  session_id: "9a2",
  cwd: WORKING_DIRECTORY,
  hook_event_name: "pre_tool_use",
  agent_name: "root",
  tool_name,
  tool_use_id: "call_7",
  tool_input,
});

const agentaoCall = (toolName: string, toolInput: JsonObject): JsonObject => ({
  event: "PreToolUse",
  data: { toolName, toolInput, sessionId: "ao-3" },
});

const autohandCall = (tool_name: string, tool_input: JsonObject): JsonObject => ({
  session_id: "ah-1",
  cwd: WORKING_DIRECTORY,
  hook_event_name: "pre-tool",
  tool_name,
  tool_input,
  tool_use_id: "t1",
  tool_response: null,
  file_path: null,
});

const openclawCall = (toolName: string, params: JsonObject): JsonObject => ({
  hook: "before_tool_call",
  event: { toolName, params, runId: "r1", toolCallId: "c1" },
  ctx: { agentId: "main", sessionKey: "main:1" },
});

export const AGENTS: readonly AgentByHand[] = [
  { dialect: "hookbox", ...claudeWords, next: nextOfClaude },
  { dialect: "claude-code", ...claudeWords, next: nextOfClaude },
  {
    dialect: "docker-agent",
    call: dockerCall,
    shell: (cmd, directory = ".") => dockerCall("shell", { cmd, cwd: directory }),
    write: (path) => dockerCall("write_file", { path, content: "x" }),
    next(said) {
      if (said.exitCode === 2) return "refuses";
      // Any other exit code refuses.
      if (said.exitCode !== 0) return "refuses";
      const reply = printed(said);
      return byWord(field(reply, "hook_specific_output")["permission_decision"] ?? reply["decision"]);
    },
  },
  {
    dialect: "agentao",
    call: agentaoCall,
    shell: (command, directory) =>
      agentaoCall("Bash", { command, ...(directory === undefined ? {} : { working_directory: directory }) }),
    write: (path) => agentaoCall("Write", { file_path: path, content: "x" }),
    // No exit code stops a tool; JSON is read with any exit code.
    next: (said) => byWord(field(printed(said), "hookSpecificOutput")["permissionDecision"]),
  },
  {
    dialect: "autohand",
    call: autohandCall,
    shell: (command, directory) =>
      autohandCall("run_command", { command, ...(directory === undefined ? {} : { directory }) }),
    write: (path) => autohandCall("write_file", { path, contents: "x" }),
    // From the agent's page: 2 blocks, other codes do not; JSON counts with exit code 0.
    next(said) {
      if (said.exitCode === 2) return "refuses";
      return said.exitCode === 0 ? byWord(printed(said)["decision"]) : "runs the tool";
    },
  },
  {
    dialect: "openclaw",
    call: openclawCall,
    shell: (command, workdir = WORKING_DIRECTORY) => openclawCall("exec", { command, workdir }),
    write: (path) => openclawCall("write", { path, content: "x" }),
    // The plugin passes the object on. Without an object the hook has failed, and the call is blocked.
    next(said) {
      if (said.exitCode !== 0) return "refuses";
      const { block, requireApproval } = printed(said);
      if (block === true) return "refuses";
      return requireApproval === undefined ? "runs the tool" : "asks its user";
    },
  },
  {
    dialect: "patterns",
    ...claudeWords,
    next(said) {
      if (said.exitCode === 2) return "refuses";
      return said.exitCode === 0 ? byWord(printed(said)["decision"]) : "runs the tool";
    },
    asking: "refuses",
  },
];

/** The agents that a payload identifies. Claude Code is included and the two agents with the same payload are not. */
export const RECOGNISABLE = AGENTS.filter(({ dialect }) => dialect !== "hookbox" && dialect !== "patterns");

export const agentNamed = (dialect: string): AgentByHand =>
  AGENTS.find((agent) => agent.dialect === dialect) as AgentByHand;
