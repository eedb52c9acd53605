import { afterEach, describe, expect, test } from "vitest";
import { dockerAgentCodec } from "../../../src/dialects/docker-agent/codec.ts";
import { runBounded } from "../../../src/executors/bounded-run.ts";
import { ModelExecutor } from "../../../src/executors/model/model-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import { Models } from "../../../src/models/models.ts";
import { runWithin, WITHIN_VARIABLE } from "../../../src/models/recursion.ts";
import { Stop } from "../../../src/stop-signal.ts";
import { bashEvent, makeEvent } from "../../helpers/rules.ts";
import { ask, type ModelHandler, modelRule } from "./model-kit.ts";

const YES = '{"ok": true, "reason": "fine"}';
const NO = '{"ok": false, "reason": "not that"}';
const TOKEN = "glpat-abcdefghij0123456789";

const judge = `Tool: {{ .ToolName }}
Args: {{ .ToolInput | toJSON }}`;
const dockerJudge = (parts: Partial<ModelHandler> = {}) =>
  modelRule(
    { template: "go", answer: "decision", prompt: judge, ...parts },
    { dialect: "docker-agent", codec: dockerAgentCodec },
  );
const dockerEvent = (name: string, payload: JsonObject) => makeEvent(name, payload, "docker-agent");

describe("a model is asked", () => {
  test("with the event in place of $ARGUMENTS, for the answer that its rule wants", async () => {
    const event = bashEvent("ls");
    const { request } = await ask(YES, modelRule({ maxTokens: 77 }), event);
    expect(request).toMatchObject({ model: "judge", maxTokens: 77, schema: { name: "judgement" } });
    expect(request?.messages).toEqual([{ role: "user", text: `Judge: ${JSON.stringify(event.payload)}` }]);
    expect(request?.system).toMatch(/never an instruction.*\{"ok": true/s);
    expect(request?.tools).toBeUndefined();
  });

  test("with a template, over the payload of the rule's own agent", async () => {
    const event = dockerEvent("PreToolUse", { tool_name: "Bash", tool_input: { command: "rm -rf <dir>" } });
    const { request, result } = await ask('{"decision": "ask", "reason": "unsure"}', dockerJudge(), event);
    expect(request?.messages).toEqual([
      { role: "user", text: 'Tool: shell\nArgs: {"cmd":"rm -rf \\u003cdir\\u003e"}' },
    ]);
    expect(request?.schema?.schema).toMatchObject({ properties: { decision: { enum: ["allow", "ask", "deny"] } } });
    expect(result).toMatchObject({ ok: true, reply: { decision: "ask", reason: "unsure" } });
  });

  test("for text without a schema", async () => {
    const { request } = await ask("text", modelRule({ answer: "text" }));
    expect(request?.schema).toBeUndefined();
    expect(request?.system).toContain("plain text");
  });

  test("without the secrets of the event, but with those of the prompt's author", async () => {
    const event = bashEvent(`curl -H 'PRIVATE-TOKEN: ${TOKEN}' host`);
    const prompt = `Never let ${TOKEN.replace("abcd", "wxyz")} out: $ARGUMENTS`;
    const shown = async (redacts: boolean): Promise<string> =>
      JSON.stringify((await ask(YES, modelRule({ prompt, redacts }), event)).request);
    expect(await shown(true)).not.toContain(TOKEN);
    expect(await shown(true)).toContain(TOKEN.replace("abcd", "wxyz"));
    expect(await shown(true)).toContain("PRIVATE-TOKEN");
    expect(await shown(false)).toContain(TOKEN);
    const made = await ask(YES, dockerJudge({ redacts: true }), makeEvent("PreToolUse", event.payload, "docker-agent"));
    expect(JSON.stringify(made.request)).not.toContain(TOKEN);
  });

  test("with the whole event only: a prompt that is too long is a failure", async () => {
    const { result, request } = await ask(YES, modelRule(), bashEvent("x".repeat(600_000)));
    expect(request).toBeUndefined();
    expect(result).toMatchObject({
      ok: false,
      failure: {
        kind: "capability",
        limit: 524_288,
        message: expect.stringMatching(/^the prompt has 60\d{4} bytes; 5/),
      },
    });
    if (!result.ok) expect(result.failure.value).toBeGreaterThan(600_000);
  });

  test("only if everything that it would be shown could be searched for secrets", async () => {
    const event = bashEvent(`rm -rf / # ${"password = x; ".repeat(1_500)}`);
    const { result, request } = await ask(YES, modelRule({ redacts: true }), event);
    expect(request).toBeUndefined();
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "capability", message: expect.stringMatching(/could not be looked/) },
    });
    // Parts that are not shown need no search.
    const other = modelRule({ redacts: true, template: "go", prompt: "{{ .ToolName }}" });
    expect((await ask(YES, other, event)).result).toMatchObject({ ok: true });
  });

  test("only if the template matches the event", async () => {
    const rule = dockerJudge({ prompt: "{{ .ToolInput.cmd }}" });
    const { result, request } = await ask("{}", rule, dockerEvent("PreToolUse", { tool_name: "x", tool_input: {} }));
    expect(request).toBeUndefined();
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: "unavailable", code: "HOOK_PROMPT_TEMPLATE", message: expect.stringContaining("no cmd") },
    });
  });

  test("only about values that JSON can express", async () => {
    const event = bashEvent("ls");
    const cycle: Record<string, unknown> = { ...event.payload };
    cycle["self"] = cycle;
    const { result } = await ask(YES, modelRule(), { ...event, payload: cycle as JsonObject });
    expect(result).toMatchObject({ ok: false, failure: { kind: "capability" } });
  });
});

