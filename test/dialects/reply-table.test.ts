import { describe, expect, test } from "vitest";
import { anyRefusal } from "../../src/cli/agent-reply.ts";
import { CLIENTS, clientOf } from "../../src/dialects/clients.ts";
import type { AgentReply, Dialect } from "../../src/dialects/dialect.ts";
import { DIALECT_NAMES, DIALECTS } from "../../src/dialects/registry.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";
import { agentNamed } from "../e2e/agents-by-hand.ts";
import { type CliResult, project } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";
import fc from "../helpers/fc.ts";
import { SENDERS } from "./client-payloads.ts";
import { ANY_READER, CLAUDE_FORM } from "./client-readers.ts";
import { makeVerdict } from "./replies.ts";
import { type Cell, INSTEAD, KINDS, READINGS, REASON, REPLIES, VERDICTS } from "./reply-table.ts";

/** The bytes of docs/replies.md, and how the measured clients read them. */

const CALL = { name: "PreToolUse", payload: {} };
const dialectOf = (name: string): Dialect => DIALECTS[name] as Dialect;

function expectCell(reply: AgentReply | CliResult, { stdout, stderr, exitCode }: Cell, text = REASON): void {
  const reason = expect.stringContaining(text);
  const withReason = JSON.parse(JSON.stringify(stdout), (_, value) => (value === REASON ? reason : value));
  expect(reply.exitCode).toBe(exitCode);
  expect(reply.stdout === "" ? null : JSON.parse(reply.stdout)).toEqual(withReason);
  expect(reply.stderr.trim() !== "").toBe(stderr);
}

test("the table has each dialect and each kind of answer", () => {
  expect(Object.keys(REPLIES).sort()).toEqual([...DIALECT_NAMES].sort());
  for (const row of Object.values(REPLIES)) expect(Object.keys(row).sort()).toEqual([...KINDS].sort());
});

describe.each(DIALECT_NAMES)("%s", (name) => {
  const row = REPLIES[name] as (typeof REPLIES)[string];

  test.each(Object.keys(VERDICTS) as (keyof typeof VERDICTS)[])("prints what the table contains: %s", (kind) => {
    const reply = dialectOf(name).encodeReply(makeVerdict("PreToolUse", VERDICTS[kind]), CALL);
    expectCell(reply, row[kind], kind === "cannot judge" ? "cancelled" : REASON);
  });

  test("prints what the table contains: broken configuration", async () => {
    const config = project().write("hookbox.json", '{"hoks": {}}');
    const stdin = JSON.stringify(agentNamed(name).shell("ls"));
    const reply = await inProcess(["run", "--dialect", name, "--config", config], { stdin });
    expectCell(reply, row["broken configuration"], "HOOK_CONFIG_UNKNOWN_KEY");
  });

  test("prints what the table contains: unknown payload", async () => {
    const config = project().configure("PreToolUse", { type: "command", command: "true" });
    for (const dialect of [name, "auto"]) {
      const reply = await inProcess(["run", "--dialect", dialect, "--config", config], { stdin: '{"x":1}' });
      expectCell(reply, row["unknown payload"], "HOOK_PAYLOAD_INVALID");
    }
  });
});

describe("a payload whose agent is not certain", () => {
  test.each(SENDERS.flatMap(({ name, payloads }) => payloads.slice(0, 1).map((payload) => [name, payload] as const)))(
    "of %s is refused in the format that its agent reads",
    (name, payload) => {
      const reply = { stdout: anyRefusal(payload, "no"), stderr: "no\n", exitCode: 2 };
      for (const [reader, refuses] of Object.entries(ANY_READER)) {
        const isOther = { Agentao: "Agentao", OpenClaw: "OpenClaw" }[reader] ?? name;
        if (isOther === name) expect([reader, refuses(reply)]).toEqual([reader, true]);
      }
    },
  );

  test("and cannot even be parsed is refused in a form that all agents read", () => {
    const reply = { stdout: anyRefusal(undefined, "no"), stderr: "no\n", exitCode: 2 };
    for (const [reader, refuses] of Object.entries(ANY_READER))
      expect([reader, refuses(reply)]).toEqual([reader, true]);
  });

  test("names no other event, because Claude Code 2.1.197 would ignore the refusal", () => {
    expect(JSON.parse(anyRefusal({ hook_event_name: "UserPromptSubmit" }, "no"))).not.toHaveProperty(
      "hookSpecificOutput",
    );
  });
});

/** The readers' names for the clients that were run. */
const READERS: Readonly<Record<string, string>> = {
  "claude 2.1.197": "Claude Code 2.1.197",
  "claude 2.1.330": "Claude Code 2.1.330",
  codex: "Codex",
  qwen: "Qwen Code",
  kimi: "Kimi Code",
  copilot: "Copilot CLI in Claude Code's form",
  gemini: "Gemini CLI",
};

