import { describe, expect, test } from "vitest";
import { patternsCodec } from "../../../src/dialects/patterns/codec.ts";
import { encodeReply } from "../../../src/dialects/patterns/encode-reply.ts";
import type { EventContract } from "../../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES, isEventOf } from "../../../src/events/lookup.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { makeVerdict } from "../replies.ts";

const NAMES = EVENT_NAMES.filter((event) => isEventOf(event, "patterns"));
const row = (event: string): EventContract => contractOf(event, "patterns") as EventContract;
const understood = (event: string, ended: ReturnType<typeof encodeReply>) =>
  patternsCodec.decodeReply(ended, makeEvent(event, {}, "patterns"));

describe.each(NAMES)("a verdict at %s", (event) => {
  test("without an opinion prints nothing", () => {
    expect(encodeReply(makeVerdict(event, {}))).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test("that denies or asks is a block with its reason, in two forms", () => {
    const words = (["deny", "block", "ask", "defer"] as const).filter((word) => row(event).verdicts.includes(word));
    for (const decision of words) {
      const ended = encodeReply(makeVerdict(event, { decision, reason: "guard: because" }));
      expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("guard: because") });
      expect(JSON.parse(ended.stdout)).toMatchObject({ decision: "block", reason: expect.stringContaining("because") });
      expect(understood(event, ended)).toMatchObject({ ok: true, reply: { decision: denialWord(row(event)) } });
    }
  });

  test("that stops the agent says so, with exit code 0 at events where 2 would make it go on", () => {
    const decision = denialWord(row(event)) ?? "none";
    const ended = encodeReply(makeVerdict(event, { decision, continue: false, stopReason: "guard: enough" }));
    const isStopped = decision === "none" || row(event).blockMeansGoOn;
    expect(ended.exitCode).toBe(isStopped ? 0 : 2);
    expect(JSON.parse(ended.stdout)).toMatchObject({ continue: false, stopReason: "guard: enough" });
    expect(understood(event, ended)).toMatchObject({ ok: true, reply: { continue: false } });
  });
});

test("a permission is written in the page's form", () => {
  for (const event of ["PreToolUse", "PermissionRequest"]) {
    const { stdout, exitCode } = encodeReply(makeVerdict(event, { decision: "allow" }));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      decision: "allow",
      hookSpecificOutput: { hookEventName: event, permissionDecision: "allow" },
    });
  }
});

test("a permission with a rewrite has no decision, because Claude Code would ignore the rewrite", () => {
  const verdict = makeVerdict("PreToolUse", { decision: "allow", updatedInput: { a: 1 } });
  const hookSpecificOutput = { hookEventName: "PreToolUse", permissionDecision: "allow", updatedInput: { a: 1 } };
  expect(JSON.parse(encodeReply(verdict).stdout)).toEqual({ hookSpecificOutput });
  const faithful = encodeReply(verdict, { name: "PreToolUse", payload: {} }, "faithful");
  expect(JSON.parse(faithful.stdout)).toEqual({ decision: "allow", hookSpecificOutput });
});

test("a refused tool call has the word that Claude Code knows, and with faithful the page's", () => {
  const verdict = makeVerdict("PreToolUse", { decision: "deny", reason: "no", suppressOutput: true });
  const wordOf = (compat: "safer" | "faithful") => {
    const reply = encodeReply(verdict, { name: "PreToolUse", payload: {} }, compat);
    expect(reply).toMatchObject({ exitCode: 2, stderr: "no\n" });
    const said = JSON.parse(reply.stdout);
    expect(said).toMatchObject({ decision: "block", reason: "no" });
    expect(said).not.toHaveProperty("suppressOutput");
    return said.hookSpecificOutput.permissionDecision;
  };
  expect([wordOf("safer"), wordOf("faithful")]).toEqual(["deny", "block"]);
});

test("a new worktree that is refused or stopped has no folder, whichever rule named one", () => {
  const specific = { worktreePath: "/tmp/tree" };
  for (const goesOn of [true, false]) {
    const ended = encodeReply(makeVerdict("WorktreeCreate", { decision: "block", continue: goesOn, specific }));
    expect(ended.exitCode).toBe(2);
    expect(ended.stdout).not.toContain("/tmp/tree");
  }
});

test("a new worktree's folder is plain text, and a cancelled dispatch is no answer", () => {
  expect(encodeReply(makeVerdict("WorktreeCreate", { specific: { worktreePath: "/trees/a" } })).stdout).toBe(
    "/trees/a\n",
  );
  expect(encodeReply(makeVerdict("PreToolUse", { cancelled: true }))).toMatchObject({
    stdout: "",
    exitCode: 2,
    stderr: expect.stringContaining("cancelled"),
  });
});

test("every event can be served by each mode, and can stop the agent", () => {
  for (const event of NAMES) {
    expect([event, ...row(event).handlers]).toEqual(expect.arrayContaining(["command", "http", "model", "agent"]));
    expect([event, ...row(event).verdicts]).toContain("continue:false");
    expect(new Set(row(event).verdicts).size).toBe(row(event).verdicts.length);
  }
  expect(contractOf("SessionStart", "claude-code")?.handlers).not.toContain("http");
});
