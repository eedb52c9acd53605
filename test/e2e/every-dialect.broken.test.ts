import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/dialects/registry.ts";
import { isJsonObject, type JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";
import fc from "../helpers/fc.ts";
import { answering } from "../helpers/guests.ts";
import { sampleOf } from "../helpers/tier.ts";
import { AGENTS, type AgentByHand, agentNamed, RECOGNISABLE, type Said } from "./agents-by-hand.ts";
import { inProcess } from "./in-process.ts";

/**
 * Payloads that are broken in small and large ways: none lets a guarded call through, and each refusal says what is
 * wrong.
 */

const DENIES_ALL = {
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "never" },
};

let folder: string;
let config: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-broken-"));
  config = join(folder, "hookbox.json");
  writeFileSync(join(folder, "never.wasm"), answering(JSON.stringify(DENIES_ALL)));
  const hooks = [{ type: "wasm", module: "./never.wasm", timeoutMs: 10_000 }];
  writeFileSync(config, JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The field of the payload that names its event. */
const EVENT_FIELD: Readonly<Record<string, string>> = { agentao: "event", openclaw: "hook" };
const eventField = (dialect: string): string => EVENT_FIELD[dialect] ?? "hook_event_name";
/** The object with the tool's name and input, and the names of both fields. */
const TOOL_FIELDS: Readonly<Record<string, readonly [string | undefined, string, string]>> = {
  agentao: ["data", "toolName", "toolInput"],
  openclaw: ["event", "toolName", "params"],
};

function withTool(
  dialect: string,
  payload: JsonObject,
  change: (tool: JsonObject, name: string) => JsonObject,
): JsonObject {
  const [inside, name] = TOOL_FIELDS[dialect] ?? [undefined, "tool_name"];
  return inside === undefined
    ? change(payload, name)
    : { ...payload, [inside]: change(payload[inside] as JsonObject, name) };
}

const without = ({ [""]: _, ...object }: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Returns an agent whose payloads have another form. */
const stranger = (dialect: string): AgentByHand =>
  agentNamed(dialect === "docker-agent" ? "claude-code" : "docker-agent");

function brokenFor(agent: AgentByHand): readonly (readonly [string, string, RegExp])[] {
  const { dialect } = agent;
  const real = agent.shell("ls");
  const name = eventField(dialect);
  return [
    ["nothing", "", /empty/],
    ["no JSON", "rm -rf /", /<stdin>:1:1: HOOK_PAYLOAD_INVALID: the payload is not valid JSON/],
    ["half of it", JSON.stringify(real).slice(0, -9), /not valid JSON/],
    ["a list", JSON.stringify([real]), /must be a JSON object/],
    ["a text", '"PreToolUse"', /must be a JSON object/],
    ["no event", JSON.stringify(without(real, name)), /HOOK_PAYLOAD_INVALID: .*no (hook_event_name|event|hook)/],
    ["an event that is a number", JSON.stringify({ ...real, [name]: 7 }), new RegExp(`${name} must be a string`)],
    ["an event of nobody", JSON.stringify({ ...real, [name]: "BeforeNothing" }), /BeforeNothing/],
    ["no tool", JSON.stringify(withTool(dialect, real, without)), /needs the field "tool_name"|tool_?name/i],
    [
      "a tool that is a list",
      JSON.stringify(withTool(dialect, real, (tool, field) => ({ ...tool, [field]: ["Bash"] }))),
      /needs the field "tool_name"|must be a string/i,
    ],
    [
      "another agent's call",
      JSON.stringify(stranger(dialect).shell("ls")),
      new RegExp(`--dialect ${stranger(dialect).dialect}`),
    ],
  ];
}

describe.each(AGENTS.map((agent) => [agent.dialect, agent] as const))("%s is refused", (dialect, agent) => {
  test.each(brokenFor(agent))("%s, with the reason", async (_, stdin, message) => {
    const result = await inProcess(["run", "--config", config, "--dialect", dialect], { stdin });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
    expect(agent.next(result)).toBe("refuses");
  });

  test.each(
    sampleOf(
      [...RECOGNISABLE].filter((other) => other.dialect !== dialect),
      3,
      () => dialect,
    ),
  )("a call of $dialect, unless it has the same form", async (other) => {
    const stdin = JSON.stringify(other.shell("ls"));
    const result = await inProcess(["run", "--config", config, "--dialect", dialect], { stdin });
    // It is refused whether or not it was understood.
    expect(agent.next(result)).toBe("refuses");
    if (result.exitCode === 2 && other.dialect !== "claude-code")
      expect(result.stderr).toContain(`--dialect ${other.dialect}`);
  });
});

describe("with --dialect auto", () => {
  const real = agentNamed("claude-code").shell("ls");
  test.each<[string, unknown, RegExp]>([
    ["no event", without(real, "hook_event_name"), /matches no known agent: it has session_id/],
    ["an event of nobody", { ...real, hook_event_name: "BeforeNothing" }, /hook_event_name "BeforeNothing"/],
    ["an event that is a number", { ...real, hook_event_name: 7 }, /matches no known agent/],
    ["nothing", {}, /it has no fields/],
    [
      "two agents' at once",
      { ...real, ...agentNamed("openclaw").shell("ls") },
      /matches several agents, claude-code and openclaw: it has session_id/,
    ],
  ])("a payload of %s is refused, and its fields are named", async (_, payload, message) => {
    const stdin = JSON.stringify(payload);
    const result = await inProcess(["run", "--config", config, "--dialect", "auto"], { stdin });
    expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) });
    // The agent cannot be identified, and some agents ignore exit codes.
    for (const agent of AGENTS) expect([agent.dialect, agent.next(result)]).toEqual([agent.dialect, "refuses"]);
    expect(JSON.parse(result.stdout)).toMatchObject({
      block: true,
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(result.stderr).toMatch(/--dialect NAME: hookbox, claude-code, docker-agent/);
  });

  test("--event does not identify the agent, and opens no gate", async () => {
    const stdin = JSON.stringify({ tool_name: "Bash", tool_input: { command: "ls" } });
    const args = ["run", "--config", config, "--dialect", "auto", "--event", "Stop"];
    const result = await inProcess(args, { stdin });
    for (const agent of AGENTS) expect([agent.dialect, agent.next(result)]).toEqual([agent.dialect, "refuses"]);
  });
});

/** A call of the agent's with one or several mistakes in it, or a text that does not resemble a call. */
function mutated(agent: AgentByHand): fc.Arbitrary<string> {
  const names = Object.keys(DIALECTS[agent.dialect]?.eventNames ?? {});
  const keys = [
    "hook_event_name",
    "event",
    "hook",
    "data",
    "ctx",
    "tool_name",
    "toolName",
    "tool_input",
    "params",
    "command",
    "cmd",
    "id",
    "__proto__",
    "constructor",
  ];
  const value = fc.oneof(
    fc.constantFrom<fc.JsonValue>(...names, null, "", 0, [], {}, "Bash"),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom("take away", "replace", "add", "rename"),
    key: fc.constantFrom(...keys),
    value,
  });
  const ofCall = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const payload = structuredClone(agent.shell("ls")) as Record<string, unknown>;
    for (const { at, how, key, value } of changes) {
      // A copy, because a value that is changed later must not come to contain itself.
      const put = structuredClone(value);
      const objects = objectsIn(payload);
      const target = objects[at % objects.length] as Record<string, unknown>;
      const present = Object.keys(target);
      const chosen = present[at % Math.max(1, present.length)] ?? key;
      if (how === "take away") delete target[chosen];
      else if (how === "replace") target[chosen] = put;
      else if (how === "add") define(target, key, put);
      else {
        define(target, key, target[chosen]);
        delete target[chosen];
      }
    }
    return JSON.stringify(payload);
  });
  const cut = fc
    .tuple(ofCall, fc.nat(), fc.string({ maxLength: 3 }))
    .map(([text, at, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice(at % (text.length + 1)));
  const line = fc.oneof(
    { weight: 6, arbitrary: ofCall },
    { weight: 2, arbitrary: cut },
    { weight: 1, arbitrary: fc.json() },
  );
  return line.map((text) => text.replaceAll(/[\n\r]/g, " "));
}

function objectsIn(value: unknown): readonly object[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isJsonObject(value)) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** Sets a property as `JSON.parse` does, even for keys such as `__proto__` that assignment treats specially. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

describe("any input to a guard that denies everything", () => {
  test.each(AGENTS.map((agent) => [agent.dialect, agent] as const))(
    "as a call of %s: no tool call passes, and every line is answered",
    async (dialect, agent) => {
      await fc.assert(
        fc.asyncProperty(fc.array(mutated(agent), { minLength: 120, maxLength: 150 }), async (lines) => {
          const stdin = lines.map((line) => `${line}\n`).join("");
          const args = ["run", "--lines", "--config", config, "--dialect", dialect];
          const [spoken, judged] = await Promise.all([
            inProcess(args, { stdin }),
            inProcess([...args, "--json"], { stdin }),
          ]);
          expect([spoken.exitCode, judged.exitCode]).toEqual([0, 0]);
          const answers = parsedLines(spoken.stdout).filter((answer) => !("method" in answer));
          const verdicts = parsedLines(judged.stdout) as readonly { readonly verdict?: Verdict }[];
          expect([answers.length, verdicts.length]).toEqual([lines.length, lines.length]);
          for (const [index, { verdict }] of verdicts.entries()) {
            const [line, answer] = [lines[index], answers[index] as JsonObject];
            if (verdict === undefined) expect([line, isRefusal(agent, answer)]).toEqual([line, true]);
            else if (verdict.event === "PreToolUse") {
              expect([line, verdict.decision, agent.next(saidOn(dialect, answer))]).toEqual([line, "deny", "refuses"]);
            }
          }
        }),
        // Shrinking a hundred lines takes longer than a test may.
        { numRuns: Number(process.env["BROKEN_RUNS"] ?? 1), endOnFailure: true },
      );
    },
  );
});

const parsedLines = (text: string): readonly JsonObject[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);

/** Exit code 1 is for an event at which nothing can be refused. */
function isRefusal(agent: AgentByHand, answer: JsonObject): boolean {
  if (!("error" in answer)) return false;
  if (agent.dialect === "autohand" || answer["exitCode"] === 1) return true;
  // The refusal of a prompt has no field for a permission.
  if (agent.dialect === "agentao" && /^\{"blockingError":"./.test(String(answer["stdout"]))) return true;
  return agent.next(saidOn(agent.dialect, answer)) === "refuses";
}

function saidOn(dialect: string, answer: JsonObject): Said {
  if (dialect === "openclaw") return { exitCode: 0, stdout: JSON.stringify(answer), stderr: "" };
  return (dialect === "autohand" ? answer["result"] : answer) as unknown as Said;
}
