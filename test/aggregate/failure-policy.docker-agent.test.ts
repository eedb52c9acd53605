import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import { meaningOfFailure } from "../../src/aggregate/failure-policy.ts";
import type { Compat } from "../../src/codec.ts";
import { dockerAgentCodec } from "../../src/dialects/docker-agent/codec.ts";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";
import { FAILURE_KINDS, type FailureKind } from "../../src/outcome.ts";
import type { OnFailure, Rule } from "../../src/rule.ts";
import { makeEvent } from "../helpers/rules.ts";
import { fails, guard, own } from "./rule-outcomes.ts";

/** For a hook that answers wrongly or not at all, not for a guard. */
const KINDS: readonly FailureKind[] = ["timeout", "exit", "signal", "spawn", "invalid-output", "output-too-large"];
const SANDBOX: readonly FailureKind[] = ["fuel", "stack", "memory", "trap", "capability", "integrity"];
const COMPATS: readonly Compat[] = ["safer", "faithful"];
const ON_ERROR: readonly (OnFailure | undefined)[] = [undefined, "continue", "ignore", "block"];

const row = (name: EventName, dialect = "docker-agent") => contractOf(name, dialect)!;
const rule = (event: EventName, parts: Partial<Rule> = {}): Rule =>
  own("judge", { codec: dockerAgentCodec, event, ...parts });
const meaning = (kind: FailureKind, one: Rule, dialect?: string) =>
  meaningOfFailure(kind, one, row(one.event as EventName, dialect));

const CLOSED: readonly EventName[] = ["PreToolUse", "ToolGuard"];
const WARNS: readonly EventName[] = [
  "ToolInputTransform",
  "BeforeModelCall",
  "UserPromptSubmit",
  "UserSteeringMessagesSubmit",
  "UserFollowupSubmit",
  "PostToolUse",
  "PreCompact",
  "BeforeCompaction",
  "WorktreeCreate",
];

describe.each(KINDS)("a hook of docker-agent's that fails by %s", (kind) => {
  test.each(CLOSED)("closes %s, whatever its on_error says", (name) => {
    for (const onFailure of ON_ERROR) expect(meaning(kind, rule(name, { onFailure }))).toBe("deny");
  });

  test("closes them to the letter of the page as well, except after an exit code at PreToolUse", () => {
    for (const onFailure of ON_ERROR) {
      const faithful = { compat: "faithful", onFailure } as const;
      const goesOn = kind === "exit" && onFailure !== "block";
      expect(meaning(kind, rule("PreToolUse", faithful))).toBe(goesOn ? "continue" : "deny");
      expect(meaning(kind, rule("PreToolUse", { ...faithful, lane: "preempt" }))).toBe("deny");
      expect(meaning(kind, rule("ToolGuard", faithful))).toBe("deny");
    }
  });

  test.each(WARNS)("closes %s only with on_error: block", (name) => {
    for (const compat of COMPATS)
      for (const onFailure of ON_ERROR) {
        expect(meaning(kind, rule(name, { compat, onFailure }))).toBe(onFailure === "block" ? "deny" : "continue");
      }
  });

  test("at PermissionRequest leaves the question to the user only to the letter of the page", () => {
    expect(meaning(kind, rule("PermissionRequest"))).toBe("deny");
    expect(meaning(kind, rule("PermissionRequest", { compat: "faithful" }))).toBe("continue");
    expect(meaning(kind, rule("PermissionRequest", { onFailure: "continue" }))).toBe("continue");
  });

  test("never stops what cannot be stopped", () => {
    for (const name of EVENT_NAMES.filter((name) => row(name).kind === "observer"))
      for (const onFailure of ON_ERROR)
        expect([name, meaning(kind, rule(name, { onFailure }))]).toEqual([name, "continue"]);
  });

  test("means the same if another agent asks", () => {
    expect(meaning(kind, rule("PreToolUse"), "claude-code")).toBe("deny");
    const faithful = rule("PreToolUse", { compat: "faithful" });
    expect(meaning(kind, faithful, "claude-code")).toBe(kind === "exit" ? "continue" : "deny");
    expect(meaning(kind, rule("ToolInputTransform"), "hookbox")).toBe("continue");
  });

  test("does not decide for a rule of hookbox's own format next to it", () => {
    for (const name of ["ToolInputTransform", "UserPromptSubmit", "BeforeModelCall", "PermissionRequest"] as const) {
      expect([name, meaning(kind, own("r", { event: name }))]).toEqual([name, "deny"]);
    }
    for (const name of ["PostToolUse", "PreCompact", "BeforeCompaction"] as const) {
      expect([name, meaning(kind, own("r", { event: name }))]).toEqual([name, "continue"]);
    }
  });
});

test("no agent's page leaves a gate open for a guard, or for a rule that could not be loaded", () => {
  const problem = { severity: "error", code: "HOOK_CONFIG_TYPE", message: "bad" } as const;
  const broken = (event: string) =>
    own("r", { codec: dockerAgentCodec, event, handler: { type: "broken", declaredType: "model", problem } });
  for (const name of ["ToolInputTransform", "UserPromptSubmit", "PreToolUse"] as const) {
    for (const kind of SANDBOX) expect(meaning(kind, rule(name, { compat: "faithful" }))).toBe("deny");
    expect(meaning("exit", { ...guard("g"), event: name, dialect: "docker-agent", compat: "faithful" })).toBe("deny");
    expect(meaning("capability", { ...guard("g"), event: name })).toBe("deny");
    expect(meaning("unavailable", broken(name))).toBe("deny");
    expect(meaningOfFailure("unavailable", broken("*"), row(name))).toBe("deny");
  }
});

test("every kind has a meaning at every event of every dialect", () => {
  for (const dialect of ["hookbox", "claude-code", "docker-agent", "patterns"])
    for (const name of EVENT_NAMES)
      for (const kind of FAILURE_KINDS)
        for (const compat of COMPATS)
          expect(["deny", "continue"]).toContain(
            meaningOfFailure(kind, { ...rule(name, { compat }), dialect }, row(name, dialect)),
          );
});

describe("in the verdict", () => {
  const verdictOf = (name: EventName, onFailure?: OnFailure) =>
    aggregate(makeEvent(name, {}, "docker-agent"), [fails(rule(name, { onFailure }), "exit", "code 1")]);

  test("a failure with a warning is shown to the user, and an ignored one is not", () => {
    expect(verdictOf("ToolInputTransform")).toMatchObject({
      decision: "none",
      systemMessage: "hookbox: judge: exit: code 1; the agent goes on",
    });
    expect(verdictOf("ToolInputTransform", "ignore")).toMatchObject({
      decision: "none",
      systemMessage: null,
      rules: [{ status: "failed", onFailure: "continue" }],
    });
    expect(verdictOf("Stop", "ignore").systemMessage).toBeNull();
  });

  test("a failure that closes a gate is reported even if it is configured to be ignored", () => {
    expect(verdictOf("ToolGuard", "ignore")).toMatchObject({
      decision: "deny",
      reason: "judge: exit: code 1; the gate stays shut",
    });
  });
});
