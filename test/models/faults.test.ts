import { afterEach, describe, expect, test } from "vitest";
import type { StubAnswer } from "../helpers/stub-model.ts";
import { until } from "../net/servers.ts";
import { openTrap } from "../net/traps.ts";
import { type Asking, asking, KEY, said, WAYS } from "./asking.ts";

let asked: Asking | undefined;
afterEach(() => asked?.close());

const AT_ONCE = { "retry-after": "0" };
const DEADLINE = { kind: "timeout", message: "no answer within the time that there was" };

describe.each(WAYS)("%s, streaming: %s", (kind, streams) => {
  const ask = async (...answers: readonly StubAnswer[]): Promise<string> => {
    asked = await asking(kind, streams, ({ n }) => answers[n - 1] ?? answers.at(-1) ?? {});
    return said(await asked.ask());
  };
  const tries = (): number | undefined => asked?.stub.requests.length;

  test.each([400, 401, 403, 404, 422])("fails with status %i, and is not asked again", async (status) => {
    expect(await ask({ status, text: "that \u001b[31mwon't do" })).toBe(
      `unavailable: stub answered with status ${status}: that [31mwon't do`,
    );
    expect(tries()).toBe(1);
  });

  test.each([408, 409, 429, 500, 503, 529])("is asked again after status %i", async (status) => {
    expect(await ask({ status, headers: AT_ONCE }, { text: "now" })).toBe("answer: now");
    expect(tries()).toBe(2);
  });

  test("is given up after the third attempt", async () => {
    asked = await asking(kind, streams, { status: 500, headers: AT_ONCE, text: "out of order" });
    expect(await asked.ask()).toEqual({
      ok: false,
      failure: { kind: "unavailable", message: "stub answered with status 500: out of order", value: 500 },
    });
    expect(tries()).toBe(3);
  });

  test("is asked again if it hangs up before it answers", async () => {
    expect(await ask({ hangsUp: true }, { text: "now" })).toBe("answer: now");
  });

  test("fails if it hangs up during the answer", async () => {
    expect(await ask({ text: "hello", hangsUp: "body" })).toMatch(/^unavailable: stub: .* closed the connection/);
    expect(tries()).toBe(1);
  });

  test("is not asked again if it demands too long a wait", async () => {
    expect(await ask({ status: 429, headers: { "retry-after": "3600" }, text: "tomorrow" })).toContain("tomorrow");
    expect(tries()).toBe(1);
  });

  test.each([
    ["before it answers", { hangs: true }],
    ["in the middle of its answer", { text: "hello", hangs: "body" }],
    ["with an answer that never ends", { text: "hello", hangs: "dripping" }],
    ["in the middle of a refusal", { status: 500, text: "hello", hangs: "body" }],
    ["until it is asked again", { status: 429, headers: { "retry-after": "50" } }],
  ] as const)("is cut off by the deadline %s", async (_, answer) => {
    const deadline = new AbortController();
    asked = await asking(kind, streams, answer);
    const answered = asked.ask({}, deadline.signal);
    await until(() => tries() === 1);
    // Usually the answer has arrived completely by then; the deadline counts wherever it is.
    await new Promise((resolve) => setTimeout(resolve, 30));
    deadline.abort(DEADLINE);
    expect(await answered).toEqual({ ok: false, failure: DEADLINE });
    await until(() => asked?.stub.openSockets() === 0);
    expect(tries()).toBe(1);
  });

  test("is not asked after the deadline", async () => {
    asked = await asking(kind, streams, { text: "hello" });
    expect(await asked.ask({}, AbortSignal.abort(DEADLINE))).toEqual({ ok: false, failure: DEADLINE });
    expect(tries()).toBe(0);
  });

  test("fails with an answer that is too long", async () => {
    expect(await ask({ text: "x".repeat(9_000_000) })).toMatch(
      /^output-too-large: stub: .* over the limit of 8388608$/,
    );
    await until(() => asked?.stub.openSockets() === 0);
  });

  test.each([
    "",
    "{",
    '{"choices": []}',
    "null",
    "[]",
    '"text"',
    '{"content": [], "choices": [{}]}',
    "<p>Hello</p>",
    "data: {\n\n",
  ])("fails with %j", async (body) => {
    expect(await ask({ body })).toMatch(/^invalid-output: stub: the (answer|stream) /);
    expect(tries()).toBe(1);
  });

  test("fails with an answer of another type, whatever its content", async () => {
    const type = { "content-type": "text/html; charset=utf-8" };
    expect(await ask({ text: '{"ok":true}', headers: type })).toMatch(
      /^invalid-output: stub: the answer is of type "text\/html" /,
    );
  });

  test("fails with the input of a tool that is not JSON", async () => {
    const input = '{"at": "here"';
    const failure = await ask({ calls: [{ name: "look", input }] });
    // In a whole answer, Anthropic has a value there, and a text is a value.
    if (kind === "anthropic" && !streams) expect(failure).toBe("answer: ");
    else expect(failure).toBe('invalid-output: stub: the input of the tool "look" is not JSON');
  });

  test("is not followed to another address", async () => {
    const trap = await openTrap();
    const headers = { location: `http://127.0.0.1:${trap.port}/v1/messages` };
    expect(await ask({ status: 307, headers })).toMatch(
      /^unavailable: stub: .* status 307, a redirect, which is not followed$/,
    );
    expect([trap.caught(), tries()]).toEqual([0, 1]);
    await trap.close();
  });

  test("never has its key shown, in any form", async () => {
    for (const answer of [
      { status: 401, text: `wrong: ${KEY}.` },
      { status: 401, text: `wrong: ${KEY.slice(0, 9)}\u200b${KEY.slice(9)}.` },
      { status: 401, text: `${"x".repeat(290)}${KEY}` },
      { status: 401, body: `the page of ${KEY}` },
      { status: 401, body: JSON.stringify({ error: { [KEY]: KEY } }) },
      { status: 401, body: JSON.stringify({ error: KEY }) },
      { body: KEY },
      { text: "yes", headers: { "content-type": KEY } },
      { calls: [{ name: KEY, input: "{" }] },
      { text: "yes", stopReason: KEY },
    ] satisfies readonly StubAnswer[]) {
      const message = await ask(answer);
      expect(message).not.toContain(KEY.slice(0, 9));
      await asked?.close();
    }
  });

  test("ends when models are closed", async () => {
    asked = await asking(kind, streams, { hangs: true });
    const { models } = asked;
    const answered = asked.ask();
    await until(() => tries() === 1);
    await models.close();
    expect(said(await answered)).toMatch(/^cancelled: /);
    await until(() => asked?.stub.openSockets() === 0);
    expect(said(await asked.ask())).toBe("unavailable: models are closed");
    expect(tries()).toBe(1);
  });
});

