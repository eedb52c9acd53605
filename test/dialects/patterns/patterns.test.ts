import { describe, expect, test } from "vitest";
import { readDocument } from "../../../src/config/document.ts";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import type { ParsedConfig } from "../../../src/dialects/dialect.ts";
import { patternsCodec } from "../../../src/dialects/patterns/codec.ts";
import { patternsFormat } from "../../../src/dialects/patterns/config-format.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { Layer } from "../../../src/layer-trust.ts";
import { brokenIn } from "../../config/config-files.ts";
import { makeEvent } from "../../helpers/rules.ts";
import type { Ended } from "../replies.ts";

async function parse(text: string, layer: Layer = "project"): Promise<ParsedConfig> {
  const read = await readDocument(text, "hooks.yaml");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return patternsFormat.parseRules(read.document, { layer, baseDir: "/base", defaults: BUILTIN_DEFAULTS });
}

describe("a configuration", () => {
  test("has events, groups and hooks", async () => {
    const { rules, problems } = await parse(`
hooks_config:
  PreToolUse:
    - matcher: "Write"
      hooks:
        - { type: command, command: "lint --file $tool_input_path", if: "Write(src/**/*.ts)", timeout: 10, once: true }
  Stop:
    - hooks:
        - { type: agent, prompt: "Verify.", timeout: 60 }
  PostToolUse:
    - matcher: "Bash"
      hooks:
        - { type: http, url: "http://localhost:9000/audit", async: true }
`);
    expect(rules).toMatchObject([
      {
        event: "PreToolUse",
        matcher: "Write",
        handler: { type: "command", command: "lint --file $tool_input_path" },
        condition: "Write(src/**/*.ts)",
        timeoutMs: 10_000,
        once: "session",
        dialect: "patterns",
      },
      {
        event: "Stop",
        handler: { type: "agent", prompt: "Verify.", redacts: true, maxTurns: 50, maxTokens: 200_000 },
        timeoutMs: 60_000,
        may: ["deny", "ask", "context"],
      },
      { event: "PostToolUse", handler: { type: "http", network: "loopback" }, async: true },
    ]);
    expect(problems).toEqual([]);
  });

  test("has judges with a timeout of a minute and a model", async () => {
    const { rules, problems } = await parse(
      "hooks_config: { PreToolUse: [{ hooks: [{ type: prompt, prompt: 'Fine? $ARGUMENTS', model: haiku }] }] }",
    );
    expect(problems).toEqual([]);
    const handler = { type: "model", model: "haiku", template: "arguments", answer: "ok", continueOnBlock: false };
    expect(rules).toMatchObject([{ handler: { ...handler, redacts: true, maxTokens: 1_024 }, timeoutMs: 60_000 }]);
  });

  test.each<Layer>(["managed", "user", "project", "local"])(
    "of layer %s may ask a server on this machine",
    async (layer) => {
      const { rules } = await parse(
        "hooks_config: { Stop: [{ hooks: [{ type: http, url: 'http://127.0.0.1:1/' }] }] }",
        layer,
      );
      expect(rules[0]?.handler).toMatchObject({ network: "loopback" });
    },
  );

  test("cannot send the user's variables if it may come with a repository", async () => {
    const text =
      "hooks_config: { PreToolUse: [{ hooks: [{ type: http, url: 'https://a.test/', headers: { A: $TOKEN }, allowedEnvVars: [TOKEN] }] }] }";
    const { rules, problems } = await parse(text, "project");
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TRUST" }]);
    expect(rules[0]?.handler.type).toBe("broken");
    const own = await parse(text, "user");
    expect(own.rules[0]?.handler).toMatchObject({ type: "http", allowedEnvVars: ["TOKEN"] });
  });

  test("keeps a hook with an unknown key, which is reported", async () => {
    const { rules, problems } = await parse(
      "hooks_config: { Stop: [{ hooks: [{ type: command, command: a, asinc: true }] }] }",
    );
    expect(rules[0]?.handler.type).toBe("command");
    expect(problems).toMatchObject([{ severity: "warning", hint: 'did you mean "async"?' }]);
  });

  test("whose hooks are under another dialect's key lets nothing pass", async () => {
    const { rules, problems } = await parse("hooks: { Stop: [] }");
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
    expect(problems).toMatchObject([{ severity: "error", hint: 'did you mean "hooks_config"?' }]);
  });
});

describe("a reply", () => {
  const decode = (event: string, { stdout = "", stderr = "", exitCode = 0 }: Ended) =>
    patternsCodec.decodeReply(
      { stdout: typeof stdout === "string" ? stdout : JSON.stringify(stdout), stderr, exitCode },
      makeEvent(event, {}, "patterns"),
    );

  test.each<[string, string, Ended, JsonObject]>([
    [
      "exit code 2 blocks, with stderr",
      "PreToolUse",
      { exitCode: 2, stderr: "no" },
      { decision: "deny", reason: "no" },
    ],
    ["silence is success", "PreToolUse", {}, {}],
    ["block", "PreToolUse", { stdout: { decision: "block", reason: "r" } }, { decision: "deny", reason: "r" }],
    ["a plain allow", "PreToolUse", { stdout: { decision: "allow" } }, { decision: "allow" }],
    ["a plain allow of a request", "PermissionRequest", { stdout: { decision: "allow" } }, { decision: "allow" }],
    [
      "continue: false",
      "PreToolUse",
      { stdout: { continue: false, stopReason: "policy", decision: "block" } },
      { continue: false, stopReason: "policy", decision: "deny" },
    ],
    [
      "another input",
      "PreToolUse",
      {
        stdout: { hookSpecificOutput: { updatedInput: { a: 1 }, permissionDecision: "allow", additionalContext: "c" } },
      },
      { decision: "allow", additionalContext: ["c"], updatedInput: { a: 1 } },
    ],
    [
      "a word for no at a permission",
      "PreToolUse",
      { stdout: { hookSpecificOutput: { permissionDecision: "block" } } },
      { decision: "deny" },
    ],
    [
      "another output",
      "PostToolUse",
      { stdout: { hookSpecificOutput: { updatedMCPToolOutput: "x" } } },
      { updatedOutput: "x" },
    ],
  ])("%s", (_what, event, ended, reply) => {
    expect(decode(event, ended)).toMatchObject({ ok: true, reply });
  });

  test("that was cut off, or with any other exit code, is a failure", () => {
    expect(decode("PreToolUse", { stdout: '{"decision": "bl' })).toMatchObject({ failure: { kind: "invalid-output" } });
    expect(decode("PreToolUse", { exitCode: 1, stdout: { decision: "allow" } })).toMatchObject({
      failure: { kind: "exit", value: 1 },
    });
    expect(decode("PreToolUse", { exitCode: 1, stdout: { decision: "block" } })).toMatchObject({ ok: true });
  });

  test("of a web hook may allow in the same way", () => {
    const event = makeEvent("PreToolUse", {}, "patterns");
    expect(
      patternsCodec.decodeHttpReply({ status: 200, contentType: "", body: '{"decision":"allow"}' }, event),
    ).toMatchObject({ ok: true, reply: { decision: "allow" } });
  });

  test("may detach the hook", () => {
    expect(patternsCodec.readDetachment('{"async": true, "asyncTimeout": 30}')).toEqual({ timeoutMs: 30_000 });
  });
});

test("a command gets the event as variables", () => {
  const event = makeEvent("PreToolUse", { tool_name: "Write", tool_input: { file_path: "/a b" } }, "patterns");
  expect(patternsCodec.environment(event)).toMatchObject({ tool_input_path: "/a b", tool_name: "Write" });
});
