import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hookboxCodec } from "../../../src/dialects/hookbox/codec.ts";
import { McpToolExecutor } from "../../../src/executors/mcp/mcp-tool-executor.ts";
import type { JsonObject, JsonValue } from "../../../src/json.ts";
import { runWithin } from "../../../src/models/recursion.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { HandlerOf, Rule } from "../../../src/rule.ts";
import { bashEvent, makeEvent } from "../../helpers/rules.ts";
import { type LoggedServer, mcpRule, newExecutor, newServer, run } from "./mcp-rule.ts";

/** One server for all tests, so that each test costs one call. */
let executor: McpToolExecutor;
let server: LoggedServer;
beforeAll(() => {
  executor = new McpToolExecutor({ killGraceMs: 100 });
  const { workingDir: _, ...lasting } = newServer("", { env: {} });
  server = { ...lasting, workingDir: process.cwd() };
});
afterAll(() => executor.close());

const call = (tool: string, input: JsonObject = {}, parts: Partial<Rule> = {}, event = "PreToolUse") =>
  run(executor, mcpRule(server, tool, input, { event, ...parts }), makeEvent(event, { cwd: "/", prompt: "hello" }));
const say = (texts: readonly string[], parts: Partial<Rule> = {}, event?: string) =>
  call("say", { texts }, parts, event);
const give = (result: JsonObject, parts: Partial<Rule> = {}) => call("result", { result }, parts);
const failureOf = (result: RunResult) => (result.ok ? undefined : result.failure);

const saying = (permissionDecision: string): JsonObject => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "not in here" },
});
const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
const link = { type: "resource_link", uri: "file:///a", name: "a" };

describe("the answer of an MCP tool", () => {
  test("is read as a command's output, with a receipt of both sizes", async () => {
    const text = JSON.stringify(saying("deny"));
    expect(await say([text])).toMatchObject({
      ok: true,
      reply: { decision: "deny", reason: "not in here" },
      output: text,
      receipt: { inputBytes: JSON.stringify({ texts: [text] }).length, outputBytes: text.length },
    });
  });

  test("permits if it says so in a well-formed reply", async () => {
    expect(await say([JSON.stringify(saying("allow"))])).toMatchObject({ ok: true, reply: { decision: "allow" } });
  });

  test("in two texts is joined by a line end", async () => {
    const [one, other] = JSON.stringify(saying("deny"), null, 1).split(/\n(?=.*permissionDecisionReason)/) as [
      string,
      string,
    ];
    expect(await say([one, other])).toMatchObject({ ok: true, reply: { decision: "deny" } });
    expect(await say(["one", "two"], {}, "UserPromptSubmit")).toMatchObject({
      ok: true,
      reply: { additionalContext: ["one\ntwo"] },
    });
  });

  test("in plain text decides nothing", async () => {
    expect(await say(["fine with me"])).toMatchObject({ ok: true, reply: {} });
  });

  test("that is empty is no opinion", async () => {
    expect(await give({ content: [] })).toMatchObject({ ok: true, reply: {}, output: "" });
    expect(await give({ content: [] }, { onFailure: "block" })).toMatchObject({ ok: true, reply: {} });
  });

  test("that is structured content counts if there is no text", async () => {
    const structuredContent: JsonValue = saying("deny");
    expect(await give({ content: [], structuredContent })).toMatchObject({ ok: true, reply: { decision: "deny" } });
    const beside = { content: [{ type: "text", text: "{}" }], structuredContent };
    expect(await give(beside)).toMatchObject({ ok: true, reply: {} });
  });

  test("that is an incomplete reply fails", async () => {
    const half = JSON.stringify(saying("deny")).slice(0, -3);
    expect(failureOf(await say([`${half}}`]))).toMatchObject({ kind: "invalid-output" });
    expect(failureOf(await say([half], { codec: hookboxCodec }))).toMatchObject({ kind: "invalid-output" });
  });

  test("with a reported error is a failure that quotes it without its control characters", async () => {
    const result = await call("fails");
    expect(failureOf(result)).toEqual({
      kind: "exit",
      message: 'MCP tool "fails" of "fixture": reported an error: disk[31m full',
    });
    expect(result.output).toBe("disk\u001b[31m full");
  });

  test("counts as an error even with a permission in its text", async () => {
    const text = JSON.stringify(saying("allow"));
    const result = await give({ content: [{ type: "text", text }], isError: true });
    expect(failureOf(result)).toMatchObject({ kind: "exit" });
  });

  test("is an error, too, if the tool throws", async () => {
    expect(failureOf(await call("throws"))?.message).toContain("out of order");
  });

  test.each([
    ["a picture", [picture], "gave no text, but image"],
    ["pictures and a link", [picture, picture, link], "gave no text, but image, resource_link"],
  ])("that is only %s is a failure", async (_, content, message) => {
    expect(failureOf(await give({ content }))).toEqual({
      kind: "invalid-output",
      message: `MCP tool "result" of "fixture": ${message}`,
    });
  });

  test("next to a picture is its text", async () => {
    const text = JSON.stringify(saying("deny"));
    const result = await give({ content: [picture, { type: "text", text }] });
    expect(result).toMatchObject({ ok: true, reply: { decision: "deny" } });
  });

  test("that is not a result is a failure", async () => {
    expect(failureOf(await give({ content: "allow" }))).toMatchObject({ kind: "unavailable" });
  });
});

