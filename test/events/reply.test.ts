import { describe, expect, test } from "vitest";
import type { EventName } from "../../src/events/table.ts";
import { ignoredOf, MODES, read, refusal, replyOf, specific } from "./read-reply.ts";

describe("fields that every event has", () => {
  test("`continue: false` stops the agent, with its reason", () => {
    expect(replyOf("PreToolUse", { continue: false, stopReason: "enough" })).toEqual({
      continue: false,
      stopReason: "enough",
    });
    expect(replyOf("SessionStart", { continue: false })).toEqual({ continue: false });
  });

  test("`continue: true` has no effect, nor does its stopReason", () => {
    expect(replyOf("PreToolUse", { continue: true, stopReason: "enough" })).toEqual({});
  });

  test.each<EventName>(["TaskCreated", "ConfigChange", "PreCompact", "Elicitation", "WorktreeCreate", "SessionEnd"])(
    "`continue: false` is dropped and named at %s",
    (name) => {
      expect(replyOf(name, { continue: false, stopReason: "enough" })).toEqual({});
      expect(ignoredOf(name, { continue: false })).toEqual([`continue: false: ${name} does not honour it`]);
    },
  );

  test("systemMessage and suppressOutput are passed on", () => {
    expect(replyOf("PreToolUse", { systemMessage: "hello", suppressOutput: true })).toEqual({
      systemMessage: "hello",
      suppressOutput: true,
    });
    expect(replyOf("PreToolUse", { suppressOutput: false })).toEqual({});
  });

  test("a reason without a decision has no effect", () => {
    expect(replyOf("PreToolUse", { reason: "because" })).toEqual({});
    expect(replyOf("PreToolUse", specific("PreToolUse", { permissionDecisionReason: "because" }))).toEqual({});
  });
});

describe("fields that depend on the event's row", () => {
  test.each<EventName>(["PreToolUse", "UserPromptSubmit", "Stop", "SessionStart", "PostToolUse"])(
    "additionalContext is added at %s",
    (name) => {
      expect(replyOf(name, specific(name, { additionalContext: "by the way" }))).toEqual({
        additionalContext: ["by the way"],
      });
    },
  );

  test.each<EventName>(["PermissionRequest", "SessionEnd", "Notification", "PreCompact"])(
    "additionalContext is dropped and named at %s",
    (name) => {
      expect(replyOf(name, specific(name, { additionalContext: "by the way" }))).toEqual({});
      expect(ignoredOf(name, specific(name, { additionalContext: "by the way" }))).toEqual([
        `additionalContext: ${name} does not honour it`,
      ]);
    },
  );

  test("an empty additionalContext is ignored", () => {
    expect(replyOf("PreToolUse", specific("PreToolUse", { additionalContext: "" }))).toEqual({});
    expect(ignoredOf("SessionEnd", specific("SessionEnd", { additionalContext: "" }))).toEqual([]);
  });

  test("updatedInput replaces the input before a tool runs, with or without a decision", () => {
    const updatedInput = { command: "ls", nested: { deep: [1, null] } };
    expect(replyOf("PreToolUse", specific("PreToolUse", { updatedInput }))).toEqual({ updatedInput });
    expect(replyOf("PermissionRequest", specific("PermissionRequest", { updatedInput }))).toEqual({ updatedInput });
    expect(ignoredOf("PostToolUse", specific("PostToolUse", { updatedInput }))).toEqual([
      "updatedInput: PostToolUse does not honour it",
    ]);
  });

  test.each([["text"], [[1, 2]], [{ stdout: "" }], [0], [false]])(
    "updatedToolOutput may be %j",
    (updatedToolOutput) => {
      const json = specific("PostToolUse", { updatedToolOutput });
      expect(replyOf("PostToolUse", json)).toEqual({ updatedOutput: updatedToolOutput });
      expect(replyOf("PostToolUse", specific("PostToolUse", { updatedMCPToolOutput: updatedToolOutput }))).toEqual({
        updatedOutput: updatedToolOutput,
      });
    },
  );

  test("the newer spelling of two outputs counts, and neither before the tool has run", () => {
    const fields = { updatedMCPToolOutput: "old", updatedToolOutput: "new" };
    expect(replyOf("PostToolUse", specific("PostToolUse", fields))).toEqual({ updatedOutput: "new" });
    expect(replyOf("PreToolUse", specific("PreToolUse", fields))).toEqual({});
    expect(ignoredOf("PreToolUse", specific("PreToolUse", fields))).toEqual([
      "updatedToolOutput: PreToolUse does not honour it",
    ]);
  });

  test.each<[EventName, object]>([
    ["PostToolUse", { classifierContext: "safe" }],
    ["PermissionDenied", { retry: true }],
    ["UserPromptSubmit", { sessionTitle: "title", suppressOriginalPrompt: true }],
    ["UserPromptExpansion", { suppressOriginalPrompt: true }],
    ["SessionStart", { initialUserMessage: "hi", sessionTitle: "t", watchPaths: ["/a"], reloadSkills: true }],
    ["CwdChanged", { watchPaths: ["/a"] }],
    ["FileChanged", { watchPaths: [] }],
    ["MessageDisplay", { displayContent: "shown" }],
    ["WorktreeCreate", { worktreePath: "/tmp/tree" }],
  ])("at %s its own fields are passed on as they are: %j", (name, fields) => {
    expect(replyOf(name, specific(name, { ...fields }))).toEqual({ specific: fields });
  });
});