describe("a stream", () => {
  const event = (type: string, parts: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...parts })}\n\n`;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { type: "message", role: "assistant", content: [], usage };
  const START = event("message_start", { message });
  const BLOCK = event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  const DELTA = event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "yes" } });
  const BLOCK_END = event("content_block_stop", { index: 0 });
  const END = event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } });
  const STOP = event("message_stop", {});

  test("of Anthropic's is read past unknown events", async () => {
    const ping = event("ping", {});
    const more = event("something_new", { index: 7 });
    asked = await asking("anthropic", true, {
      body: [START, ping, BLOCK, more, DELTA, BLOCK_END, END, STOP].join(""),
    });
    expect(await asked.ask()).toMatchObject({ answer: { text: "yes", inputTokens: 1, outputTokens: 2 } });
  });

  test.each([
    ["without its end", [START, BLOCK, DELTA, BLOCK_END, END]],
    ["without a reason for its end", [START, BLOCK, DELTA, BLOCK_END, STOP]],
    ["without its beginning", [BLOCK, DELTA, BLOCK_END, END, STOP]],
    ["with two beginnings", [START, START, BLOCK, DELTA, BLOCK_END, END, STOP]],
    ["with text of no block", [START, DELTA, END, STOP]],
    ["with text behind a block", [START, BLOCK, BLOCK_END, DELTA, END, STOP]],
    ["with a block that does not end", [START, BLOCK, DELTA, END, STOP]],
    ["with blocks out of order", [START, BLOCK.replace('"index":0', '"index":1'), BLOCK_END, END, STOP]],
    ["with half an event", [START, BLOCK, DELTA.slice(0, 60)]],
    [
      "with an event that is not JSON",
      [START, BLOCK, "event: content_block_delta\ndata: {yes}\n\n", BLOCK_END, END, STOP],
    ],
  ])("of Anthropic's is invalid %s", async (_, events) => {
    asked = await asking("anthropic", true, { body: events.join("") });
    expect(said(await asked.ask())).toMatch(/^invalid-output: stub: /);
  });

  const chunk = (delta: object, finish_reason: string | null = null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

  test.each([
    ["without its end", [chunk({ content: "yes" }), "data: [DONE]\n\n"]],
    ["with half a chunk", [chunk({ content: "yes" }, "stop").slice(0, 40)]],
    ["with a chunk that is not JSON", [chunk({ content: "yes" }, "stop"), "data: {yes}\n\n"]],
    [
      "with a second answer",
      [chunk({ content: "yes" }, "stop"), chunk({ content: "no" }, "stop").replace('"index":0', '"index":1')],
    ],
    [
      "with a call out of order",
      [chunk({ tool_calls: [{ index: 1, function: { name: "look", arguments: "{}" } }] }, "tool_calls")],
    ],
    ["with a call of no name", [chunk({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }, "tool_calls")]],
  ])("of Chat Completions is invalid %s", async (_, chunks) => {
    asked = await asking("openai", true, { body: chunks.join("") });
    expect(said(await asked.ask())).toMatch(/^invalid-output: stub: /);
  });

  test.each([
    ["anthropic", [START, event("error", { error: { type: "overloaded_error", message: "too much to do" } })]],
    ["openai", [chunk({ content: "yes" }), 'data: {"error": {"message": "too much to do"}}\n\n']],
  ] as const)("of %s may end with an error", async (kind, events) => {
    asked = await asking(kind, true, { body: events.join("") });
    expect(said(await asked.ask())).toBe("unavailable: stub: too much to do");
  });
});
