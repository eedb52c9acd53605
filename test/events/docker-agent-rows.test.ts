import { describe, expect, test } from "vitest";
import { contractOf, denialWord } from "../../src/events/lookup.ts";
import type { EventName } from "../../src/events/table.ts";

const row = (name: string, lane?: "preempt") => contractOf(name, "docker-agent", lane)!;

type View = readonly [order: string, blocks: boolean, failsClosed: boolean, context: string | null];

/** For the 28 events: how rules are run, what they can stop, and where text may be added. */
const VIEWS: Partial<Record<EventName, View>> = {
  PreToolUse: ["sequential", true, true, null],
  ToolInputTransform: ["sequential", true, false, null],
  ToolGuard: ["parallel", true, true, null],
  PermissionRequest: ["parallel", true, false, null],
  ToolResponseTransform: ["sequential", false, false, null],
  PostToolUse: ["parallel", true, false, null],
  SessionStart: ["parallel", false, false, "stays"],
  UserPromptSubmit: ["parallel", true, false, "turn"],
  UserSteeringMessagesSubmit: ["parallel", true, false, "turn"],
  UserFollowupSubmit: ["parallel", true, false, "turn"],
  TurnStart: ["parallel", false, false, "turn"],
  TurnEnd: ["parallel", false, false, null],
  BeforeModelCall: ["sequential", true, false, null],
  AfterModelCall: ["parallel", false, false, null],
  SessionEnd: ["parallel", false, false, null],
  PreCompact: ["parallel", true, false, "turn"],
  BeforeCompaction: ["parallel", true, false, null],
  AfterCompaction: ["parallel", false, false, null],
  SubagentStop: ["parallel", false, false, null],
  UserInput: ["parallel", false, false, null],
  Stop: ["parallel", false, false, null],
  Notification: ["parallel", false, false, null],
  AgentError: ["parallel", false, false, null],
  MaxIterations: ["parallel", false, false, null],
  AgentSwitch: ["parallel", false, false, null],
  SessionResume: ["parallel", false, false, null],
  ToolApprovalDecision: ["parallel", false, false, null],
  WorktreeCreate: ["parallel", true, false, "turn"],
};
const views = Object.entries(VIEWS) as [EventName, View][];

test("there are 28", () => {
  expect(views).toHaveLength(28);
});

test.each(views)("%s is as in docker-agent", (name, [order, blocks, failsClosed, context]) => {
  const contract = row(name);
  expect([contract.order, denialWord(contract) !== undefined, contract.failsClosed, contract.context]).toEqual([
    order,
    blocks,
    failsClosed,
    context,
  ]);
  expect(contract.kind).toBe(blocks ? "gate" : "observer");
  expect(contract.blockMeansGoOn).toBe(false);
  expect(contract.plainTextIsContext).toBe(context !== null);
});

const where = (is: (name: EventName) => boolean): EventName[] => views.map(([name]) => name).filter(is);

describe("a reply", () => {
  test("may decide a permission at three events", () => {
    expect(where((name) => row(name).verdicts.includes("allow"))).toEqual([
      "PreToolUse",
      "ToolGuard",
      "PermissionRequest",
    ]);
  });

  test("may rewrite at five, an input field by field", () => {
    expect(where((name) => row(name).rewrites !== null)).toEqual([
      "PreToolUse",
      "ToolInputTransform",
      "ToolResponseTransform",
      "BeforeModelCall",
      "BeforeCompaction",
    ]);
    for (const name of ["PreToolUse", "ToolInputTransform"]) expect(row(name).rewriteMode).toBe("patch");
  });

  test("may have metadata at two, and before the permissions", () => {
    expect(where((name) => row(name).metadata)).toEqual(["ToolGuard", "PermissionRequest"]);
    expect(row("PreToolUse", "preempt").metadata).toBe(true);
  });

  test("may have lasting instructions at two", () => {
    expect(where((name) => row(name).specific.includes("instructionContext"))).toEqual(["SessionStart", "TurnStart"]);
  });
});

test("the agent goes on after a failure of its own hooks, except before an action", () => {
  const gates = where((name) => row(name).kind === "gate" && row(name).onFailure === "deny");
  const goesOn = gates.filter((name) => !row(name).failsClosed && row(name).importedFailures === "continue");
  expect(gates.filter((name) => !goesOn.includes(name))).toEqual(["PreToolUse", "ToolGuard", "PermissionRequest"]);
});

test("cleanup at the end of a turn and of a session runs although the caller has cancelled", () => {
  expect(where((name) => row(name).survivesCancellation).sort()).toEqual(["SessionEnd", "TurnEnd"]);
});

test("tool names are matched as a whole, at every event that has one", () => {
  const anchored = where((name) => row(name).matcherStyle === "anchored");
  expect(anchored).toEqual(where((name) => row(name).subject === "tool_name"));
});

test("rules before the permissions run in parallel and rewrite nothing, in every dialect", () => {
  for (const dialect of ["hookbox", "claude-code", "docker-agent"]) {
    const [usual, ahead] = [undefined, "preempt" as const].map((lane) => contractOf("PreToolUse", dialect, lane)!);
    expect(ahead).toEqual({ ...usual, order: "parallel", rewrites: null, metadata: true });
    expect(contractOf("PreToolUse", dialect, "preempt")).toBe(ahead);
    expect(contractOf("ToolGuard", dialect, "preempt")).toEqual(contractOf("ToolGuard", dialect));
  }
});
