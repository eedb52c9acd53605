import { describe, expect, test } from "vitest";
import { encodeReply } from "../../src/dialects/claude-reply.ts";
import type { AgentReply } from "../../src/dialects/dialect.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import { EVENTS } from "../../src/events/table.ts";
import type { Verdict } from "../../src/verdict.ts";
import { makeVerdict } from "./replies.ts";

const encode = (event: string, parts: Partial<Verdict>): AgentReply => encodeReply(makeVerdict(event, parts));

/** Returns the JSON of a reply with exit code 0 and empty stderr. */
function json(event: string, parts: Partial<Verdict>): unknown {
  const { stdout, stderr, exitCode } = encode(event, parts);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout.endsWith("}\n")).toBe(true);
  return JSON.parse(stdout);
}

const specific = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });
const SILENCE: AgentReply = { stdout: "", stderr: "", exitCode: 0 };

describe("a verdict without an opinion", () => {
  test.each(EVENT_NAMES)("prints nothing at %s", (event) => {
    expect(encode(event, {})).toEqual(SILENCE);
  });
});

describe.each(["claude-code", "hookbox", "patterns"])("a reply to %s", (dialect) => {
  test.each([
    ["SessionStart", { sessionTitle: "t" }, { blockingError: "x" }],
    ["Stop", {}, { blockingError: "x", stopReason: "y" }],
    ["PostToolUse", { classifierContext: "c" }, { stopReason: "y" }],
  ] as const)("has the fields of %s that the agent knows, and none of another agent's", (event, known, foreign) => {
    const verdict = makeVerdict(event, { specific: { ...known, ...foreign } });
    const reply = dialectNamed(dialect)?.encodeReply(verdict, { name: event, payload: {} });
    const { stdout = "" } = reply ?? {};
    const expected = specific(event, known);
    expect(stdout === "" ? {} : JSON.parse(stdout)).toEqual(Object.keys(known).length === 0 ? {} : expected);
  });
});

describe.each(["PreToolUse", "PreModelSwitch"])("at %s", (event) => {
  test.each(["deny", "ask", "allow"] as const)("%s is a permission decision with its reason", (decision) => {
    expect(json(event, { decision, reason: "guard: because" })).toEqual(
      specific(event, { permissionDecision: decision, permissionDecisionReason: "guard: because" }),
    );
  });

  test("a denial without a reason still has one", () => {
    expect(json(event, { decision: "deny" })).toEqual(
      specific(event, { permissionDecision: "deny", permissionDecisionReason: "refused by a hook" }),
    );
  });

  test.each(["allow", "ask"] as const)("%s without a reason is not called a refusal", (decision) => {
    expect(JSON.stringify(json(event, { decision }))).not.toContain("refused");
  });
});

