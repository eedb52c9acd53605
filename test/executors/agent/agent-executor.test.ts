import { readdirSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { AgentExecutor } from "../../../src/executors/agent/agent-executor.ts";
import { runBounded } from "../../../src/executors/bounded-run.ts";
import type { ModelRequest } from "../../../src/models/model.ts";
import { Models } from "../../../src/models/models.ts";
import { runWithin } from "../../../src/models/recursion.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { makeFolder } from "../../helpers/folders.ts";
import { makeEvent, makeRule } from "../../helpers/rules.ts";
import { agentRule, callEvent, resultsIn, runAgainst, say, scripted } from "./agent-kit.ts";

const FILES = { "a.txt": "apples\n", "b.txt": "pears\n" };

describe("an agent", () => {
  test("searches the folder and judges", async () => {
    const script = scripted(
      [["glob", { pattern: "*" }]],
      [
        ["read", { path: "a.txt" }],
        ["grep", { pattern: "pears" }],
        ["read", { path: "none" }],
      ],
      [say(false, "apples are not allowed")],
    );
    const result = await runAgainst(script, makeFolder(FILES));
    expect(result).toMatchObject({
      ok: true,
      reply: { decision: "deny", reason: "apples are not allowed" },
      receipt: { model: "scripted/one", turns: 3, inputTokens: 30, outputTokens: 15 },
    });
    expect(result.ok && result.reply.continue).toBeUndefined();
    expect(resultsIn(script.requests[1])).toMatchObject([{ text: "a.txt\nb.txt", isError: false }]);
    expect(resultsIn(script.requests[2])).toMatchObject([
      { id: "call-0", text: "1: apples", isError: false },
      { id: "call-1", text: "b.txt:1: pears", isError: false },
      { id: "call-2", isError: true },
    ]);
  });

  test("grants no permission with a yes", async () => {
    const result = await runAgainst(scripted([say(true, "")]), makeFolder());
    expect(result).toMatchObject({ ok: true, reply: {} });
    expect(result.ok && Object.keys(result.reply)).toEqual([]);
  });

  test("gets its prompt, the event and four tools", async () => {
    const script = scripted([say(true)]);
    const cwd = makeFolder();
    await runAgainst(script, cwd, { prompt: "Look at $ARGUMENTS!" });
    const [request] = script.requests as [ModelRequest];
    expect(request.messages).toMatchObject([{ role: "user" }]);
    const [message] = request.messages;
    const text = message?.role === "user" ? message.text : "";
    const payload = JSON.parse(text.replace(/^Look at ([\s\S]*)!$/, "$1"));
    expect(payload).toMatchObject({ tool_name: "Bash", cwd });
    expect(request.tools?.map(({ name }) => name)).toEqual(["read", "grep", "glob", "answer"]);
    expect(request).toMatchObject({ model: "one", mustCall: true });
  });

  test("receives no secret of the event, of files or of their names if it redacts", async () => {
    const token = `glpat-${"abcdefghij0123456789"}`;
    const key = [
      "-----BEGIN RSA PRIVATE KEY-----",
      ..."abcdefgh".split("").map((one) => one.repeat(60)),
      "-----END RSA PRIVATE KEY-----",
    ];
    const cwd = makeFolder({
      "env.txt": `GITLAB_TOKEN=${token}\nplain\n`,
      "hidden.txt": `see ${token.slice(0, 12)}\u200b${token.slice(12)}\n`,
      "key.pem": key.join("\n"),
      "marked.pem": key.join("\n").replace("BEGIN", "BE\u200bGIN"),
      [`name-${token}`]: "",
    });
    const calls = [
      ["read", { path: "env.txt" }],
      ["read", { path: "hidden.txt" }],
      ["read", { path: "key.pem" }],
      ["read", { path: "key.pem", first_line: 1, last_line: 2 }],
      ["read", { path: "marked.pem", first_line: 5, last_line: 6 }],
      ["grep", { pattern: "TOKEN" }],
      ["grep", { pattern: "^[a-h]{60}$" }],
      ["grep", { pattern: "dddd" }],
      ["glob", { pattern: "*" }],
    ] as const;
    for (const redacts of [true, false]) {
      const script = scripted(calls, [say(true)]);
      const event = callEvent(cwd, `curl -H "Authorization: Bearer ${token}"`);
      const rule = agentRule({ redacts });
      const args = { signal: new Stop(), timeLeftMs: 5_000 };
      expect(await new AgentExecutor(script.models).run(rule, event, args)).toMatchObject({ ok: true });
      const [sent = ""] = script.sent.slice(-1);
      expect(sent.includes(token)).toBe(!redacts);
      expect(sent.includes("dddddddd")).toBe(!redacts);
      expect(sent).toContain("plain");
    }
  });
});

describe("an agent fails, and says why,", () => {
  const noCall = async () => {
    throw new Error("asked");
  };

  test.each([
    [undefined, /no working directory/],
    ["relative", /not an absolute path/],
    ["/nowhere-at-all", /does not exist/],
  ])("if the folder to search does not exist: %s", async (cwd, message) => {
    const script = scripted(noCall);
    const result = await runAgainst(script, cwd as string);
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", message: expect.stringMatching(message) },
    });
    expect(script.requests).toEqual([]);
  });

  test("if it is asked from within a model hook", async () => {
    const script = scripted(noCall);
    const result = await runWithin(() => runAgainst(script, makeFolder()));
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", message: "a hook that thinks was asked from within one" },
    });
    vi.stubEnv("HOOKBOX_WITHIN", "1");
    expect(await runAgainst(script, makeFolder())).toMatchObject({ ok: false, failure: { kind: "unavailable" } });
    vi.unstubAllEnvs();
    expect(script.requests).toEqual([]);
  });

  test("if its model asks an agent again", async () => {
    const cwd = makeFolder();
    const inner = scripted(noCall);
    const kinds: unknown[] = [];
    const outer = scripted(async () => {
      const result = await runAgainst(inner, cwd);
      kinds.push(result.ok ? "asked" : result.failure.kind);
      return [say(true)];
    });
    expect(await runAgainst(outer, cwd)).toMatchObject({ ok: true });
    expect(kinds).toEqual(["unavailable"]);
    expect(inner.requests).toEqual([]);
  });

  test("if no model is known, or the model's answer is malformed", async () => {
    const { choice: _, ...handler } = agentRule().handler as Extract<
      ReturnType<typeof agentRule>["handler"],
      { type: "agent" }
    >;
    const executor = new AgentExecutor(new Models());
    const rule = makeRule({ handler });
    const args = { signal: new Stop(), timeLeftMs: 1_000 };
    expect(await executor.run(rule, callEvent(makeFolder()), args)).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", code: "HOOK_MODEL_PROVIDER" },
    });
    expect(await executor.prepare(rule)).toMatchObject([{ severity: "error", code: "HOOK_MODEL_PROVIDER" }]);
    const thrown = scripted(() => {
      throw new Error("no credit left");
    });
    expect(await runAgainst(thrown, makeFolder())).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining("no credit left") },
      receipt: { turns: 0 },
    });
  });

  test("if the event cannot be written as JSON", async () => {
    const event = { ...callEvent(makeFolder()), payload: { cwd: "/tmp", size: 1n as unknown as number } };
    const result = await new AgentExecutor(new Models()).run(agentRule(), event, { signal: new Stop(), timeLeftMs: 1 });
    expect(result).toMatchObject({ ok: false, failure: { kind: "capability" } });
  });
});

