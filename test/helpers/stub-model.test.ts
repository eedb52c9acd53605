import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { until } from "../net/servers.ts";
import { type StubAnswer, type StubModel, startStubModel } from "./stub-model.ts";

let stub: StubModel | undefined;
afterEach(() => stub?.close());

const PATHS = [
  ["anthropic", "/v1/messages"],
  ["openai", "/v1/chat/completions"],
] as const;

async function ask(path: string, answer: StubAnswer, stream = false): Promise<Response> {
  stub = await startStubModel(() => answer);
  return fetch(`${stub.url}${path}`, { method: "POST", body: JSON.stringify({ model: "m", stream }) });
}

describe.each(PATHS)("the stub of %s", (protocol, path) => {
  test("answers with text, calls, usage and the matching stop reason, and records what it was asked", async () => {
    const said = { text: "hello", calls: [{ name: "look", input: { at: 1 } }], inputTokens: 3, outputTokens: 4 };
    const body = (await (await ask(path, said)).json()) as JsonObject;
    expect(JSON.stringify(body)).toMatch(/"hello".*"look".*"at\W+1.*(tool_use|tool_calls)/);
    expect(JSON.stringify(body["usage"])).toMatch(/"(input|prompt)_tokens":3,.*:4/);
    expect(stub?.requests).toMatchObject([{ protocol, n: 1, body: { model: "m" } }]);
  });

  test("streams if the request asks for a stream", async () => {
    const response = await ask(path, { text: "hello" }, true);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const text = await response.text();
    expect(text).toContain('"hel"');
    expect(text).toContain('"lo"');
    expect(text.trimEnd()).toMatch(/(message_stop"}|\[DONE\])$/);
  });

  test("answers with a status and an error", async () => {
    const response = await ask(path, { status: 429, text: "slow down", headers: { "retry-after": "1" } }, true);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await response.json()).toMatchObject({ error: { message: "slow down" } });
  });

  test("sends a given body unchanged", async () => {
    expect(await (await ask(path, { body: "no JSON" })).text()).toBe("no JSON");
  });

  test.each([true, "body"] as const)("closes the connection early (%s)", async (hangsUp) => {
    await expect(ask(path, { text: "hello", hangsUp }).then((response) => response.text())).rejects.toThrow();
    await until(() => stub?.openSockets() === 0);
  });

  test.each([true, "body", "dripping"] as const)("hangs (%s) until the caller gives up", async (hangs) => {
    stub = await startStubModel(() => ({ text: "hello", hangs }));
    // Not with `fetch`, which opens another connection after one of its own was closed.
    const asked = request(`${stub.url}${path}`, { method: "POST", agent: false });
    let ended = false;
    asked.on("response", (response) => response.resume().on("end", () => (ended = true)));
    asked.on("error", () => undefined);
    asked.end('{"stream":true}');
    await until(() => stub?.requests.length === 1);
    expect([stub.openSockets(), ended]).toEqual([1, false]);
    asked.destroy();
    await until(() => stub?.openSockets() === 0);
  });
});

test("answers 404 to other paths", async () => {
  expect((await ask("/elsewhere", {})).status).toBe(404);
});
