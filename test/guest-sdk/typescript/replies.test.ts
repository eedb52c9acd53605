import { describe, expect, test } from "vitest";
import { encodeReply } from "../../../guest-sdk/typescript/encode-reply.ts";
import {
  abstain,
  allow,
  ask,
  context,
  deny,
  type Extras,
  type Reply,
  respond,
  rewrite,
} from "../../../guest-sdk/typescript/index.ts";
import { REPLIES } from "../../../guest-sdk/typescript/reply-table.ts";
import type { EventContract } from "../../../src/events/contract.ts";
import { contractOf, denialWord, EVENT_NAMES } from "../../../src/events/lookup.ts";
import type { EventName } from "../../../src/events/table.ts";
import { read } from "../../events/read-reply.ts";

const rows = EVENT_NAMES.map((name) => [name, contractOf(name, "claude-code") as EventContract] as const);

/** The host's reading of a reply, which must be valid and lose nothing. */
function said(event: EventName, reply: Reply<never, never> | Reply): Record<string, unknown> {
  const result = read(event, JSON.parse(JSON.stringify(encodeReply(event, reply as Reply))), "strict");
  if (!result.ok) throw new Error(result.failure.message);
  expect(result.ignored).toEqual([]);
  return { ...result.reply };
}

const refusal = (event: EventName, reply: unknown) => () => encodeReply(event, reply as Reply);

const SAMPLES: Readonly<Record<string, unknown>> = {
  updatedPermissions: [{ type: "setMode", mode: "plan", destination: "session" }],
  interrupt: true,
  classifierContext: "seen",
  retry: true,
  sessionTitle: "title",
  suppressOriginalPrompt: true,
  initialUserMessage: "hello",
  watchPaths: ["/a"],
  reloadSkills: true,
  displayContent: "text",
  action: "accept",
  content: { a: 1 },
  worktreePath: "/w",
  handled: true,
  reply: { text: "a" },
  providerOverride: "p",
  modelOverride: "m",
  systemPrompt: "s",
  prependSystemContext: "before",
  appendSystemContext: "after",
  env: { A: "b" },
};

test("the SDK's table has the events of the host's, and no others", () => {
  expect(Object.keys(REPLIES).sort()).toEqual([...EVENT_NAMES].sort());
});

describe.each(rows)("at %s", (event, contract) => {
  test("a denial is the event's own denial, or is rejected", () => {
    const word = denialWord(contract);
    if (word === undefined) expect(refusal(event, deny("why"))).toThrow(`deny has no effect at ${event}`);
    else expect(said(event, deny("why"))).toEqual({ decision: word, reason: "why" });
  });

  test.each([ask, allow])("$name means itself, or is rejected", (make) => {
    const reply = make("why");
    if (contract.verdicts.includes(reply.kind)) {
      expect(said(event, reply)).toEqual({ decision: reply.kind, reason: "why" });
    } else expect(refusal(event, reply)).toThrow(`${reply.kind} has no effect at ${event}`);
  });

  test("a permission needs no reason", () => {
    if (contract.verdicts.includes("allow")) expect(said(event, allow())).toEqual({ decision: "allow" });
  });

  test("a rewrite replaces what the event allows", () => {
    const value = { a: [1, "ü"] };
    if (contract.rewrites === "input") {
      expect(said(event, rewrite(value))).toEqual({ updatedInput: value });
      expect(said(event, deny("why", { updatedInput: value }))).toEqual({
        decision: "deny",
        reason: "why",
        updatedInput: value,
      });
      if (contract.verdicts.includes("allow"))
        expect(said(event, allow("why", { updatedInput: value }))).toMatchObject({
          decision: "allow",
          updatedInput: value,
        });
      expect(refusal(event, rewrite(["a"]))).toThrow("must be an object, got an array");
    } else if (contract.rewrites === "output") {
      for (const output of [value, "text", "", 0, false, []]) {
        expect(said(event, rewrite(output))).toEqual({ updatedOutput: output });
      }
      expect(refusal(event, rewrite(null))).toThrow("must not be null");
      if (denialWord(contract) !== undefined)
        expect(said(event, deny("why", { updatedOutput: "x" }))).toMatchObject({ updatedOutput: "x" });
    } else if (contract.rewrites === "messages") {
      expect(said(event, rewrite([value]))).toEqual({ updatedMessages: [value] });
      expect(refusal(event, rewrite(value))).toThrow("must be a list of messages, got an object");
      expect(refusal(event, rewrite([]))).toThrow("must be a list of messages, got an array");
      expect(said(event, respond({ updatedMessages: ["a"] }))).toEqual({ updatedMessages: ["a"] });
    } else {
      expect(refusal(event, respond({ updatedMessages: [] }))).toThrow(`updatedMessages has no effect at ${event}`);
      expect(refusal(event, rewrite(value))).toThrow(`rewrite has no effect at ${event}`);
      expect(refusal(event, respond({ updatedInput: value }))).toThrow(`updatedInput has no effect at ${event}`);
      expect(refusal(event, respond({ updatedOutput: value }))).toThrow(`updatedOutput has no effect at ${event}`);
    }
  });

  test("text is added if the event takes text", () => {
    if (contract.context === null) {
      expect(refusal(event, context("x"))).toThrow(`context has no effect at ${event}`);
      return;
    }
    expect(said(event, context("x"))).toEqual({ additionalContext: ["x"] });
    if (denialWord(contract)) {
      expect(said(event, deny("why", { context: "x" }))).toMatchObject({ reason: "why", additionalContext: ["x"] });
    }
  });

  test("the agent is stopped if the event can stop it", () => {
    const reply = respond({ stop: "enough" });
    if (contract.verdicts.includes("continue:false")) {
      expect(said(event, reply)).toEqual({ continue: false, stopReason: "enough" });
    } else expect(refusal(event, reply)).toThrow(`stop has no effect at ${event}`);
  });

  test("a message to the user is possible at every event", () => {
    expect(said(event, respond({ systemMessage: "hm", suppressOutput: true }))).toEqual({
      systemMessage: "hm",
      suppressOutput: true,
    });
  });

  test("the fields that only some events have are those of the host's table", () => {
    for (const [field, value] of Object.entries(SAMPLES)) {
      const reply = respond({ [field]: value } as Extras);
      if (contract.specific.includes(field)) expect(said(event, reply)).toEqual({ specific: { [field]: value } });
      else expect(refusal(event, reply)).toThrow(`${field} has no effect at ${event}`);
    }
    for (const field of contract.specific) expect(Object.keys(SAMPLES)).toContain(field);
  });

  test("an abstention is an empty reply", () => {
    expect(encodeReply(event, abstain() as Reply)).toEqual({});
  });
});

