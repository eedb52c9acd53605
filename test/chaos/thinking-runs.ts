import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { FailureKind } from "../../src/index.ts";
import type { ModelFunction } from "../../src/models/model.ts";
import { answerBadly } from "../faults/faulty-model.ts";
import type { FaultyServer } from "../faults/faulty-server.ts";
import { MCP_SERVER } from "../helpers/mcp-server.ts";
import type { StubModel, StubModelAnswers } from "../helpers/stub-model.ts";
import type { Act } from "./mixed-runs.ts";

/** Hooks that ask models, agents and MCP servers, and built-in ones; most of them misbehave. */

const SLOW_MS = 100;
/** Never reached by working hooks. */
const PATIENT_MS = 60_000;

const NO = { ok: false, reason: "it deploys" };

/** An agent's model reads a file before it answers. */
const look = [{ name: "read", input: { path: "notes.txt" } }];
const answer = [{ name: "answer", input: NO }];

export const answerOrNot: StubModelAnswers = (request) => {
  const { model, messages, tools } = request.body;
  if (model !== "well") return answerBadly(request);
  if (tools === undefined) return { text: JSON.stringify(NO) };
  return { calls: JSON.stringify(messages).includes("the notes say so") ? answer : look };
};

const numbered = (calls: typeof look | typeof answer) => calls.map((call) => ({ ...call, id: "1" }));

/** A model of the embedder's, by the names of its models. */
export const own: ModelFunction = async ({ model, messages, tools }, { signal }) => {
  if (model === "hangs") return new Promise(() => {});
  if (model === "throws") throw new Error("no");
  if (model === "answers-late") await new Promise((resolve) => signal.addEventListener("abort", resolve));
  if (tools === undefined) return JSON.stringify(NO);
  const calls = numbered(model === "reads-for-ever" || messages.length === 1 ? look : answer);
  return { text: "", calls, end: "calls", inputTokens: 1, outputTokens: 1 };
};

interface Repositories {
  readonly well: string;
  /** A git that prints nothing, and does not end. */
  readonly stuck: string;
  /** PATH with that git first. */
  readonly searchPath: string;
}