test.each(READINGS)("the handwritten readers read as the clients did: $what", ({ prints, exitCode, refused }) => {
  const stdout = prints === null ? "" : JSON.stringify(prints);
  const reply = { stdout, stderr: exitCode === 2 ? REASON : "", exitCode };
  const read = Object.keys(refused).map((client) => [client, ANY_READER[READERS[client] as string]?.(reply)]);
  expect(Object.fromEntries(read)).toEqual(refused);
});

/** Verdicts on a tool call with every field of a verdict, in any combination. */
const verdicts: fc.Arbitrary<Verdict> = fc
  .record({
    decision: fc.constantFrom("deny", "ask", "defer", "allow", "none"),
    continue: fc.boolean(),
    suppressOutput: fc.boolean(),
    reason: fc.option(fc.constant("because")),
    stopReason: fc.option(fc.constant("enough")),
    systemMessage: fc.option(fc.constant("careful")),
    additionalContext: fc.option(fc.constant("a hint")),
    updatedInput: fc.option(fc.constant(INSTEAD as JsonObject)),
    updatedOutput: fc.option(fc.constant("out")),
    summary: fc.option(fc.constant("short")),
    metadata: fc.constantFrom<JsonObject>({}, { a: 1 }),
    specific: fc.constantFrom<JsonObject>({}, { retry: true }, { sessionTitle: "t" }),
  })
  .map((parts) => makeVerdict("PreToolUse", parts as Partial<Verdict>));

describe.each(["claude-code", "patterns"])("no field of a reply of %s disables its own denial", (name) => {
  test.each(Object.entries(CLAUDE_FORM))("for %s", (client, refuses) => {
    const payload = SENDERS.find((one) => one.name.startsWith(client.replace(/ 2.1.197$/, "")))
      ?.payloads[0] as JsonObject;
    fc.assert(
      fc.property(verdicts, fc.constantFrom({}, payload), (verdict, sent) => {
        const reply = dialectOf(name).encodeReply(verdict, { name: "PreToolUse", payload: sent });
        if (verdict.decision === "deny") expect(refuses(reply)).toBe(true);
        // A question that the client would not ask is a refusal, if the payload identifies the client.
        if (sent === payload && ["ask", "defer"].includes(verdict.decision)) expect(refuses(reply)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a rewrite", () => {
  const rewritten = (
    client: keyof typeof CLIENTS,
    decision: Verdict["decision"] = "none",
    dialect = "claude-code",
  ): AgentReply => {
    const sent = SENDERS.flatMap(({ payloads }) => payloads).find(
      (one) => clientOf(one) === client && "tool_name" in one,
    );
    const verdict = makeVerdict("PreToolUse", { decision, updatedInput: INSTEAD });
    return dialectOf(dialect).encodeReply(verdict, { name: "PreToolUse", payload: sent as JsonObject });
  };

  test("that Codex makes only with a permission has one, which grants nothing there", () => {
    for (const dialect of ["claude-code", "patterns"]) {
      const reply = JSON.parse(rewritten("codex", "none", dialect).stdout);
      const updated = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: INSTEAD };
      expect(reply).toEqual({ hookSpecificOutput: updated });
    }
  });

  test.each(["qwen", "kimi"] as const)("that %s would not make is a refusal that says so", (client) => {
    for (const decision of ["none", "allow"] as const) {
      expect(JSON.parse(rewritten(client, decision).stdout).hookSpecificOutput).toEqual({
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: expect.stringContaining(`${CLIENTS[client].title} would run it unchanged`),
      });
      expect(rewritten(client, decision, "patterns")).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining("would run it unchanged"),
      });
    }
  });

  test("grants nothing to Claude Code or Copilot, which make it without a permission", () => {
    expect(JSON.parse(rewritten("copilot").stdout).hookSpecificOutput).not.toHaveProperty("permissionDecision");
    const plain = dialectOf("claude-code").encodeReply(makeVerdict("PreToolUse", { updatedInput: INSTEAD }), CALL);
    expect(JSON.parse(plain.stdout).hookSpecificOutput).not.toHaveProperty("permissionDecision");
  });
});

test("a denied permission request has no field for which Codex would ignore the denial", () => {
  const denied = makeVerdict("PermissionRequest", {
    decision: "deny",
    reason: "no",
    continue: false,
    suppressOutput: true,
    specific: { interrupt: true },
  });
  const payload = {
    ...SENDERS.find(({ name }) => name === "Codex")?.payloads[0],
    hook_event_name: "PermissionRequest",
  };
  const { stdout } = dialectOf("claude-code").encodeReply(denied, { name: "PermissionRequest", payload });
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "deny", message: "no" } },
  });
});