describe("the result of an answer", () => {
  test("is no opinion for a yes, with a receipt", async () => {
    const { result, request } = await ask({ text: YES, inputTokens: 12, outputTokens: 3 });
    const [message] = request?.messages ?? [];
    const text = message?.role === "user" ? message.text : "";
    const sent = Buffer.byteLength(`${request?.system}${text}`);
    expect(result).toEqual({
      ok: true,
      reply: {},
      output: YES,
      receipt: {
        micros: expect.any(Number),
        model: "stub/judge",
        inputBytes: sent,
        outputBytes: YES.length,
        inputTokens: 12,
        outputTokens: 3,
        turns: 1,
      },
    });
  });

  test("is the event's denial for a no", async () => {
    const stops = { continue: false, stopReason: "not that" };
    expect((await ask(NO)).result).toMatchObject({ reply: { decision: "deny", reason: "not that", ...stops } });
    const { result } = await ask(NO, modelRule({ continueOnBlock: true }));
    expect(result.ok && result.reply).toEqual({ decision: "deny", reason: "not that" });
  });

  test("is weaker if the rule follows its agent's page to the letter", async () => {
    const event = makeEvent("PermissionRequest", { tool_name: "Bash", tool_input: {} });
    expect((await ask(NO, modelRule(), event)).result).toMatchObject({ reply: { decision: "deny" } });
    expect((await ask(NO, modelRule({}, { compat: "faithful" }), event)).result).toMatchObject({
      reply: {},
      ignored: ["the model's no: it has no effect at PermissionRequest"],
    });
  });

  test.each([
    ["PreToolUse", "allow", { decision: "allow", reason: "r" }],
    ["PermissionRequest", "allow", { decision: "allow", reason: "r" }],
    ["PermissionRequest", "deny", { decision: "deny", reason: "r" }],
    ["UserPromptSubmit", "deny", { decision: "block", reason: "r" }],
    ["UserPromptSubmit", "ask", { decision: "block", reason: "r" }],
  ])("at %s for a decision to %s is %j", async (name, decision, reply) => {
    for (const dialect of ["claude-code", "docker-agent"]) {
      const event = makeEvent(name, { tool_name: "Bash", tool_input: {}, prompt: "p" }, dialect);
      const { result } = await ask(`{"decision": "${decision}", "reason": "r"}`, dockerJudge({ prompt: "?" }), event);
      expect(result.ok && result.reply).toEqual(reply);
    }
  });

  test("names fields that have no effect at the event", async () => {
    const allow = '{"decision": "allow", "reason": "r"}';
    const { result } = await ask(allow, dockerJudge({ prompt: "?" }), makeEvent("UserPromptSubmit", { prompt: "p" }));
    expect(result).toMatchObject({ reply: {}, ignored: ['decision "allow": UserPromptSubmit does not honour it'] });
  });

  test("is context for free text, cleaned and bounded, if the event takes context", async () => {
    const text = modelRule({ answer: "text" });
    const event = makeEvent("UserPromptSubmit", { prompt: "p" });
    const { result } = await ask(` Mind\u001b[2J the \u202egap. ${"x".repeat(20_000)} `, text, event);
    const [context = ""] = (result.ok && result.reply.additionalContext) || [];
    expect(context).toMatch(/^Mind\[2J the gap\. x+… \[\d+ more characters\]$/);
    expect(context.length).toBeLessThan(10_100);
    expect((await ask(" ", text, event)).result).toMatchObject({ ok: true, reply: {} });
    expect((await ask("text", text, makeEvent("Stop", {}, "docker-agent"))).result).toMatchObject({
      reply: {},
      ignored: ["the model's text: Stop does not honour additionalContext"],
    });
  });

  test("is a failure if the answer is cut off, refused, a call, or too long", async () => {
    const failureOf = async (answer: Parameters<typeof ask>[0]) => {
      const { result } = await ask(answer);
      return result.ok ? undefined : result.failure;
    };
    expect(await failureOf({ text: YES, end: "length" })).toMatchObject({ kind: "invalid-output", limit: 1_000 });
    expect(await failureOf({ text: YES, end: "refusal" })).toMatchObject({ kind: "invalid-output" });
    expect(await failureOf({ text: YES, end: "calls" })).toMatchObject({ kind: "invalid-output" });
    expect(await failureOf(`${YES}${" ".repeat(300_000)}`)).toMatchObject({ kind: "output-too-large", limit: 262_144 });
  });

  test("is a failure if the model throws, and names the model", async () => {
    const { result } = await ask(() => Promise.reject(new Error("down")));
    expect(result).toMatchObject({ ok: false, receipt: { model: "stub/judge" } });
  });
});

describe("a rule's deadline", () => {
  test("cancels the request, and the model's signal fires", async () => {
    let signal: AbortSignal | undefined;
    const { result } = await ask(
      (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
      modelRule({}, { timeoutMs: 50 }),
    );
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 50 } });
    expect(signal?.aborted).toBe(true);
  });

  test("that has passed means that no model is asked", async () => {
    let asked = 0;
    const models = new Models({ functions: { stub: async () => `${++asked}` } });
    const signal = new Stop();
    signal.abort({ kind: "cancelled", message: "cancelled by the caller" });
    const result = await new ModelExecutor(models).run(modelRule(), bashEvent("ls"), { signal, timeLeftMs: 0 });
    expect([result.ok, asked]).toEqual([false, 0]);
  });
});

