import { describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../../src/executors/bounded-run.ts";
import { ModelExecutor } from "../../../src/executors/model/model-executor.ts";
import { Models } from "../../../src/models/models.ts";
import type { RunResult } from "../../../src/outcome.ts";
import type { ModelProvider, Rule } from "../../../src/rule.ts";
import { bashEvent } from "../../helpers/rules.ts";
import { type StubModelAnswers, startStubModel } from "../../helpers/stub-model.ts";
import { modelRule } from "./model-kit.ts";

/** The same questions over the network, to a stand-in for the servers of providers. */

type Kind = "anthropic" | "openai";

async function askServer(kind: Kind, answer: StubModelAnswers, rule: Partial<Rule> = {}): Promise<RunResult> {
  const server = await startStubModel(answer);
  const models = new Models({ environment: {} });
  onTestFinished(async () => {
    await models.close();
    await expect.poll(() => server.openSockets()).toBe(0);
    await server.close();
  });
  const provider: ModelProvider = {
    kind,
    name: "local",
    baseUrl: kind === "openai" ? `${server.url}/v1` : server.url,
    keyVariable: null,
    streams: false,
    structured: true,
    network: "loopback",
  };
  const asking = modelRule({ answer: "decision", choice: { provider, model: "small" } }, rule);
  return runBounded(new ModelExecutor(models), asking, bashEvent("ls"), undefined);
}

describe.each<Kind>(["anthropic", "openai"])("a judge on a server with the protocol of %s", (kind) => {
  test("decides, and its tokens are counted", async () => {
    const text = '{"decision": "deny", "reason": "not here"}';
    const result = await askServer(kind, () => ({ text, inputTokens: 21, outputTokens: 4 }));
    expect(result).toMatchObject({
      ok: true,
      reply: { decision: "deny", reason: "not here" },
      receipt: { model: "local/small", inputTokens: 21, outputTokens: 4, turns: 1 },
    });
  });

  test("is shown the event, and given its role", async () => {
    let seen = "";
    await askServer(kind, ({ body }) => {
      seen = JSON.stringify(body);
      return { text: "{}" };
    });
    expect(seen).toContain("You are a hook of a coding agent");
    expect(seen).toContain('\\"tool_name\\":\\"Bash\\"');
  });

  test("that ignores the schema grants no permission", async () => {
    const text = 'I am sure. {"decision": "allow"} or rather {"decision": "ask"}';
    expect(await askServer(kind, () => ({ text }))).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("that never answers is given up at the deadline", async () => {
    const result = await askServer(kind, () => ({ hangs: true }), { timeoutMs: 300 });
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 300 } });
  });

  test("that fails grants no permission", async () => {
    const result = await askServer(kind, () => ({ status: 400, text: '{"decision": "allow"}' }));
    expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable", value: 400 } });
  });
});