describe("an agent is stopped", () => {
  const descriptors = (): number => readdirSync("/proc/self/fd").length;

  test("by its deadline while the model thinks, and ignores later answers", async () => {
    let release: (() => void) | undefined;
    const script = scripted(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return [say(true)];
    });
    const executor = new AgentExecutor(script.models);
    const rule = agentRule({}, { timeoutMs: 500 });
    const result = await runBounded(executor, rule, callEvent(makeFolder()), undefined);
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 500 } });
    release?.();
    await executor.close();
    expect(script.requests).toHaveLength(1);
  });

  test("by the caller while it searches, and leaves no file open", async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, "x".repeat(5_000)]));
    const cwd = makeFolder(files);
    await runAgainst(scripted([say(true)]), cwd);
    const before = descriptors();
    const caller = new AbortController();
    const script = scripted(() => {
      // At this point the search has started.
      setTimeout(() => caller.abort());
      return [["grep", { pattern: "(x?){20}y" }]];
    });
    const executor = new AgentExecutor(script.models);
    const result = await runBounded(executor, agentRule(), callEvent(cwd), caller.signal);
    expect(result).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
    await executor.close();
    expect(script.requests).toHaveLength(1);
    expect(descriptors()).toBe(before);
  });

  test("by closing the engine, and does not run afterwards", async () => {
    let asked: (() => void) | undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const script = scripted(() => {
      asked?.();
      return new Promise<never>(() => {});
    });
    const executor = new AgentExecutor(script.models);
    const args = { signal: new Stop(), timeLeftMs: 60_000 };
    const running = executor.run(agentRule(), callEvent(makeFolder()), args);
    await isAsked;
    await executor.close();
    expect(await running).toMatchObject({ ok: false, failure: { kind: "cancelled" } });
    expect(await executor.run(agentRule(), callEvent(makeFolder()), args)).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", message: "the engine is closed" },
    });
  });

  test("before it starts", async () => {
    const signal = new Stop();
    signal.abort({ kind: "timeout", message: "too late" });
    const script = scripted([say(true)]);
    expect(await runAgainst(script, makeFolder(), {}, signal)).toMatchObject({
      ok: false,
      failure: { kind: "timeout", message: "too late" },
    });
    expect(script.requests).toEqual([]);
  });
});

describe("a no", () => {
  test.each([
    ["PreToolUse", {}, { decision: "deny", reason: "because" }],
    ["Stop", {}, { decision: "block", reason: "because" }],
    ["Stop", { impossible: true }, { systemMessage: "because" }],
    ["TaskCompleted", {}, { decision: "block", reason: "because" }],
  ])("at %s %j lets the agent go on, as the table of judges says", async (name, more, reply) => {
    const script = scripted([say(false, "because", more)]);
    const event = makeEvent(name, { cwd: makeFolder() });
    const args = { signal: new Stop(), timeLeftMs: 5_000 };
    const result = await new AgentExecutor(script.models).run(agentRule({}, { event: name }), event, args);
    expect(result.ok && result.reply).toEqual(reply);
  });
});