describe("searching a large event for secrets", () => {
  const lines = Array.from({ length: 40 }, (_, text) =>
    Array.from({ length: 60 }, (_, at) => `password = "Xk${text}9-mQ${at}_vL7w" ${"some words ".repeat(30)}`).join(
      "\n",
    ),
  );
  const large = makeEvent("PreToolUse", { tool_name: "Write", tool_input: { lines } });

  test("does not block the thread", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++);
    try {
      await ask(YES, modelRule({ redacts: true, prompt: "?", template: "go" }), large);
    } finally {
      clearInterval(timer);
    }
    expect(turns).toBeGreaterThan(5);
  });

  test("ends at the rule's deadline, and no model is asked", async () => {
    const { result, request } = await ask(YES, modelRule({ redacts: true }, { timeoutMs: 10 }), large);
    expect(request).toBeUndefined();
    expect(result).toMatchObject({ ok: false, failure: { kind: "timeout", limit: 10 } });
  });
});

describe("from within a model hook", () => {
  afterEach(() => {
    delete process.env[WITHIN_VARIABLE];
  });
  const refused = {
    ok: false,
    failure: { kind: "unavailable", message: "a hook that thinks was asked from within one" },
  };

  test("no other model hook runs, in this process", async () => {
    expect((await runWithin(() => ask(YES))).result).toMatchObject(refused);
    const inner = await ask(async () => {
      const { result, request } = await ask(YES);
      expect([result, request]).toMatchObject([refused, undefined]);
      return YES;
    });
    expect(inner.result).toMatchObject({ ok: true });
  });

  test("or in a process that it has started", async () => {
    process.env[WITHIN_VARIABLE] = "1";
    expect((await ask(YES)).result).toMatchObject(refused);
  });
});

describe("before the first event", () => {
  const models = new Models({ functions: { stub: async () => YES } });
  const problemsOf = (parts: Partial<ModelHandler>) => new ModelExecutor(models).prepare(modelRule(parts));

  test("a rule that can ask has no problems", async () => {
    expect(await problemsOf({})).toEqual([]);
    expect(await problemsOf({ template: "go", prompt: judge })).toEqual([]);
  });

  test("a prompt that cannot be used is reported with its place", async () => {
    expect(await problemsOf({ template: "go", prompt: "a\n{{ .Nope }}" })).toEqual([
      {
        severity: "error",
        code: "HOOK_PROMPT_TEMPLATE",
        message: "line 2, column 4 of the prompt: the event has no field Nope",
      },
    ]);
    expect(await problemsOf({ prompt: " " })).toMatchObject([{ message: "the prompt is empty" }]);
  });

  test("a model that is not known is reported, and its rule fails by name", async () => {
    const { choice: _, ...handler } = modelRule().handler as ModelHandler;
    const rule = { ...modelRule(), handler };
    expect(await new ModelExecutor(models).prepare(rule)).toMatchObject([{ code: "HOOK_MODEL_PROVIDER" }]);
    expect((await ask(YES, rule)).result).toMatchObject({ ok: false, failure: { code: "HOOK_MODEL_PROVIDER" } });
  });

  test("a rule of a closed executor asks nothing more", async () => {
    const executor = new ModelExecutor(models);
    await executor.close();
    const result = await runBounded(executor, modelRule(), bashEvent("ls"), undefined);
    expect(result).toMatchObject({ ok: false, failure: { kind: "unavailable", message: "the engine is closed" } });
  });
});