test("what belongs to a permission is inside of it", () => {
  expect(encodeReply("PermissionRequest", deny("why", { interrupt: true }) as Reply)).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "why", interrupt: true },
    },
  });
  const updatedPermissions = [{ type: "setMode", mode: "plan", destination: "session" }] as const;
  expect(
    said("PermissionRequest", allow(undefined, { updatedPermissions: [...updatedPermissions], updatedInput: {} })),
  ).toEqual({
    decision: "allow",
    updatedInput: {},
    specific: { updatedPermissions },
  });
});

test.each(["decline", "cancel"] as const)("an answer of %s instead of the user's is a denial", (action) => {
  expect(said("Elicitation", respond({ action }))).toMatchObject({ decision: "block", specific: { action } });
});

describe("a reply function", () => {
  test("returns a frozen object", () => {
    for (const reply of [deny("x"), ask("x"), allow(), rewrite({}), context("x"), respond({}), abstain()]) {
      expect(Object.isFrozen(reply)).toBe(true);
    }
  });

  test("requires texts in place of texts", () => {
    expect(() => deny(5 as never)).toThrow("deny: the reason must be a string, got a number");
    expect(() => ask(undefined as never)).toThrow("ask: the reason must be a string, got nothing");
    expect(() => allow(null as never)).toThrow("allow: the reason must be a string, got null");
    expect(() => context([] as never)).toThrow("context: the text must be a string, got an array");
    expect(() => rewrite(undefined)).toThrow("rewrite: there is no replacement");
    expect(() => deny("x", "y" as never)).toThrow("deny: the extras must be an object, got a string");
  });

  test("treats undefined extras as missing", () => {
    expect(encodeReply("PreToolUse", respond({ systemMessage: undefined, stop: undefined }) as Reply)).toEqual({});
  });

  test("throws for an extra of the wrong type, or that no event has, and names it", () => {
    expect(refusal("Stop", respond({ systemMessage: 1 as never }))).toThrow(
      "systemMessage must be a string, got a number",
    );
    expect(refusal("Stop", respond({ suppressOutput: "x" as never }))).toThrow("suppressOutput must be a boolean");
    expect(refusal("Stop", respond({ systemMesage: "x" } as never))).toThrow(
      'no event has the reply field "systemMesage"',
    );
  });
});