describe("at PreToolUse", () => {
  test("defer is a permission decision", () => {
    expect(json("PreToolUse", { decision: "defer", reason: "later" })).toEqual(
      specific("PreToolUse", { permissionDecision: "defer", permissionDecisionReason: "later" }),
    );
  });

  test("a rewrite goes with a decision or alone", () => {
    const updatedInput = { command: "ls" };
    expect(json("PreToolUse", { updatedInput })).toEqual(specific("PreToolUse", { updatedInput }));
    expect(json("PreToolUse", { updatedInput, decision: "ask", reason: "sure?" })).toEqual(
      specific("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "sure?", updatedInput }),
    );
  });

  test("a denial that stops the agent is one object, and exit code 2 with the reason", () => {
    const verdict = {
      decision: "deny",
      reason: "a: no\nb: no",
      continue: false,
      stopReason: "b: enough",
      additionalContext: "a hint",
      systemMessage: "careful",
      suppressOutput: true,
    } as const;
    const reply = encodeReply(makeVerdict("PreToolUse", verdict));
    expect(reply).toMatchObject({ exitCode: 2, stderr: "a: no\nb: no\n" });
    // Codex ignores a denial next to `suppressOutput`, which no client needs there.
    expect(JSON.parse(reply.stdout)).toEqual({
      continue: false,
      stopReason: "b: enough",
      systemMessage: "careful",
      ...specific("PreToolUse", {
        permissionDecision: "deny",
        permissionDecisionReason: "a: no\nb: no",
        additionalContext: "a hint",
      }),
    });
  });
});

describe("at PermissionRequest", () => {
  test("deny is a behaviour with a message", () => {
    expect(json("PermissionRequest", { decision: "deny", reason: "no", specific: { interrupt: true } })).toEqual(
      specific("PermissionRequest", { decision: { behavior: "deny", message: "no", interrupt: true } }),
    );
  });

  test("allow is a behaviour, with its input and permissions", () => {
    const updatedPermissions = [{ type: "setMode", mode: "plan", destination: "session" }];
    expect(json("PermissionRequest", { decision: "allow", reason: "fine" })).toEqual(
      specific("PermissionRequest", { decision: { behavior: "allow" } }),
    );
    expect(
      json("PermissionRequest", {
        decision: "allow",
        updatedInput: { command: "ls" },
        specific: { updatedPermissions },
      }),
    ).toEqual(
      specific("PermissionRequest", {
        decision: { behavior: "allow", updatedInput: { command: "ls" }, updatedPermissions },
      }),
    );
  });

  test("a denial carries no permission, input or rewrite", () => {
    const rest = { updatedInput: { command: "ls" }, specific: { updatedPermissions: [] } };
    expect(json("PermissionRequest", { decision: "deny", reason: "no", ...rest })).toEqual(
      specific("PermissionRequest", { decision: { behavior: "deny", message: "no" } }),
    );
  });

  test("any other verdict leaves the question to the user", () => {
    expect(encode("PermissionRequest", { updatedInput: { command: "ls" } })).toEqual(SILENCE);
    expect(encode("PermissionRequest", { decision: "ask", reason: "hm" })).toEqual(SILENCE);
    expect(encode("PermissionRequest", { specific: { interrupt: true, updatedPermissions: [] } })).toEqual(SILENCE);
  });
});

describe("a block with a reason", () => {
  test.each([
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
    "ConfigChange",
    "PreCompact",
    "TaskCreated",
  ])("is at the top level at %s", (event) => {
    expect(json(event, { decision: "block", reason: "guard: no" })).toEqual({ decision: "block", reason: "guard: no" });
    expect(json(event, { decision: "block" })).toEqual({ decision: "block", reason: "refused by a hook" });
  });

  test.each(["Elicitation", "ElicitationResult"])("declines at %s", (event) => {
    expect(json(event, { decision: "block", reason: "no" })).toEqual(specific(event, { action: "decline" }));
  });

  test.each(["Elicitation", "ElicitationResult"])("declines at %s without the content of another rule", (event) => {
    const accepted = { action: "accept", content: { password: "hunter2" } };
    expect(json(event, { decision: "block", reason: "no", specific: accepted })).toEqual(
      specific(event, { action: "decline" }),
    );
  });

  test.each(["TaskCompleted", "TeammateIdle", "WorktreeCreate"])(
    "is exit code 2 with text at %s, where no JSON is read for it",
    (event) => {
      expect(encode(event, { decision: "block", reason: "tests fail" })).toEqual({
        stdout: "",
        stderr: "tests fail\n",
        exitCode: 2,
      });
      expect(encode(event, { decision: "block" }).stderr.trim()).not.toBe("");
    },
  );
});

describe("continue: false", () => {
  const STOPPABLE = EVENT_NAMES.filter((event) =>
    (EVENTS[event].verdicts as readonly string[]).includes("continue:false"),
  );

  test.each(STOPPABLE)("stops the agent at %s", (event) => {
    expect(json(event, { continue: false, stopReason: "enough" })).toEqual({ continue: false, stopReason: "enough" });
    expect(json(event, { continue: false })).toMatchObject({ continue: false, stopReason: expect.stringMatching(/./) });
  });

  test.each(["TaskCompleted", "TeammateIdle"])("outranks a block of another rule at %s", (event) => {
    const verdict = { decision: "block", reason: "go on", continue: false, stopReason: "stop now" } as const;
    expect(json(event, verdict)).toMatchObject({ continue: false, stopReason: "stop now" });
  });
});

describe("a field that is no decision", () => {
  test.each(["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SubagentStart"])(
    "is added at %s as context",
    (event) => {
      expect(json(event, { additionalContext: "one\ntwo" })).toEqual(
        specific(event, { additionalContext: "one\ntwo" }),
      );
    },
  );

  test("is a tool's new output", () => {
    expect(json("PostToolUse", { updatedOutput: { stdout: "", stderr: "" } })).toEqual(
      specific("PostToolUse", { updatedToolOutput: { stdout: "", stderr: "" } }),
    );
    expect(json("PostToolUse", { updatedOutput: false })).toEqual(
      specific("PostToolUse", { updatedToolOutput: false }),
    );
  });

  test.each([
    ["SessionStart", { watchPaths: ["/a"], sessionTitle: "t" }],
    ["FileChanged", { watchPaths: [] }],
    ["MessageDisplay", { displayContent: "x" }],
    ["PermissionDenied", { retry: true }],
    ["Elicitation", { action: "accept", content: { a: 1 } }],
  ])("is passed on at %s: %j", (event, fields) => {
    expect(json(event, { specific: fields })).toEqual(specific(event, fields));
  });

  test("is a message for the user, at any event except the one whose output is a path", () => {
    for (const event of EVENT_NAMES.filter((name) => name !== "WorktreeCreate"))
      expect(json(event, { systemMessage: "hi" })).toEqual({ systemMessage: "hi" });
  });

  test("is the folder of a new worktree, as the last line", () => {
    expect(encode("WorktreeCreate", { specific: { worktreePath: "/trees/a" } })).toEqual({
      stdout: "/trees/a\n",
      stderr: "",
      exitCode: 0,
    });
  });
});

describe("a cancelled dispatch", () => {
  const plainGates = EVENT_NAMES.filter((event) => EVENTS[event].kind === "gate" && !EVENTS[event].blockMeansGoOn);

  test.each(plainGates)("is no permission at %s, and says so", (event) => {
    const { stdout, stderr, exitCode } = encode(event, { cancelled: true });
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr).toContain("cancelled");
  });

  test.each(EVENT_NAMES.filter((event) => !plainGates.includes(event)))("is no refusal at %s", (event) => {
    expect(encode(event, { cancelled: true }).exitCode).not.toBe(2);
  });

  test("keeps the refusal of a rule that had answered", () => {
    expect(json("PreToolUse", { cancelled: true, decision: "deny", reason: "no" })).toEqual(
      specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" }),
    );
    expect(json("UserPromptSubmit", { cancelled: true, decision: "block", reason: "no" })).toMatchObject({
      decision: "block",
    });
  });
});

test("hookbox's own format answers in Claude Code's format", () => {
  const verdict = makeVerdict("PreToolUse", { decision: "deny", reason: "no" });
  for (const name of ["claude-code", "hookbox"])
    expect(dialectNamed(name)?.encodeReply(verdict, { name: verdict.event, payload: {} })).toEqual(
      encodeReply(verdict),
    );
});