describe("a tool of a rule that blocks on failure", () => {
  const blocks = { onFailure: "block" } as const;

  test.each([
    ["plain text", "fine with me", /plain text.*"fine with me"/],
    ["JSON that is no hook's", '{"status":"ok"}', /no hook's reply \(status\)/],
  ])("fails with %s", async (_, text, message) => {
    expect((await say([text])).ok).toBe(true);
    expect(failureOf(await say([text], blocks))).toEqual({
      kind: "invalid-output",
      message: expect.stringMatching(message),
    });
  });

  test("can answer with everything that a reply can contain", async () => {
    expect(await say(["{}"], blocks)).toMatchObject({ ok: true, reply: {} });
    expect(await say([JSON.stringify(saying("deny"))], blocks)).toMatchObject({ reply: { decision: "deny" } });
  });

  test.each(["PreCompact", "Notification"])("may answer with plain text at %s", async (event) => {
    expect(await say(["fine with me"], blocks, event)).toMatchObject({ ok: true });
  });
});

describe("the input of an MCP tool", () => {
  test("is filled from the event with the names of the rule's agent", async () => {
    const input = { said: { file: "${tool_input.command}", at: "${hook_event_name}", all: ["$HOME ${none}|"] } };
    const result = await run(executor, mcpRule(server, "echo", input), bashEvent("cat /etc/passwd"));
    expect(JSON.parse(result.output ?? "")).toEqual({
      said: { file: "cat /etc/passwd", at: "PreToolUse", all: ["$HOME |"] },
    });
  });

  test("that the tool rejects is a failure with the server's message", async () => {
    expect(failureOf(await call("say", { texts: 7 }))?.message).toMatch(/texts/);
  });

  test("that is too long to be sent is a failure", async () => {
    const event = makeEvent("PreToolUse", { tool_input: { command: "x".repeat(600_000) } });
    const result = await run(
      executor,
      mcpRule(server, "echo", { said: "${tool_input.command}${tool_input.command}" }),
      event,
    );
    expect(failureOf(result)).toMatchObject({ kind: "capability", limit: 1_048_576, value: expect.any(Number) });
  });
});

describe("an MCP tool", () => {
  test("that the server does not have is a failure with its message", async () => {
    expect(failureOf(await call("scan"))).toEqual({
      kind: "unavailable",
      message: expect.stringMatching(/^MCP server "fixture" answered with error -32602: .*scan/),
      value: -32602,
    });
  });

  test("may report its progress", async () => {
    expect(await call("progresses")).toMatchObject({ ok: true, output: "done" });
  });

  test("gets an error when it asks for a model, or for folders", async () => {
    const { systemMessage } = JSON.parse((await call("samples")).output ?? "{}") as { systemMessage: string };
    expect(systemMessage).not.toContain("answered");
    expect(systemMessage.split("; ")).toHaveLength(2);
    expect((await call("capabilities")).output).toBe("{}");
  });

  test("is not asked from within a model hook", async () => {
    const result = await runWithin(() => say(["{}"]));
    expect(failureOf(result)).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("from within one"),
    });
  });

  test("of a server that no configuration names is a failure", async () => {
    const rule = mcpRule(server, "echo");
    const { found: _, ...handler } = rule.handler as HandlerOf<"mcp_tool">;
    expect(failureOf(await run(newExecutor(), { ...rule, handler }))).toMatchObject({ kind: "unavailable" });
  });

  test("is not called by an engine that is closed", async () => {
    const closed = newExecutor();
    await closed.close();
    expect(failureOf(await run(closed, mcpRule(server, "echo")))?.message).toContain("closed");
  });
});

describe("the environment of a server", () => {
  const environmentOf = async (parts: Partial<Rule> = {}): Promise<Record<string, string>> => {
    const own = { OWN: "a b", HOOKBOX_WITHIN: "" };
    const rule = mcpRule({ ...server, env: own }, "environment", {}, { layer: "user", ...parts });
    return JSON.parse((await run(executor, rule)).output ?? "{}") as Record<string, string>;
  };

  test("is that of the rule's agent, with the server's own variables and a mark that a hook runs", async () => {
    process.env["OPENAI_API_KEY"] = "sk-not-yours";
    process.env["HARMLESS"] = "1";
    try {
      expect(await environmentOf()).toMatchObject({ OWN: "a b", HOOKBOX_WITHIN: "1", HARMLESS: "1" });
      const listed = await environmentOf({ codec: hookboxCodec });
      expect(listed).toMatchObject({ OWN: "a b", HOOKBOX_WITHIN: "1" });
      expect(listed).not.toHaveProperty("HARMLESS");
      // Whatever agent the project's file names: otherwise its server would get the user's tokens.
      const strangers = await environmentOf({ layer: "project" });
      expect(strangers).toMatchObject({ OWN: "a b", HOOKBOX_WITHIN: "1" });
      expect(strangers).not.toHaveProperty("HARMLESS");
      for (const variables of [await environmentOf(), listed]) expect(variables).not.toHaveProperty("OPENAI_API_KEY");
    } finally {
      delete process.env["OPENAI_API_KEY"];
      delete process.env["HARMLESS"];
    }
  });
});
