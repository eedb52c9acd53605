import { describe, expect, test } from "vitest";
import { agentao } from "../../../src/dialects/agentao/dialect.ts";
import { contractOf, denialWord } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import { folderWith } from "../../config/config-files.ts";
import { inProcess } from "../../e2e/in-process.ts";
import { makeVerdict } from "../replies.ts";
import { decode, EVENTS, replyOf } from "./agentao-hooks.ts";

function said(event: string, parts: Parameters<typeof makeVerdict>[1]): JsonObject {
  const { stdout, stderr, exitCode } = agentao.encodeReply(makeVerdict(event, parts), { name: event, payload: {} });
  expect([stderr, exitCode]).toEqual(["", 0]);
  return stdout === "" ? {} : (JSON.parse(stdout) as JsonObject);
}

describe("a verdict", () => {
  test("without an opinion prints nothing", () => {
    for (const event of EVENTS) expect(said(event, {})).toEqual({});
  });

  test("that denies is in the fields that the agent reads", () => {
    const no = { reason: "no" };
    expect(said("UserPromptSubmit", { decision: "block", ...no })).toEqual({ blockingError: "no" });
    expect(said("UserPromptSubmit", { decision: "block", continue: false, stopReason: "p" })).toEqual({
      preventContinuation: true,
      stopReason: "p",
    });
    expect(said("PreToolUse", { decision: "deny", ...no })).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "no",
      },
    });
    expect(said("Stop", { decision: "block", ...no })).toEqual({
      decision: "block",
      reason: "no",
      force_continue: true,
      follow_up_message: "no",
    });
  });

  test.each(EVENTS)("that denies at %s is read back as a denial", (event) => {
    const word = denialWord(contractOf(event, "agentao")!);
    if (word === undefined) return;
    for (const compat of ["safer", "faithful"] as const) {
      expect(replyOf(event, { stdout: said(event, { decision: word, reason: "no" }) }, compat)).toMatchObject({
        decision: word,
        reason: "no",
      });
    }
  });

  test("has the follow-up of a hook instead of the reason with its label", () => {
    expect(said("Stop", { decision: "block", reason: "a: more", followUp: "more" })["reason"]).toBe("more");
  });

  test("with an error ends the turn", () => {
    const parts = { continue: false, stopReason: "a: bad", specific: { blockingError: "bad" } };
    expect(said("Stop", parts)).toEqual({ continue: false, blockingError: "bad" });
    expect(said("Stop", { continue: false, stopReason: "p" })).toEqual({ continue: false, stopReason: "p" });
  });

  test("has texts at events where the agent takes them", () => {
    expect(said("UserPromptSubmit", { additionalContext: "c" })).toEqual({ additionalContext: "c" });
    expect(said("Stop", { additionalContext: "c", systemMessage: "m", suppressOutput: true })).toEqual({
      systemMessage: "m",
      suppressOutput: true,
      hookSpecificOutput: { hookEventName: "Stop", additionalContext: "c" },
    });
    expect(said("PreToolUse", { decision: "ask", reason: "sure?" })["hookSpecificOutput"]).toMatchObject({
      permissionDecision: "ask",
      permissionDecisionReason: "sure?",
    });
  });

  test("of a cancelled dispatch is no permission, and does not keep a turn going", () => {
    for (const event of ["PreToolUse", "UserPromptSubmit"]) {
      expect(decode(event, { stdout: said(event, { cancelled: true }) })).toMatchObject({
        reply: { decision: event === "PreToolUse" ? "deny" : "block" },
      });
    }
    const { stdout, exitCode } = agentao.encodeReply(makeVerdict("Stop", { cancelled: true }), {
      name: "Stop",
      payload: {},
    });
    expect([stdout, exitCode]).toEqual(["", 1]);
  });
});

/** Agentao goes on after any exit code, so problems have to be reported in JSON as well. */
describe("hookbox as one of Agentao's hooks", () => {
  const run = (files: Readonly<Record<string, string>>, stdin: string) => {
    const cwd = folderWith(files);
    return inProcess(["run", "--config", "hooks.json", "--format", "agentao"], { stdin, cwd });
  };
  const call = JSON.stringify({ event: "PreToolUse", data: { toolName: "Bash", toolInput: { command: "ls" } } });
  const rule = (text: string) => JSON.stringify({ PreToolUse: [{ type: "command", command: text }] });

  test("answers in JSON", async () => {
    const { stdout, exitCode } = await run({ "hooks.json": rule('echo \'{"blockingError": "not today"}\'') }, call);
    expect([exitCode, replyOf("PreToolUse", { stdout }).decision]).toEqual([0, "deny"]);
    expect(stdout).toContain("not today");
  });

  test.each([
    ["the configuration", { "hooks.json": JSON.stringify({ PreToolUse: [{ type: "http" }] }) }, call],
    ["the file", { "hooks.json": "{" }, call],
    ["the payload", { "hooks.json": rule("true") }, "{"],
    ["the event", { "hooks.json": rule("true") }, '{"event": "PreToolUs", "data": {}}'],
    ["the tool", { "hooks.json": rule("true") }, '{"event": "PreToolUse", "data": {}}'],
  ])("refuses in JSON if %s cannot be used", async (_, files, stdin) => {
    const { stdout, stderr, exitCode } = await run(files, stdin);
    expect([exitCode, stderr !== ""]).toEqual([2, true]);
    for (const compat of ["safer", "faithful"] as const)
      expect(replyOf("PreToolUse", { stdout, exitCode: exitCode ?? 0 }, compat).decision).toBe("deny");
  });

  test("does not keep a turn going if the configuration cannot be used", async () => {
    const { stdout, exitCode } = await run({ "hooks.json": "{" }, '{"hook_event_name": "Stop"}');
    expect(exitCode).toBe(0);
    expect(replyOf("Stop", { stdout }).decision).toBeUndefined();
  });

  test("lets a guard judge the agent's tools under their canonical names", async () => {
    const guard = (module: string) => ({ type: "wasm", module, timeoutMs: 20_000 });
    const hooks = { PreToolUse: [{ hooks: [guard("builtin:shell-guard"), guard("builtin:secret-guard")] }] };
    const cwd = folderWith({ "hookbox.json": JSON.stringify({ hooks }) });
    const judged = async (toolName: string, toolInput: JsonObject) => {
      const stdin = JSON.stringify({ event: "PreToolUse", data: { toolName, toolInput, sessionId: "s" } });
      const { stdout } = await inProcess(["run", "--config", "hookbox.json", "--dialect", "agentao"], { stdin, cwd });
      return stdout === "" ? "none" : replyOf("PreToolUse", { stdout }).decision;
    };
    const token = "glpat-abcdefghij0123456789";
    expect(await judged("Bash", { command: "rm -rf /etc" })).toBe("deny");
    expect(await judged("run_shell_command", { command: "rm -rf /etc" })).toBe("deny");
    expect(await judged("Bash", { command: "ls" })).toBe("none");
    expect(await judged("Edit", { file_path: "a", old_text: token, new_text: "x" })).toBe("none");
    expect(await judged("replace", { file_path: "a", old_text: "x", new_text: token })).toBe("deny");
  });
});
