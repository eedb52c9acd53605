import type { HookEvent } from "../../../src/event.ts";
import { AgentExecutor } from "../../../src/executors/agent/agent-executor.ts";
import { type ConfinedFolder, openFolder } from "../../../src/executors/agent/confined-folder.ts";
import { runTool } from "../../../src/executors/agent/run-tool.ts";
import type { ToolPlace, ToolResult } from "../../../src/executors/agent/tool.ts";
import type { WaitingDisk } from "../../../src/files/disk.ts";
import type { Opener } from "../../../src/files/opened-file.ts";
import type { JsonObject, JsonValue } from "../../../src/json.ts";
import type { ModelAnswer, ModelFunction, ModelRequest } from "../../../src/models/model.ts";
import { Models } from "../../../src/models/models.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeEvent, makeRule } from "../../helpers/rules.ts";

export async function confined(cwd: string, opener?: Opener, disk?: WaitingDisk): Promise<ConfinedFolder> {
  const opened = await openFolder(cwd, opener, disk);
  if (!opened.ok) throw new Error(opened.reason);
  return opened.folder;
}

export async function placeIn(cwd: string, parts: Partial<ToolPlace> = {}): Promise<ToolPlace> {
  return { folder: await confined(cwd), redacts: false, stop: new Stop(), ...parts };
}

export function callTool(place: ToolPlace, name: string, input: JsonValue): Promise<ToolResult> {
  return runTool({ id: "1", name, input }, place);
}

type Call = readonly [name: string, input: JsonValue];
/** The calls of one turn, a whole answer, or a function that answers the request. */
export type Turn = readonly Call[] | Partial<ModelAnswer> | ((request: ModelRequest) => Turn | Promise<Turn>);

export const say = (ok: boolean, reason = "because", more: JsonObject = {}): Call => [
  "answer",
  { ok, reason, ...more },
];

async function answerOf(turn: Turn, request: ModelRequest): Promise<ModelAnswer> {
  if (typeof turn === "function") return answerOf(await turn(request), request);
  const parts: Partial<ModelAnswer> = Array.isArray(turn)
    ? { calls: (turn as readonly Call[]).map(([name, input], at) => ({ id: `call-${at}`, name, input })) }
    : (turn as Partial<ModelAnswer>);
  const calls = parts.calls ?? [];
  const end = calls.length > 0 ? "calls" : "done";
  return { text: "", calls, end, inputTokens: 10, outputTokens: 5, ...parts };
}

interface Scripted {
  readonly models: Models;
  /** The requests as JSON, which is what has left the machine. */
  readonly sent: string[];
  readonly requests: ModelRequest[];
}

/** Returns a model that answers with these turns in order, and repeats the last one. */
export function scripted(...turns: readonly Turn[]): Scripted {
  const sent: string[] = [];
  const requests: ModelRequest[] = [];
  const run: ModelFunction = (request) => {
    requests.push(request);
    sent.push(JSON.stringify(request));
    return answerOf(turns[Math.min(requests.length, turns.length) - 1] as Turn, request);
  };
  return { models: new Models({ functions: { scripted: run } }), sent, requests };
}

export function agentRule(handler: Partial<HandlerOf<"agent">> = {}, parts: Partial<Rule> = {}): Rule {
  return makeRule({
    handler: {
      type: "agent",
      model: "scripted/one",
      choice: { provider: { kind: "function", name: "scripted" }, model: "one" },
      prompt: "Is this right? $ARGUMENTS",
      redacts: false,
      maxTurns: 50,
      maxTokens: 200_000,
      ...handler,
    },
    ...parts,
  });
}

export const callEvent = (cwd: JsonValue, command = "ls"): HookEvent =>
  makeEvent("PreToolUse", { session_id: "s", cwd, tool_name: "Bash", tool_input: { command } });

export async function runAgainst(
  { models }: Scripted,
  cwd: JsonValue,
  handler: Partial<HandlerOf<"agent">> = {},
  signal = new Stop(),
): Promise<RunResult> {
  return new AgentExecutor(models).run(agentRule(handler), callEvent(cwd), { signal, timeLeftMs: 5_000 });
}

/** Returns the results of one turn's calls, as the model received them in the next request. */
export function resultsIn(request: ModelRequest | undefined): readonly ToolResult[] {
  const last = request?.messages.at(-1);
  if (last?.role !== "results") throw new Error("there are no results");
  return last.results;
}
