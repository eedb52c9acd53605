import { describe, expect, test } from "vitest";
import type { Compat } from "../../src/codec.ts";
import { type Judgement, type JudgeReply, judgeReply, readJudgement } from "../../src/events/judge-answers.ts";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import type { JsonObject } from "../../src/json.ts";

const NO: Judgement = { ok: false, reason: "because" };

interface Parts {
  readonly judgement?: Judgement;
  readonly continueOnBlock?: boolean;
  readonly compat?: Compat;
  readonly dialect?: string;
}

function judge(
  eventName: string,
  { judgement = NO, continueOnBlock = false, compat = "safer", dialect = "claude-code" }: Parts = {},
): JudgeReply {
  const contract = contractOf(eventName, dialect);
  if (contract === undefined) throw new Error(`no event ${eventName}`);
  return judgeReply(judgement, contract, eventName, { continueOnBlock, compat });
}

const stop = { continue: false, stopReason: "because" };

describe("a judge's no", () => {
  test.each([
    ["PreToolUse", { decision: "deny", reason: "because", ...stop }],
    ["PostToolUse", { decision: "block", reason: "because", ...stop }],
    ["Stop", { decision: "block", reason: "because" }],
    ["SubagentStop", { decision: "block", reason: "because" }],
    ["PostToolBatch", { decision: "block", reason: "because", ...stop }],
    ["UserPromptSubmit", { decision: "block", reason: "because", ...stop }],
    ["UserPromptExpansion", { decision: "block", reason: "because", ...stop }],
    ["PostToolUseFailure", { decision: "block", reason: "because" }],
    ["TaskCreated", { decision: "block", reason: "because" }],
    ["TaskCompleted", { decision: "block", reason: "because" }],
    ["TeammateIdle", stop],
    ["PermissionRequest", { decision: "deny", reason: "because" }],
    ["PreCompact", { decision: "block", reason: "because" }],
  ])("at %s is all of %j", (eventName, reply) => {
    expect(judge(eventName)).toEqual({ reply, ignored: [] });
  });

  test.each([
    ["PreToolUse", { decision: "deny", reason: "because" }],
    ["PostToolUse", { decision: "block", reason: "because" }],
    ["TeammateIdle", { decision: "block", reason: "because" }],
    ["UserPromptSubmit", { decision: "block", reason: "because", ...stop }],
    ["Stop", { decision: "block", reason: "because" }],
  ])("at %s that lets the agent go on is %j", (eventName, reply) => {
    expect(judge(eventName, { continueOnBlock: true })).toEqual({ reply, ignored: [] });
  });

  test.each(["Stop", "SubagentStop"])("about something impossible lets %s be, and is reported", (eventName) => {
    const judgement: Judgement = { ...NO, impossible: true };
    expect(judge(eventName, { judgement })).toEqual({ reply: { systemMessage: "because" }, ignored: [] });
  });

  test("about something impossible is a denial at all other events", () => {
    expect(judge("PreToolUse", { judgement: { ...NO, impossible: true } }).reply.decision).toBe("deny");
  });

  test("has no effect on a permission if the agent's page says so", () => {
    const { reply, ignored } = judge("PermissionRequest", { compat: "faithful" });
    expect([reply, ignored]).toEqual([{}, ["the model's no: it has no effect at PermissionRequest"]]);
    for (const compat of ["safer", "faithful"] as const)
      expect(judge("PermissionDenied", { compat }).reply).toEqual({});
  });

  test("is reported at events where nothing can be blocked", () => {
    expect(judge("Notification")).toEqual({
      reply: { systemMessage: "because" },
      ignored: ["the model's no: Notification cannot be blocked"],
    });
    // docker-agent's own end of a turn is an observer.
    expect(judge("Stop", { dialect: "docker-agent" }).reply).toEqual({ systemMessage: "because" });
  });

  test("has a default reason if the model gave none", () => {
    for (const judgement of [{ ok: false }, { ok: false, reason: " " }]) {
      expect(judge("PreToolUse", { judgement }).reply.reason).toBe("the model that judges this said no");
    }
  });

  test.each(EVENT_NAMES)("at %s contains only what the event honours, in any dialect", (eventName) => {
    for (const dialect of ["hookbox", "claude-code", "docker-agent", "agentao", "autohand", "openclaw"]) {
      const { verdicts } = contractOf(eventName, dialect)!;
      for (const compat of ["safer", "faithful"] as const) {
        for (const continueOnBlock of [true, false]) {
          const { reply, ignored } = judge(eventName, { dialect, compat, continueOnBlock });
          if (reply.decision !== undefined) expect(verdicts).toContain(reply.decision);
          if (reply.continue === false) expect(verdicts).toContain("continue:false");
          expect(reply.decision ?? "none").not.toBe("allow");
          // Nothing of it is lost without a note.
          expect(Object.keys(reply).length + ignored.length).toBeGreaterThan(0);
        }
      }
    }
  });
});

test.each(EVENT_NAMES)("a judge's yes is no opinion at %s", (eventName) => {
  expect(judge(eventName, { judgement: { ok: true, reason: "fine" } })).toEqual({ reply: {}, ignored: [] });
});

describe("the answer of a judge", () => {
  test.each<[string, JsonObject]>([
    ["alone", { ok: true }],
    ["with a reason", { ok: true, reason: "fine" }],
    ["with everything", { ok: true, reason: "", impossible: false }],
  ])("that is a yes %s is a yes", (_, json) => {
    expect(readJudgement(json)).toEqual({ ok: true, judgement: { ok: true } });
  });

  test.each<[string, JsonObject]>([
    ["is a text", { ok: "true" }],
    ["is a number", { ok: 1 }],
    ["is null", { ok: null }],
    ["is not there", {}],
    ["has another case", { OK: true }],
    ["has a stranger beside it", { ok: true, sure: false }],
    ["has a reason that is no text", { ok: true, reason: false }],
    ["is impossible", { ok: true, impossible: true }],
    ["is inherited", JSON.parse('{"__proto__": {"ok": true}}') as JsonObject],
  ])("whose yes %s is no yes", (_, json) => {
    expect(readJudgement(json)).toMatchObject({ ok: false });
  });

  test.each<[JsonObject, Judgement]>([
    [{ ok: false }, { ok: false }],
    [
      { ok: false, reason: "no", impossible: true },
      { ok: false, reason: "no", impossible: true },
    ],
    [{ ok: false, reason: 3, impossible: "yes", more: 1 }, { ok: false }],
  ])("that is a no is one whatever else it contains: %j", (json, judgement) => {
    expect(readJudgement(json)).toEqual({ ok: true, judgement });
  });
});
