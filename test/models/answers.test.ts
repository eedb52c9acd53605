import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import type { ModelRequest } from "../../src/models/model.ts";
import type { StubAnswer } from "../helpers/stub-model.ts";
import { answerBody } from "../helpers/stub-protocols.ts";
import { type Asking, asking, KEY, said, WAYS } from "./asking.ts";

let asked: Asking | undefined;
afterEach(() => asked?.close());

const TOOL = {
  name: "look",
  description: "Looks.",
  schema: {
    type: "object",
    properties: { at: { type: "string" } },
    required: ["at"],
    additionalProperties: false,
  },
};

const bodyOf = (n = 0): JsonObject => asked?.stub.requests[n]?.body as JsonObject;

describe.each(WAYS)("%s, streaming: %s", (kind, streams) => {
  const ask = async (answer: StubAnswer, request: Partial<ModelRequest> = {}) => {
    asked = await asking(kind, streams, answer);
    return asked.ask(request);
  };

  test("answers with text and its cost", async () => {
    const result = await ask({ text: "All is well. ✓", inputTokens: 7, outputTokens: 3 });
    expect(result).toEqual({
      ok: true,
      answer: { text: "All is well. ✓", calls: [], end: "done", inputTokens: 7, outputTokens: 3 },
    });
  });

  test("answers with tool calls", async () => {
    const calls = [
      { name: "look", input: { at: "here" } },
      { name: "look", input: {} },
    ];
    const result = await ask({ text: "let me see", calls }, { tools: [TOOL] });
    expect(result).toMatchObject({
      answer: {
        text: "let me see",
        end: "calls",
        calls: [
          { id: "call_0", name: "look", input: { at: "here" } },
          { id: "call_1", name: "look", input: {} },
        ],
      },
    });
  });

  test("answers without the key, wherever the provider repeats it", async () => {
    const calls = [{ name: "look", input: { at: `/${KEY}/` } }];
    const result = await ask({ text: `{"reason": "${KEY}"}`, calls }, { tools: [TOOL] });
    expect(result).toMatchObject({
      answer: { text: '{"reason": "[key]"}', calls: [{ name: "look", input: { at: "/[key]/" } }] },
    });
  });

  test.each([65, 5_000, 100_000])("does not answer with an input that is %d levels deep", async (levels) => {
    const input = `{"at": ${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const answer = { calls: [{ name: "look", input }], model: "m" };
    // Only there it is not text in the protocol.
    const isPlain = kind === "anthropic" && !streams;
    const body = answerBody(kind, answer).replace(JSON.stringify(input), input);
    const result = await ask(isPlain ? { body } : answer, { tools: [TOOL] });
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "invalid-output", message: expect.stringMatching(/nested/) },
    });
  });

  test("receives what was asked, with the key, and nothing about this machine", async () => {
    await ask({ text: "yes" });
    const [request] = asked?.stub.requests ?? [];
    expect(request?.body).toMatchObject({ model: "m", max_tokens: 100, stream: streams });
    expect(JSON.stringify(request?.body)).toContain("be brief");
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, "user-agent": "hookbox" });
    const names = Object.keys(request?.headers ?? {}).filter((name) => name !== "anthropic-version");
    expect(names.sort()).toEqual([
      "accept",
      "accept-encoding",
      "authorization",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
    ]);
  });

  test.each([
    [kind === "anthropic" ? "max_tokens" : "length", "length"],
    [kind === "anthropic" ? "refusal" : "content_filter", "refusal"],
    [kind === "anthropic" ? "stop_sequence" : "stop", "done"],
  ])("reports how its answer ended: %s", async (stopReason, end) => {
    expect(await ask({ text: "well", stopReason })).toMatchObject({ answer: { text: "well", end, calls: [] } });
  });

  test("drops calls that were cut off", async () => {
    const stopReason = kind === "anthropic" ? "max_tokens" : "length";
    const result = await ask({ calls: [{ name: "look", input: '{"at": "he' }], stopReason });
    expect(result).toMatchObject({ answer: { end: "length", calls: [] } });
  });

  test.each(["", "pause_turn", "constructor", "function_call"])(
    "fails if its answer ends with %j",
    async (stopReason) => {
      expect(said(await ask({ text: '{"ok":true}', stopReason }))).toMatch(
        /^invalid-output: stub: the answer ended for an unknown reason/,
      );
    },
  );

  test("may be told to call a tool, and gets the results of others", async () => {
    const messages: ModelRequest["messages"] = [
      { role: "user", text: "look around" },
      { role: "assistant", text: "", calls: [{ id: "a", name: "look", input: { at: "x" } }] },
      { role: "results", results: [{ id: "a", text: "nothing there", isError: true }] },
    ];
    await ask({ calls: [{ name: "look", input: {} }] }, { tools: [TOOL], mustCall: true, messages });
    const { tools, tool_choice, messages: sent } = bodyOf();
    const text = JSON.stringify(sent);
    expect(text).toContain("nothing there");
    if (kind === "anthropic") {
      expect(tools).toEqual([{ name: "look", description: "Looks.", input_schema: TOOL.schema }]);
      expect(tool_choice).toEqual({ type: "any" });
      expect(text).toContain('"type":"tool_use","id":"a","name":"look","input":{"at":"x"}');
      expect(text).toContain('"tool_use_id":"a","content":"nothing there","is_error":true');
    } else {
      expect(tools).toEqual([
        { type: "function", function: { name: "look", description: "Looks.", parameters: TOOL.schema } },
      ]);
      expect(tool_choice).toBe("required");
      expect(text).toContain(
        '{"id":"a","type":"function","function":{"name":"look","arguments":"{\\"at\\":\\"x\\"}"}}',
      );
      expect(text).toContain('"tool_call_id":"a","content":"Error: nothing there"');
    }
  });

  test("may call a tool or not if it is not told to", async () => {
    await ask({ text: "no" }, { tools: [TOOL] });
    expect(bodyOf()["tool_choice"]).toEqual(kind === "anthropic" ? { type: "auto" } : "auto");
  });

  test("is held to a schema if it supports one", async () => {
    const schema = { name: "answer", schema: TOOL.schema };
    await ask({ text: "{}" }, { schema });
    if (kind === "anthropic")
      expect(bodyOf()["output_config"]).toEqual({ format: { type: "json_schema", schema: TOOL.schema } });
    else
      expect(bodyOf()["response_format"]).toEqual({
        type: "json_schema",
        json_schema: { name: "answer", schema: TOOL.schema, strict: true },
      });
  });

  test("is not asked for a schema if it does not support one", async () => {
    asked = await asking(kind, streams, { text: "{}" }, { provider: { structured: false } });
    await asked.ask({ schema: { name: "answer", schema: TOOL.schema } });
    expect(bodyOf()).not.toHaveProperty("output_config");
    expect(bodyOf()).not.toHaveProperty("response_format");
  });

  test("gets no key if none is configured", async () => {
    asked = await asking(kind, streams, { text: "yes" }, { provider: { keyVariable: null } });
    expect(said(await asked.ask())).toBe("answer: yes");
    expect(JSON.stringify(asked.stub.requests[0]?.headers)).not.toMatch(/authorization|api-key|hookbox-adds/i);
  });

  test("answers several requests at the same time, each with its own answer", async () => {
    asked = await asking(kind, streams, ({ body }) => ({ text: JSON.stringify(body["messages"]) }));
    const { ask: one } = asked;
    const texts = Array.from({ length: 12 }, (_, index) => `number ${index}!`);
    const results = await Promise.all(texts.map((text) => one({ messages: [{ role: "user", text }] })));
    for (const [index, text] of texts.entries()) expect(said(results[index] as never)).toContain(text);
  });
});

describe("a feature of one protocol only", () => {
  test("a schema with optional fields is not strict for OpenAI, because a strict one must have none", async () => {
    asked = await asking("openai", false, { text: "{}" });
    for (const schema of [
      { ...TOOL.schema, required: [] },
      { type: "object", properties: {} },
      { type: "array", items: { type: "object" } },
    ]) {
      await asked.ask({ schema: { name: "answer", schema } });
      const { json_schema } = (asked.stub.requests.at(-1)?.body["response_format"] ?? {}) as JsonObject;
      expect(json_schema).toMatchObject({ strict: false });
    }
  });

  test("OpenAI itself has renamed the limit", async () => {
    asked = await asking("openai", false, { text: "yes" }, { provider: { name: "openai" } });
    await asked.ask();
    expect(bodyOf()).toMatchObject({ max_completion_tokens: 100 });
    expect(bodyOf()).not.toHaveProperty("max_tokens");
  });

  test("a refusal of OpenAI's is one, whatever else the answer contains", async () => {
    const message = { role: "assistant", content: '{"ok":true}', refusal: "I would rather not" };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }], usage: null });
    asked = await asking("openai", false, { body });
    expect(await asked.ask()).toMatchObject({ answer: { end: "refusal", text: "I would rather not" } });
  });

  test("a forced call has OpenAI's ordinary stop reason, and is a call", async () => {
    asked = await asking("openai", false, { calls: [{ name: "look", input: { at: "x" } }], stopReason: "stop" });
    expect(await asked.ask()).toMatchObject({ answer: { end: "calls", calls: [{ name: "look" }] } });
  });

  test("missing token counts are estimated, rather too high than as zero", async () => {
    const message = { role: "assistant", content: "x".repeat(300) };
    asked = await asking("openai", false, { body: JSON.stringify({ choices: [{ message, finish_reason: "stop" }] }) });
    const result = await asked.ask({ messages: [{ role: "user", text: "y".repeat(3_000) }] });
    expect(result).toMatchObject({ ok: true });
    if (!result.ok) return;
    expect(result.answer.inputTokens).toBeGreaterThan(1_000);
    expect(result.answer.outputTokens).toBeGreaterThanOrEqual(100);
  });

  test("tokens that Anthropic has read from its cache count as well", async () => {
    const usage = { input_tokens: 1, cache_read_input_tokens: 20, cache_creation_input_tokens: 300, output_tokens: 4 };
    const message = { type: "message", role: "assistant", content: [], stop_reason: "end_turn", usage };
    asked = await asking("anthropic", false, { body: JSON.stringify(message) });
    expect(await asked.ask()).toMatchObject({ answer: { inputTokens: 321, outputTokens: 4 } });
  });

  test("thinking of Anthropic's models is not part of the answer", async () => {
    const content = [
      { type: "thinking", thinking: '{"ok":true}', signature: "x" },
      { type: "text", text: "no" },
    ];
    const usage = { input_tokens: 1, output_tokens: 4 };
    const message = { type: "message", role: "assistant", content, stop_reason: "end_turn", usage };
    asked = await asking("anthropic", false, { body: JSON.stringify(message) });
    expect(said(await asked.ask())).toBe("answer: no");
  });
});