export function makeRepositories(folder: string, marker: string): Repositories {
  const [well, stuck, bin] = ["well", "stuck", "bin"].map((name) => join(folder, name)) as [string, string, string];
  for (const path of [well, stuck, bin]) mkdirSync(path);
  for (const path of [well, stuck]) {
    execFileSync("git", ["init", "--quiet", path]);
    writeFileSync(join(path, "notes.txt"), "the notes say so\n");
  }
  execFileSync("git", ["add", "notes.txt"], { cwd: well });
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh
HOOKBOX_CHAOS=${marker}; export HOOKBOX_CHAOS
case "$PWD" in ${stuck}*) sleep 600 & trap '' TERM; while :; do sleep 1; done;; esac
exec ${git} "$@"
`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  return { well, stuck, searchPath: `${bin}${delimiter}${process.env["PATH"]}` };
}

/** Providers and servers, by the names that the acts use. */
export function whoIsAsked(stub: StubModel, marker: string): object {
  const openai = { type: "openai", baseUrl: `${stub.url}/v1`, apiKeyEnv: null };
  // A separate name, because equal ones are one server.
  const server = (NAME: string, MODE = ""): object => ({
    command: process.execPath,
    args: [MCP_SERVER],
    env: { NAME, MODE, HOOKBOX_CHAOS: marker },
  });
  const modes = ["grandchild", "ignores-sigterm", "exits", "silent", "floods-stderr"];
  return {
    modelProviders: {
      stub: openai,
      stream: { ...openai, stream: true },
      anthropic: { type: "anthropic", baseUrl: stub.url, apiKeyEnv: null },
    },
    mcpServers: {
      ...Object.fromEntries(modes.map((mode) => [mode, server(mode, mode)])),
      ...Object.fromEntries(["well", "blocked", "dies", "floods"].map((name) => [name, server(name)])),
    },
  };
}

export function makeThinkingActs({ well, stuck }: Repositories, web: FaultyServer): readonly Act[] {
  const slow = { timeoutMs: SLOW_MS };
  const act = (tool: string, hook: object, kinds: readonly (FailureKind | undefined)[] = [undefined]): Act => ({
    tool,
    hooks: [{ timeoutMs: PATIENT_MS, ...hook }],
    kinds,
    payload: { cwd: well },
    weight: 2,
  });
  const prompt = (model: string, more = {}): object => ({ type: "prompt", model, prompt: "May it?", ...more });
  const agent = (model: string, more = {}): object => ({ type: "agent", model, prompt: "May it?", ...more });
  const tool = (server: string, name: string, more = {}): object => ({
    type: "mcp_tool",
    server,
    tool: name,
    ...more,
  });
  const ours = (name: string, more = {}): object => ({ type: "function", run: `builtin:${name}`, ...more });
  const template = { type: "model", prompt: "{{ .ToolName }}?" };
  let edits = 0;

  return [
    act("prompt-answers", prompt("stub/well")),
    act("prompt-answers-in-a-stream", prompt("stream/well")),
    act("prompt-answers-by-anthropic", prompt("anthropic/well")),
    act("prompt-hangs", prompt("stub/hangs", slow), ["timeout"]),
    act("prompt-hangs-half-way", prompt("stub/hangs-half-way", slow), ["timeout"]),
    act("prompt-drips-for-ever", prompt("stream/drips-for-ever", slow), ["timeout"]),
    act("prompt-waits-for-another-try", prompt("stub/wants-a-long-wait", slow), ["timeout"]),
    act("prompt-breaks-off", prompt("stub/breaks-off"), ["unavailable"]),
    act("prompt-is-refused", prompt("stub/status-401"), ["unavailable"]),
    act("prompt-of-own-answers", prompt("own/well")),
    act("prompt-of-own-hangs", prompt("own/hangs", slow), ["timeout"]),
    act("prompt-of-own-throws", prompt("own/throws"), ["trap"]),
    act("prompt-of-own-answers-late", prompt("own/answers-late", slow), ["timeout"]),
    act("async-prompt-hangs", prompt("stub/hangs", { ...slow, async: true })),
    act("model-answers", { ...template, model: "stub/well" }),
    act("model-decides-nothing", { ...template, model: "stub/well", schema: "pre_tool_use_decision" }, [
      "invalid-output",
    ]),
    act("model-hangs", { ...template, ...slow, model: "anthropic/hangs" }, ["timeout"]),
    act("agent-answers", agent("stub/well")),
    act("agent-hangs", agent("stub/hangs", slow), ["timeout"]),
    act("agent-of-own-answers", agent("own/well")),
    act("agent-of-own-reads-for-ever", agent("own/reads-for-ever", { maxTurns: 5 }), ["turns"]),
    act("agent-of-own-hangs", agent("own/hangs", slow), ["timeout"]),
    act("tool-answers", tool("well", "slow")),
    act("tool-hangs", tool("well", "hangs", slow), ["timeout"]),
    act("tool-throws", tool("well", "throws"), ["exit"]),
    act("tool-of-a-stubborn-server", tool("ignores-sigterm", "slow")),
    act("tool-of-a-server-with-children", tool("grandchild", "slow")),
    act("tool-of-a-chatty-server", tool("floods-stderr", "slow")),
    act("tool-blocks-its-server", tool("blocked", "blocks", slow), ["timeout", "unavailable"]),
    act("tool-of-a-server-that-exits", tool("exits", "pid"), ["unavailable"]),
    act("tool-of-a-mute-server", tool("silent", "pid", slow), ["timeout"]),
    act("tool-dies", tool("dies", "dies"), ["unavailable"]),
    { ...act("tool-floods", tool("floods", "floods"), ["output-too-large", "unavailable"]), weight: 1 },
    act("git-status", ours("add_git_status")),
    { ...act("git-status-hangs", ours("add_git_status", slow), ["timeout"]), payload: { cwd: stuck } },
    // It gives up before its deadline, if there is time for that.
    { ...act("snapshot-hangs", ours("snapshot", slow), [undefined, "timeout"]), payload: { cwd: stuck } },
    // One after another, and each runs git a dozen times.
    {
      ...act("snapshot", ours("snapshot")),
      weight: 1,
      before: () => {
        edits += 1;
        writeFileSync(join(well, `edit-${edits % 3}.txt`), `edit ${edits}\n`);
      },
    },
    { ...act("snapshot-has-too-little-time", ours("snapshot", { timeoutMs: 30 }), [undefined, "timeout"]) },
    {
      ...act("long-result", ours("limit_large_tool_results")),
      event: "PostToolUse",
      payload: { cwd: well, tool_response: "line\n".repeat(40_000) },
    },
    act("post-hangs", ours("http_post", { ...slow, args: [web.url("hangs"), "hello"] }), ["timeout"]),
  ];
}
