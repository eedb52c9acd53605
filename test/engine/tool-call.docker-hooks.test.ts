import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  createEngine,
  type JsonObject,
  type PolicyAnswer,
  type ToolCallHost,
  type ToolCallResult,
} from "../../src/index.ts";

/** A tool call in an engine with docker-agent's dialect and hooks from docker-agent's own file. */

interface Called {
  readonly result: ToolCallResult;
  /** Returns the payload that a command hook wrote with `cat > NAME.json`. */
  payloadOf(name: string): JsonObject;
}

async function call(hooks: JsonObject, host: Partial<ToolCallHost> = {}): Promise<Called> {
  const cwd = mkdtempSync(join(tmpdir(), "hookbox-docker-call-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const file = join(cwd, "agent.yaml");
  writeFileSync(file, JSON.stringify({ hooks }));
  const configFiles = [{ file, layer: "user", dialect: "docker-agent" }] as const;
  const engine = await createEngine({ configFiles, dialect: "docker-agent", cwd });
  const asked = { toolName: "shell", toolUseId: "t1", input: { cmd: "ls" }, payload: { session_id: "s", cwd } };
  const result = await engine.toolCall(asked, { execute: () => "done", policy: () => MODE_ALLOWS, ...host });
  await engine.close();
  const payloadOf = (name: string) => JSON.parse(readFileSync(join(cwd, `${name}.json`), "utf8")) as JsonObject;
  return { result, payloadOf };
}

const MODE_ALLOWS: PolicyAnswer = { decision: "allow", source: "mode" };
const MODE_ASKS: PolicyAnswer = { decision: "ask", source: "mode" };

const command = (text: string): JsonObject => ({ type: "command", command: text });
const prints = (output: JsonObject): JsonObject => command(`echo '${JSON.stringify(output)}'`);
const AUDIT = { on_tool_approval_decision: [command("cat > decision.json")] };

describe("approval_source at on_tool_approval_decision", () => {
  test.each<[string, PolicyAnswer, Partial<ToolCallHost>]>([
    ["user_approved", MODE_ASKS, { askUser: () => ({ decision: "allow" }) }],
    ["user_approved_tool", MODE_ASKS, { askUser: () => ({ decision: "allow-always" }) }],
    ["user_rejected", MODE_ASKS, { askUser: () => ({ decision: "deny" }) }],
    ["readonly_hint", { decision: "allow", source: "read-only" }, {}],
    ["yolo", MODE_ALLOWS, {}],
    ["team_permissions_allow", { decision: "allow", source: "rule" }, {}],
    ["team_permissions_deny", { decision: "deny", source: "rule" }, {}],
    ["session_permissions_allow", { decision: "allow", source: "grant" }, {}],
    ["session_permissions_deny", { decision: "deny", source: "grant" }, {}],
    ["mode_balanced", { decision: "allow", source: "mode", label: "mode_balanced" }, {}],
  ])("is docker-agent's word %s", async (source, policy, host) => {
    const { payloadOf } = await call(AUDIT, { policy: () => policy, ...host });
    expect(payloadOf("decision")).toMatchObject({ approval_source: source });
  });

  test("is docker-agent's word for a refusal by a pre_tool_use hook", async () => {
    const hooks = { ...AUDIT, pre_tool_use: [{ hooks: [command("exit 2")] }] };
    const { payloadOf } = await call(hooks, { policy: () => MODE_ASKS });
    expect(payloadOf("decision")).toMatchObject({ approval_source: "pre_tool_use_hook_deny" });
  });
});

test("the payloads of a tool call have docker-agent's fields only", async () => {
  const { payloadOf } = await call({ ...AUDIT, post_tool_use: [{ hooks: [command("cat > after.json")] }] });
  const shared = ["session_id", "cwd", "hook_event_name", "tool_name", "tool_use_id", "tool_input"];
  expect(Object.keys(payloadOf("decision")).sort()).toEqual([...shared, "approval_decision", "approval_source"].sort());
  expect(Object.keys(payloadOf("after")).sort()).toEqual([...shared, "tool_response"].sort());
});

describe("a post_tool_use hook of docker-agent's that blocks", () => {
  test.each<[string, JsonObject, string]>([
    ["decision: block", { decision: "block", reason: "a loop" }, "a loop"],
    ["continue: false", { continue: false, stop_reason: "the budget is used up" }, "the budget is used up"],
  ])("stops the agent by %s", async (_, output, reason) => {
    const { result } = await call({ post_tool_use: [{ hooks: [prints(output)] }] });
    expect(result).toMatchObject({ outcome: "ran", output: "done", continue: false });
    expect(result.stopReason).toContain(reason);
  });

  test("stops the agent after a tool that failed, too", async () => {
    const host = { execute: () => Promise.reject(new Error("no such file")) };
    const { result } = await call({ post_tool_use: [{ hooks: [command("echo enough >&2; exit 2")] }] }, host);
    expect(result).toMatchObject({ outcome: "failed", continue: false });
    expect(result.stopReason).toContain("enough");
  });
});

test("a permission_request hook that asks overrides one that allows", async () => {
  const says = (decision: string): JsonObject => {
    const output = { permission_decision: decision, permission_decision_reason: `${decision}, it says` };
    return prints({ hook_specific_output: output });
  };
  const hooks = { permission_request: [{ hooks: [says("allow"), says("ask")] }] };
  const questions: (readonly string[])[] = [];
  const { result } = await call(hooks, {
    policy: () => MODE_ASKS,
    askUser: ({ reasons }) => {
      questions.push(reasons);
      return { decision: "deny" };
    },
  });
  expect(result).toMatchObject({ outcome: "denied", source: "user_deny", asked: true });
  expect(questions.flat().join("\n")).toContain("ask, it says");
});