describe("values of the wrong type", () => {
  const wrong: [EventName, object, RegExp][] = [
    ["PreToolUse", { continue: "false" }, /^continue must be/],
    ["PreToolUse", { continue: null }, /^continue must be/],
    ["SessionEnd", { continue: 0 }, /^continue must be/],
    ["PreToolUse", { reason: ["because"] }, /^reason must be/],
    ["PreToolUse", { continue: false, stopReason: 7 }, /^stopReason must be/],
    ["PreToolUse", { systemMessage: { text: "hello" } }, /^systemMessage must be/],
    ["PreToolUse", { suppressOutput: "yes" }, /^suppressOutput must be/],
    ["PreToolUse", { hookSpecificOutput: [] }, /^hookSpecificOutput must be/],
    ["PreToolUse", { hookSpecificOutput: "deny" }, /^hookSpecificOutput must be/],
    ["PreToolUse", { hookSpecificOutput: null }, /^hookSpecificOutput must be/],
    ["PreToolUse", specific("PreToolUse", { permissionDecisionReason: 7 }), /permissionDecisionReason must be/],
    ["PreToolUse", specific("PreToolUse", { additionalContext: ["a"] }), /additionalContext must be/],
    ["SessionEnd", specific("SessionEnd", { additionalContext: null }), /additionalContext must be/],
    ["PreToolUse", specific("PreToolUse", { updatedInput: "ls" }), /updatedInput must be/],
    ["PreToolUse", specific("PreToolUse", { updatedInput: ["ls"] }), /updatedInput must be/],
    ["PostToolUse", specific("PostToolUse", { updatedInput: 7 }), /updatedInput must be/],
    ["PreToolUse", specific("PreToolUse", { permissionDecision: "allow", updatedInput: null }), /updatedInput must be/],
    ["PreToolUse", { stopReason: 7 }, /^stopReason must be/],
  ];

  for (const mode of MODES) {
    test.each(wrong)(`make a reply to %s invalid, ${mode}ly read: %j`, (name, json, message) => {
      expect(refusal(name, json, mode)).toMatch(message);
    });
  }

  test("make a denial next to them invalid: the failure closes the gate instead", () => {
    for (const mode of MODES) expect(read("PreToolUse", { decision: "block", systemMessage: 7 }, mode).ok).toBe(false);
  });
});

describe("unknown fields", () => {
  const cases: [object, string][] = [
    [{ permissionDecision: "deny" }, "permissionDecision"],
    [{ Decision: "block" }, "Decision"],
    [specific("PreToolUse", { permisionDecision: "deny" }), "hookSpecificOutput.permisionDecision"],
    [specific("PreToolUse", { watchPaths: [] }), "hookSpecificOutput.watchPaths"],
  ];

  test.each(cases)("make the reply of hookbox's own hooks invalid: %j", (json, field) => {
    expect(refusal("PreToolUse", json, "strict")).toBe(`unknown field ${field}`);
  });

  test.each(cases)("are named in an imported hook's reply, whose other fields count: %j", (json, field) => {
    const result = read("PreToolUse", { systemMessage: "hello", ...json }, "lenient");
    expect(result).toEqual({ ok: true, reply: { systemMessage: "hello" }, ignored: [`${field}: unknown field`] });
  });

  test("are found inside of a behaviour too", () => {
    const json = specific("PermissionRequest", { decision: { behavior: "allow", updatedinput: { command: "ls" } } });
    expect(refusal("PermissionRequest", json, "strict")).toBe("unknown field hookSpecificOutput.decision.updatedinput");
    expect(ignoredOf("PermissionRequest", json)).toEqual(["hookSpecificOutput.decision.updatedinput: unknown field"]);
  });

  test("terminalSequence, which has no effect here, is named", () => {
    expect(ignoredOf("Notification", { terminalSequence: "\u0007" })).toHaveLength(1);
  });
});

describe("hookEventName", () => {
  test("must be the event's, in every reply", () => {
    for (const mode of MODES) {
      const json = { hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision: "allow" } };
      expect(refusal("PreToolUse", json, mode)).toBe(
        'hookSpecificOutput.hookEventName must be "PreToolUse", not "PostToolUse"',
      );
      expect(refusal("PreToolUse", { hookSpecificOutput: { hookEventName: null } }, mode)).toMatch(/hookEventName/);
    }
  });

  test("may be missing in an imported hook's reply, and not in hookbox's own", () => {
    const json = { hookSpecificOutput: { permissionDecision: "deny" } };
    expect(refusal("PreToolUse", json, "strict")).toBe('hookSpecificOutput.hookEventName must be "PreToolUse"');
    expect(read("PreToolUse", json, "lenient")).toMatchObject({ ok: true, reply: { decision: "deny" } });
  });
});

describe("messages about a reply", () => {
  test("quote a limited part of it, and no control characters", () => {
    const hostile = `\u001b[2J${"x".repeat(1_000)}`;
    const messages = [
      refusal("PreToolUse", { [hostile]: 1 }, "strict"),
      refusal("PreToolUse", { decision: hostile }, "strict"),
      refusal("PreToolUse", { hookSpecificOutput: { hookEventName: hostile } }, "strict"),
      ...ignoredOf("PreToolUse", { [hostile]: 1 }),
    ];
    for (const message of messages) {
      expect(message).not.toContain("\u001b");
      expect(message.length).toBeLessThan(500);
    }
  });
});
