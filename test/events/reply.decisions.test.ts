import { describe, expect, test } from "vitest";
import type { EventName } from "../../src/events/table.ts";
import type { Decision } from "../../src/outcome.ts";
import { ignoredOf, read, refusal, replyOf, specific } from "./read-reply.ts";

describe("the word of PreToolUse", () => {
  test.each<Decision>(["allow", "deny", "ask", "defer"])("is %s, with its reason", (decision) => {
    const json = specific("PreToolUse", { permissionDecision: decision, permissionDecisionReason: "because" });
    expect(replyOf("PreToolUse", json)).toEqual({ decision, reason: "because" });
  });

  test.each([
    ["approve", "allow"],
    ["block", "deny"],
    ["deny", "deny"],
  ])("may be the older top-level %j, which means %s", (word, decision) => {
    expect(replyOf("PreToolUse", { decision: word, reason: "because" })).toEqual({ decision, reason: "because" });
  });

  test("needs no reason", () => {
    expect(replyOf("PreToolUse", specific("PreToolUse", { permissionDecision: "deny" }))).toEqual({ decision: "deny" });
  });

  test("may be missing", () => {
    expect(replyOf("PreToolUse", {})).toEqual({});
    expect(replyOf("PreToolUse", specific("PreToolUse", {}))).toEqual({});
  });

  test.each([
    ["DENY"],
    ["denied"],
    [" deny"],
    [""],
    ["constructor"],
    ["__proto__"],
    [true],
    [false],
    [null],
    [0],
    [["deny"]],
    [{ behavior: "deny" }],
  ])("makes the whole reply invalid when it is %j", (word) => {
    for (const mode of ["strict", "lenient"] as const) {
      const json = specific("PreToolUse", { permissionDecision: word });
      expect(refusal("PreToolUse", json, mode)).toMatch(/^hookSpecificOutput\.permissionDecision must be one of allow/);
      expect(refusal("PreToolUse", { decision: word }, mode)).toMatch(/^decision must be one of allow/);
    }
  });
});

describe("the word of PermissionRequest", () => {
  const decision = (fields: object) => specific("PermissionRequest", { decision: { ...fields } });

  test("is a behaviour with a message", () => {
    expect(replyOf("PermissionRequest", decision({ behavior: "deny", message: "no", interrupt: true }))).toEqual({
      decision: "deny",
      reason: "no",
      specific: { interrupt: true },
    });
  });

  test("may bring an input and permissions with it", () => {
    const permissions = [
      { type: "addRules", rules: [{ toolName: "Bash" }], behavior: "allow", destination: "session" },
    ];
    const json = decision({ behavior: "allow", updatedInput: { command: "ls" }, updatedPermissions: permissions });
    expect(replyOf("PermissionRequest", json)).toEqual({
      decision: "allow",
      updatedInput: { command: "ls" },
      specific: { updatedPermissions: permissions },
    });
  });

  test.each([
    ["deny"],
    [["deny"]],
    [null],
    [{}],
    [{ behavior: "ask" }],
    [{ behavior: "approve" }],
    [{ behavior: true }],
    [{ behavior: "deny", message: 7 }],
    [{ behavior: "allow", updatedInput: "ls" }],
    [{ behavior: "allow", updatedInput: ["ls"] }],
  ])("makes the whole reply invalid when it is %j", (value) => {
    for (const mode of ["strict", "lenient"] as const)
      expect(refusal("PermissionRequest", specific("PermissionRequest", { decision: value }), mode)).toMatch(
        /^hookSpecificOutput\./,
      );
  });

  test("may be a doubt, which leaves the question to the user", () => {
    const json = specific("PermissionRequest", { permissionDecision: "ask" });
    expect(replyOf("PermissionRequest", json)).toEqual({ decision: "ask" });
  });
});

describe("the word of events that only block", () => {
  const events: EventName[] = ["UserPromptSubmit", "Stop", "PostToolUse", "PreCompact", "ConfigChange", "TaskCreated"];

  test.each(events)("at %s is `block`, and a `deny` says the same", (name) => {
    expect(replyOf(name, { decision: "block", reason: "no" })).toEqual({ decision: "block", reason: "no" });
    expect(replyOf(name, { decision: "deny", reason: "no" })).toEqual({ decision: "block", reason: "no" });
    expect(replyOf(name, specific(name, { permissionDecision: "deny" }))).toEqual({ decision: "block" });
  });

  test.each(events)("at %s cannot permit: an approval is dropped and named", (name) => {
    expect(replyOf(name, { decision: "approve", reason: "fine" })).toEqual({});
    expect(ignoredOf(name, { decision: "approve" })).toEqual([`decision "allow": ${name} does not honour it`]);
  });
});

