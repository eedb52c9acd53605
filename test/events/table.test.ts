import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../src/dialects/registry.ts";
import type { EventRow } from "../../src/events/contract.ts";
import { denialWord, EVENT_NAMES, isEventOf } from "../../src/events/lookup.ts";
import { EVENTS, type EventName } from "../../src/events/table.ts";

const ROWS: Readonly<Record<EventName, EventRow>> = EVENTS;
/** Names of Claude Code or docker-agent. */
const rows = (Object.entries(ROWS) as [EventName, EventRow][]).filter(
  ([, { agents }]) => agents === undefined || agents.includes("docker-agent"),
);
const namesWhere = (is: (row: EventRow) => boolean): EventName[] =>
  rows.filter(([, row]) => is(row)).map(([name]) => name);

/** As in the `HookEvent` type of Claude Code's agent SDK 0.3.329. */
const CLAUDE_EVENTS = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
  UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged
  DirectoryAdded MessageDisplay`
  .trim()
  .split(/\s+/);

/** Names of other agents. */
const FURTHER_EVENTS = `ToolInputTransform ToolGuard ToolResponseTransform ToolApprovalDecision TurnStart TurnEnd
  UserSteeringMessagesSubmit UserFollowupSubmit UserInput BeforeModelCall AfterModelCall BeforeCompaction AfterCompaction
  AgentError MaxIterations AgentSwitch SessionResume`
  .trim()
  .split(/\s+/);

const ofClaude = (names: readonly EventName[]): EventName[] => names.filter((name) => CLAUDE_EVENTS.includes(name));

describe("the names", () => {
  test("are the 33 of Claude Code, spelled exactly, 17 of docker-agent, and those of only one other agent", () => {
    expect(rows.map(([name]) => name).sort()).toEqual([...CLAUDE_EVENTS, ...FURTHER_EVENTS].sort());
    const others = EVENT_NAMES.filter((name) => !rows.some(([known]) => known === name));
    for (const name of others) expect([["autohand"], ["openclaw"]]).toContainEqual(ROWS[name].agents);
  });

  test("have the agents that fire them", () => {
    for (const dialect of ["claude-code", "patterns"])
      expect(EVENT_NAMES.filter((name) => isEventOf(name, dialect)).sort()).toEqual([...CLAUDE_EVENTS].sort());
    for (const dialect of ["hookbox", "docker-agent"])
      expect(FURTHER_EVENTS.filter((name) => !isEventOf(name, dialect))).toEqual([]);
  });

  test("are those that each agent's own names stand for, and no others that only some agents have", () => {
    for (const { name: dialect, eventNames } of Object.values(DIALECTS)) {
      const own = new Set<string>(Object.values(eventNames));
      expect([dialect, [...own].filter((name) => !isEventOf(name, dialect))]).toEqual([dialect, []]);
      const claimed = EVENT_NAMES.filter((name) => ROWS[name].agents?.includes(dialect) === true && !own.has(name));
      expect([dialect, claimed]).toEqual([dialect, []]);
    }
  });

  test("cannot be changed by importing code", () => {
    expect(Object.isFrozen(EVENT_NAMES)).toBe(true);
  });
});

describe("the subject of a matcher", () => {
  test.each<[EventName, string | null]>([
    ["PreToolUse", "tool_name"],
    ["PermissionRequest", "tool_name"],
    ["PostToolUse", "tool_name"],
    ["PostToolUseFailure", "tool_name"],
    ["PermissionDenied", "tool_name"],
    ["PostToolBatch", null],
    ["UserPromptSubmit", null],
    ["UserPromptExpansion", "command_name"],
    ["Stop", null],
    ["SubagentStop", "agent_type"],
    ["StopFailure", "error"],
    ["SubagentStart", "agent_type"],
    ["MessageDisplay", null],
    ["TaskCreated", null],
    ["TaskCompleted", null],
    ["TeammateIdle", null],
    ["SessionStart", "source"],
    ["Setup", "trigger"],
    ["SessionEnd", "reason"],
    ["InstructionsLoaded", "load_reason"],
    ["ConfigChange", "source"],
    ["CwdChanged", null],
    ["FileChanged", "file_path"],
    ["DirectoryAdded", "source"],
    ["Notification", "notification_type"],
    ["PreCompact", "trigger"],
    ["PostCompact", "trigger"],
    ["PreModelSwitch", "to_model"],
    ["PostModelSwitch", "to_model"],
    ["Elicitation", "mcp_server_name"],
    ["ElicitationResult", "mcp_server_name"],
    ["WorktreeCreate", null],
    ["WorktreeRemove", null],
    ["ToolInputTransform", "tool_name"],
    ["ToolGuard", "tool_name"],
    ["ToolResponseTransform", "tool_name"],
    ["ToolApprovalDecision", "tool_name"],
    ["BeforeModelCall", null],
  ])("at %s it is %j", (name, subject) => {
    expect(ROWS[name].subject).toBe(subject);
  });

  test("for a changed file is its base name, and the narrow matcher style is that of two events", () => {
    expect(namesWhere((row) => row.subjectForm === "basename")).toEqual(["FileChanged"]);
    expect(namesWhere((row) => row.matcherStyle === "narrow")).toEqual(["StopFailure", "FileChanged"]);
  });
});

describe("the words of a decision", () => {
  test.each<[EventName, string]>([
    ["PreToolUse", "allow deny ask defer"],
    ["PermissionRequest", "allow deny"],
    ["PreModelSwitch", "allow deny ask"],
    ["PostToolUse", "block"],
    ["PostToolUseFailure", "block"],
    ["PostToolBatch", "block"],
    ["UserPromptSubmit", "block"],
    ["UserPromptExpansion", "block"],
    ["Stop", "block"],
    ["SubagentStop", "block"],
    ["TaskCreated", "block"],
    ["TaskCompleted", "block"],
    ["TeammateIdle", "block"],
    ["ConfigChange", "block"],
    ["PreCompact", "block"],
    ["Elicitation", "block"],
    ["ElicitationResult", "block"],
    ["WorktreeCreate", "block"],
    ["ToolInputTransform", "deny"],
    ["ToolGuard", "allow deny ask"],
    ["UserSteeringMessagesSubmit", "block"],
    ["UserFollowupSubmit", "block"],
    ["BeforeModelCall", "block"],
    ["BeforeCompaction", "block"],
  ])("at %s are %s", (name, words) => {
    const decisions = ROWS[name].verdicts.filter((word) => word !== "continue:false");
    expect(decisions).toEqual(expect.arrayContaining(words.split(" ")));
    expect(decisions).not.toEqual(expect.arrayContaining([words.includes("deny") ? "block" : "deny"]));
  });

  test("are none at every other event", () => {
    const others = namesWhere((row) => row.verdicts.every((word) => word === "continue:false"));
    expect(others.sort()).toEqual(
      `PermissionDenied StopFailure SubagentStart MessageDisplay SessionStart Setup SessionEnd InstructionsLoaded
       CwdChanged FileChanged DirectoryAdded Notification PostCompact PostModelSwitch WorktreeRemove
       ToolResponseTransform ToolApprovalDecision UserInput TurnStart TurnEnd AfterModelCall AfterCompaction AgentError
       MaxIterations AgentSwitch SessionResume`
        .split(/\s+/)
        .sort(),
    );
  });

  test("`continue: false` is ignored if the agent ignores it, and counts otherwise", () => {
    const dropped = namesWhere((row) => !row.verdicts.includes("continue:false"));
    expect(ofClaude(dropped).sort()).toEqual(
      `InstructionsLoaded MessageDisplay Notification ConfigChange CwdChanged FileChanged DirectoryAdded WorktreeCreate
       WorktreeRemove PreCompact PostCompact SessionEnd StopFailure Elicitation ElicitationResult TaskCreated`
        .split(/\s+/)
        .sort(),
    );
  });

  test("an event has one word for a denial: `deny` or `block`", () => {
    for (const [name, row] of rows)
      expect([name, row.verdicts.includes("deny") && row.verdicts.includes("block")]).toEqual([name, false]);
  });

  test("permission can be given or doubted only if it can be denied", () => {
    for (const [name, { verdicts }] of rows) {
      const permits = (["allow", "ask", "defer"] as const).some((word) => verdicts.includes(word));
      if (permits) expect([name, ...verdicts]).toContain("deny");
    }
  });
});

describe("gates", () => {
  test("are exactly the events that can stop something", () => {
    expect(namesWhere((row) => row.kind === "gate").sort()).toEqual(
      `PreToolUse PermissionRequest PostToolBatch UserPromptSubmit UserPromptExpansion Stop SubagentStop TaskCreated
       TaskCompleted TeammateIdle ConfigChange PreCompact PreModelSwitch Elicitation ElicitationResult WorktreeCreate
       ToolInputTransform ToolGuard UserSteeringMessagesSubmit UserFollowupSubmit BeforeModelCall BeforeCompaction`
        .split(/\s+/)
        .sort(),
    );
  });

  test.each(rows.filter(([, row]) => row.kind === "gate"))("%s has a word to close it with", (_name, row) => {
    expect(denialWord(row)).toMatch(/^(deny|block)$/);
  });

  test.each<EventName>([
    "PreToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "PreModelSwitch",
    "WorktreeCreate",
    "ToolInputTransform",
    "ToolGuard",
    "BeforeModelCall",
  ])("%s stays shut if a rule of hookbox's own format fails", (name) => {
    expect(ROWS[name].onFailure).toBe("deny");
  });

  test("if blocking means going on, a failure never blocks; these are the four events that ignore `onFailure`", () => {
    expect(namesWhere((row) => row.blockMeansGoOn).sort()).toEqual([
      "Stop",
      "SubagentStop",
      "TaskCompleted",
      "TeammateIdle",
    ]);
    for (const [, row] of rows.filter(([, row]) => row.blockMeansGoOn)) {
      expect(row.kind).toBe("gate");
      expect(row.onFailure).toBe("continue");
    }
  });

  test("apart from those, only a compaction and past actions go on by default", () => {
    const open = namesWhere((row) => row.kind === "gate" && !row.blockMeansGoOn && row.onFailure === "continue");
    expect(open.sort()).toEqual(["BeforeCompaction", "PostToolBatch", "PreCompact"]);
  });
});

test("an observer neither denies on failure nor permits, doubts or rewrites an input", () => {
  for (const [name, row] of rows.filter(([, row]) => row.kind === "observer")) {
    expect([name, row.onFailure]).toEqual([name, "continue"]);
    for (const word of ["allow", "deny", "ask", "defer"] as const) expect([name, ...row.verdicts]).not.toContain(word);
    expect([name, row.rewrites]).not.toEqual([name, "input"]);
  }
});

describe("the other fields of a reply", () => {
  test("an input is rewritten before a tool runs, an output after", () => {
    expect(namesWhere((row) => row.rewrites === "input")).toEqual([
      "PreToolUse",
      "ToolInputTransform",
      "PermissionRequest",
    ]);
    expect(namesWhere((row) => row.rewrites === "output")).toEqual(["ToolResponseTransform", "PostToolUse"]);
    expect(namesWhere((row) => row.rewrites === "messages")).toEqual(["BeforeModelCall"]);
    expect(namesWhere((row) => row.rewrites === "summary")).toEqual(["BeforeCompaction"]);
  });

  test("plain text is context at seven events, all of which accept context", () => {
    const plain = namesWhere((row) => row.plainTextIsContext);
    expect(plain.sort()).toEqual(
      `PostModelSwitch SessionStart TurnStart UserFollowupSubmit UserPromptExpansion UserPromptSubmit
       UserSteeringMessagesSubmit`.split(/\s+/),
    );
    for (const name of plain) expect(ROWS[name].context).not.toBeNull();
  });

  test("text at the start or the end of a turn is for that turn only", () => {
    expect(namesWhere((row) => row.context === "turn").sort()).toEqual(
      "Stop SubagentStop TurnStart UserFollowupSubmit UserSteeringMessagesSubmit".split(" "),
    );
  });

  test("no field of a single event has the name of a common field", () => {
    const common = ["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput", "decision"];
    for (const [, row] of rows) for (const field of row.specific) expect(common).not.toContain(field);
  });

  test("rules see the original event, except where each sees the result of the one before", () => {
    expect(namesWhere((row) => row.order === "sequential")).toEqual([
      "ToolInputTransform",
      "ToolResponseTransform",
      "BeforeModelCall",
    ]);
  });
});

describe("the types of rules at an event", () => {
  const FULL = `PermissionDenied PermissionRequest PostToolBatch PostToolUse PostToolUseFailure PreToolUse Stop
    SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit`;

  test("include models if Claude Code allows them", () => {
    for (const type of ["model", "agent"])
      expect(ofClaude(namesWhere((row) => row.handlers.includes(type))).sort()).toEqual(FULL.split(/\s+/).sort());
  });

  test("include HTTP at all but the two events of start-up", () => {
    expect(namesWhere((row) => !row.handlers.includes("http")).sort()).toEqual(["SessionStart", "Setup"]);
  });

  test("include commands, MCP tools and guards at every event", () => {
    for (const [name, row] of rows)
      expect([name, ...row.handlers]).toEqual(expect.arrayContaining(["command", "mcp_tool", "wasm"]));
  });
});

test("a payload needs the name of its tool or its prompt", () => {
  for (const [name, row] of rows)
    if (row.subject === "tool_name") expect([name, ...row.required]).toContain("tool_name");
  expect(ROWS.UserPromptSubmit.required).toEqual(["prompt"]);
});