describe("a doubt at an event where the user cannot be asked", () => {
  test.each<EventName>(["UserPromptSubmit", "UserPromptExpansion", "ConfigChange", "TaskCreated", "PreCompact"])(
    "at %s closes the gate",
    (name) => {
      for (const word of ["ask", "defer"]) {
        expect(replyOf(name, { decision: word, reason: "hm" })).toEqual({ decision: "block", reason: "hm" });
      }
    },
  );

  test("asks the user at an event that cannot be deferred", () => {
    const json = specific("PreModelSwitch", { permissionDecision: "defer" });
    expect(replyOf("PreModelSwitch", json)).toEqual({ decision: "ask" });
  });

  test.each<EventName>(["PostToolUse", "SessionStart", "Notification", "WorktreeRemove"])(
    "at %s, where nothing is stopped, is dropped and named",
    (name) => {
      for (const word of ["ask", "defer"]) {
        expect(replyOf(name, { decision: word })).toEqual({});
        expect(ignoredOf(name, { decision: word })).toEqual([`decision "${word}": ${name} does not honour it`]);
      }
    },
  );

  test.each<EventName>(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"])(
    "at %s, where a denial means going on, is dropped and named",
    (name) => {
      expect(replyOf(name, { decision: "ask" })).toEqual({});
      expect(ignoredOf(name, { decision: "ask" })).toEqual([`decision "ask": ${name} does not honour it`]);
    },
  );

  test("a refusal at an event that cannot be refused is dropped and named", () => {
    expect(replyOf("SessionEnd", { decision: "block", reason: "no" })).toEqual({});
    expect(ignoredOf("SessionEnd", { decision: "block" })).toEqual(['decision "block": SessionEnd does not honour it']);
  });
});

describe("a reply that contradicts itself", () => {
  const both = (top: string, below: string) => ({
    decision: top,
    reason: `top ${top}`,
    ...specific("PreToolUse", { permissionDecision: below, permissionDecisionReason: `below ${below}` }),
  });

  test.each([
    ["approve", "deny", "deny", "below deny"],
    ["block", "allow", "deny", "top block"],
    ["approve", "ask", "ask", "below ask"],
    ["approve", "defer", "defer", "below defer"],
    ["ask", "defer", "defer", "below defer"],
    ["deny", "ask", "deny", "top deny"],
    ["block", "deny", "deny", "below deny"],
  ])("with %s and %s means %s, with that word's reason", (top, below, decision, reason) => {
    expect(replyOf("PreToolUse", both(top, below))).toEqual({ decision, reason });
  });

  test("with a behaviour does not override a word either", () => {
    const json = {
      decision: "block",
      reason: "no",
      ...specific("PermissionRequest", { decision: { behavior: "allow" } }),
    };
    expect(replyOf("PermissionRequest", json)).toEqual({ decision: "deny", reason: "no" });
  });

  test("with a stop keeps an approval", () => {
    const json = { continue: false, stopReason: "enough", decision: "approve" };
    expect(replyOf("PreToolUse", json)).toEqual({ continue: false, stopReason: "enough", decision: "allow" });
  });

  test("with two words for a denial uses the one given reason for both", () => {
    const json = { decision: "block", reason: "secrets", ...specific("PreToolUse", { permissionDecision: "deny" }) };
    expect(replyOf("PreToolUse", json)).toEqual({ decision: "deny", reason: "secrets" });
  });
});

describe("an imported hook's permission", () => {
  test.each<[EventName, string, object]>([
    ["PermissionRequest", "the older top-level word", { decision: "approve" }],
    ["PermissionRequest", "PreToolUse's field", specific("PermissionRequest", { permissionDecision: "allow" })],
    ["PreToolUse", "PermissionRequest's field", specific("PreToolUse", { decision: { behavior: "allow" } })],
    ["PreToolUse", "the older word in the newer field", specific("PreToolUse", { permissionDecision: "approve" })],
    ["PreToolUse", "the newer word in the older field", { decision: "allow" }],
  ])("at %s counts in its own field and spelling only: not in %s", (name, _what, json) => {
    const result = read(name, json, "lenient");
    expect(result.ok ? result.reply.decision : "invalid").not.toBe("allow");
  });
});

describe("answering an elicitation for the user", () => {
  test.each(["decline", "cancel"])("with %j is a refusal", (action) => {
    for (const name of ["Elicitation", "ElicitationResult"] as const)
      expect(replyOf(name, specific(name, { action }))).toMatchObject({ decision: "block" });
  });

  test("with content is passed on", () => {
    const json = specific("Elicitation", { action: "accept", content: { name: "x" } });
    expect(replyOf("Elicitation", json)).toMatchObject({ specific: { action: "accept", content: { name: "x" } } });
  });
});
