import { describe, expect, test } from "vitest";
import { AGENT_EVENTS } from "../../../src/dialects/docker-agent/spelling.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { decode, specific } from "./docker-hooks.ts";

const reply = (...args: Parameters<typeof decode>) => {
  const decoded = decode(...args);
  if (!decoded.ok) throw new Error(decoded.failure.message);
  return decoded.reply;
};
const failure = (...args: Parameters<typeof decode>) => {
  const decoded = decode(...args);
  if (decoded.ok) throw new Error(`replied ${JSON.stringify(decoded.reply)}`);
  return decoded.failure;
};

describe("an exit code", () => {
  test("of 2 refuses, with stderr as the reason, and accepts only texts from stdout", () => {
    const stdout = specific({ permission_decision: "allow", updated_input: { cmd: "ls" } });
    expect(reply("pre_tool_use", { exitCode: 2, stdout, stderr: " no \n" })).toEqual({
      decision: "deny",
      reason: "no",
    });
    expect(reply("user_prompt_submit", { exitCode: 2 })).toEqual({ decision: "block" });
  });

  test.each<[string | object, string, object]>([
    [{ decision: "block", reason: "policy" }, "", { reason: "policy" }],
    [{ DECISION: "block", Reason: "policy" }, "", { reason: "policy" }],
    [{ continue: false, stop_reason: "over", reason: "also" }, "", { reason: "over\nalso" }],
    [specific({ permission_decision_reason: "unsafe" }), "", { reason: "unsafe" }],
    [{ continue: false, system_message: "install failed" }, "", { systemMessage: "install failed" }],
    [{ reason: "policy" }, "debug: looked at it", { reason: "debug: looked at it\npolicy" }],
    [{ reason: "policy" }, "policy", { reason: "policy" }],
    [{ reason: "policy", unknown: 1, updated_input: 7 }, "", { reason: "policy" }],
    [{ reason: 7, system_message: [] }, "", {}],
    ["plain text", "", {}],
    ['{"reason": "cut', "", {}],
    ["[]", "", {}],
  ])("of 2 with %j on stdout and %j on stderr gives the reason of both, strict or not", (stdout, stderr, said) => {
    for (const strict of [false, true])
      expect(reply("pre_tool_use", { exitCode: 2, stdout: stdout as JsonObject, stderr }, { strict })).toEqual({
        decision: "deny",
        ...said,
      });
  });

  test("of 2 is shown to the user at events where nothing can be refused", () => {
    for (const event of ["stop", "session_start", "after_llm_call", "tool_response_transform"]) {
      expect(reply(event, { exitCode: 2, stderr: "why" })).toEqual({
        systemMessage: `a hook ended with exit code 2, but ${event} cannot block: why`,
      });
      expect(reply(event, { exitCode: 2, stdout: { reason: "why", system_message: "look" } })).toEqual({
        systemMessage: `a hook ended with exit code 2, but ${event} cannot block: why\nlook`,
      });
    }
  });

  test.each([1, 3, 127])("of %i is a failure, whatever was printed", (exitCode) => {
    for (const stdout of ["", "{}", specific({ permission_decision: "deny" })]) {
      expect(failure("pre_tool_use", { exitCode, stdout, stderr: "gone\nmore" })).toEqual({
        kind: "exit",
        message: `ended with exit code ${exitCode}: gone`,
        limit: 0,
        value: exitCode,
      });
    }
  });
});

describe("standard output", () => {
  test.each<[string, "ok" | "failure", "ok" | "failure"]>([
    ["context", "ok", "failure"],
    ["", "ok", "ok"],
    [" \n", "ok", "ok"],
    ["{}", "ok", "ok"],
    ['{"unknown": 1}', "ok", "failure"],
    ['{"hook_specific_output": {"updated_inpu": {}}}', "ok", "failure"],
    ["{} {}", "failure", "failure"],
    ["{} done", "failure", "failure"],
    ['{"decision": "block"', "failure", "failure"],
    ["[]", "ok", "failure"],
    ["null", "ok", "failure"],
  ])("%j is %s, and %s to a strict reader", (stdout, lenient, strict) => {
    expect(decode("pre_tool_use", { stdout }).ok).toBe(lenient === "ok");
    expect(decode("pre_tool_use", { stdout }, { strict: true }).ok).toBe(strict === "ok");
  });

  test("that is text is context if the event takes context, and nothing otherwise", () => {
    const taking = ["session_start", "turn_start", "user_prompt_submit", "pre_compact", "worktree_create"];
    for (const event of taking) expect(reply(event, { stdout: " hi \n" })).toEqual({ additionalContext: ["hi"] });
    const others = [
      "pre_tool_use",
      "before_llm_call",
      "after_llm_call",
      "on_error",
      "stop",
      "post_tool_use",
      "turn_end",
    ];
    for (const event of others) expect(reply(event, { stdout: "hi" })).toEqual({});
  });
});

describe("an unknown word fails, for every reader", () => {
  test.each<[JsonObject]>([
    [{ decision: "blok" }],
    [{ decision: "allow" }],
    [{ decision: 1 }],
    [{ continue: "no" }],
    [{ hook_specific_output: [] }],
    [specific({ permission_decision: "alow" })],
    [specific({ updated_input: [] })],
    [specific({ metadata: { a: 1 } })],
    [specific({ additional_context: ["a"] })],
  ])("%j", (stdout) => {
    for (const strict of [false, true])
      expect(failure("pre_tool_use", { stdout }, { strict }).kind).toBe("invalid-output");
  });
});

describe("a refusal", () => {
  test("by decision, by continue and by permission is one refusal, with all reasons", () => {
    expect(reply("pre_tool_use", { stdout: { decision: "block", reason: "a" } })).toEqual({
      decision: "deny",
      reason: "a",
    });
    expect(reply("pre_tool_use", { stdout: { continue: false, stop_reason: "b" } })).toEqual({
      decision: "deny",
      reason: "b",
    });
    const all = {
      decision: "block",
      reason: "a",
      continue: false,
      stop_reason: "b",
      ...specific({ permission_decision: "deny", permission_decision_reason: "c" }),
    };
    expect(reply("pre_tool_use", { stdout: all })).toEqual({ decision: "deny", reason: "b\na\nc" });
  });

  test("is not cancelled by a permission next to it, and keeps its rewrite", () => {
    const stdout = {
      decision: "block",
      ...specific({ permission_decision: "allow", permission_decision_reason: "fine", updated_input: { a: 1 } }),
    };
    expect(reply("pre_tool_use", { stdout })).toEqual({ decision: "deny", updatedInput: { a: 1 } });
  });

  test("counts in any case, as in the agent", () => {
    expect(reply("pre_tool_use", { stdout: { Decision: "block", REASON: "x" } })).toEqual({
      decision: "deny",
      reason: "x",
    });
  });

  test.each([{ decision: "block" }, { continue: false }, specific({ permission_decision: "deny" })])(
    "at an event that cannot be stopped is reported: %j",
    (stdout) => {
      expect(reply("stop", { stdout }).systemMessage).toMatch(/^a hook said .*: stop /);
      expect(reply("stop", { stdout }).decision).toBeUndefined();
    },
  );

  test("of a permission at an event without one is reported, and refuses nothing", () => {
    const said = reply("tool_input_transform", { stdout: specific({ permission_decision: "deny" }) });
    expect(said).toEqual({ systemMessage: expect.stringMatching(/tool_input_transform decides no permission/) });
  });

  test("needs one of these fields", () => {
    for (const stdout of [{}, { continue: true }, { decision: "" }, { decision: null }]) {
      expect(reply("pre_tool_use", { stdout })).toEqual({});
    }
  });
});

describe("a permission", () => {
  test.each(["allow", "ask"] as const)("%s", (word) => {
    const stdout = specific({ permission_decision: word, permission_decision_reason: "r" });
    for (const event of ["pre_tool_use", "tool_guard"])
      expect(reply(event, { stdout })).toEqual({ decision: word, reason: "r" });
  });

  test("at permission_request is given, refused or left to the user", () => {
    const at = (word: string) => reply("permission_request", { stdout: specific({ permission_decision: word }) });
    expect(at("allow")).toEqual({ decision: "allow" });
    expect(at("deny")).toEqual({ decision: "deny" });
    expect(at("ask")).toEqual({ decision: "ask" });
  });
});

describe("a rewrite", () => {
  test("of an input may be empty; null is no rewrite", () => {
    expect(reply("tool_input_transform", { stdout: specific({ updated_input: {} }) })).toEqual({ updatedInput: {} });
    expect(reply("tool_input_transform", { stdout: specific({ updated_input: null }) })).toEqual({});
  });

  test("of a response may clear it; null is no rewrite", () => {
    const at = (value: string | null) =>
      reply("tool_response_transform", { stdout: specific({ updated_tool_response: value }) });
    expect(at("")).toEqual({ updatedOutput: "" });
    expect(at("x")).toEqual({ updatedOutput: "x" });
    expect(at(null)).toEqual({});
  });

  test("of messages is the whole list, and an empty list is no rewrite", () => {
    const at = (value: JsonObject[]) => reply("before_llm_call", { stdout: specific({ updated_messages: value }) });
    expect(at([{ role: "user" }])).toEqual({ updatedMessages: [{ role: "user" }] });
    expect(at([])).toEqual({});
  });

  test("is ignored if the event has none of its kind, and reported", () => {
    const decoded = decode("tool_guard", { stdout: specific({ updated_input: { a: 1 } }) });
    expect(decoded).toEqual({ ok: true, reply: {}, ignored: ["updated_input: tool_guard does not honour it"] });
  });

  test("is ignored before the permissions, where metadata counts instead", () => {
    const stdout = specific({ updated_input: { a: 1 }, metadata: { category: "fs" } });
    expect(reply("pre_tool_use", { stdout }, { preempts: true })).toEqual({ metadata: { category: "fs" } });
    expect(reply("pre_tool_use", { stdout })).toEqual({ updatedInput: { a: 1 } });
  });
});

test("lasting instructions, a summary and messages to the user are read", () => {
  const instructions = [{ key: "a", content: "b" }];
  expect(reply("turn_start", { stdout: specific({ instruction_context: instructions }) })).toEqual({
    specific: { instructionContext: instructions },
  });
  expect(reply("before_compaction", { stdout: specific({ summary: "s" }) })).toEqual({ summary: "s" });
  expect(reply("notification", { stdout: { system_message: "m", suppress_output: true } })).toEqual({
    systemMessage: "m",
    suppressOutput: true,
  });
});

describe("a strict reader", () => {
  const BLOCKS = `pre_tool_use tool_input_transform tool_guard permission_request post_tool_use user_prompt_submit
    user_steering_messages_submit user_followup_submit before_llm_call pre_compact before_compaction worktree_create`;
  const CONTEXT = `session_start user_prompt_submit user_steering_messages_submit user_followup_submit turn_start
    pre_compact worktree_create`;
  const TAKES: readonly (readonly [JsonObject, string])[] = [
    [{ decision: "block" }, BLOCKS],
    [{ continue: false }, BLOCKS],
    [specific({ permission_decision: "deny" }), "pre_tool_use tool_guard permission_request"],
    [specific({ updated_input: {} }), "pre_tool_use tool_input_transform"],
    [specific({ updated_tool_response: "" }), "tool_response_transform"],
    [specific({ updated_messages: [] }), "before_llm_call"],
    [specific({ additional_context: "c" }), CONTEXT],
    [specific({ instruction_context: [] }), "session_start turn_start"],
    [specific({ metadata: {} }), "tool_guard permission_request"],
    [specific({ summary: "s" }), "before_compaction"],
  ];

  describe.each(TAKES)("takes %j", (stdout, events) => {
    const taking = events.trim().split(/\s+/);
    test.each(AGENT_EVENTS)("as %s can use it", (event) => {
      expect(decode(event, { stdout }, { strict: true }).ok).toBe(taking.includes(event));
      expect(decode(event, { stdout }).ok).toBe(true);
    });
  });

  test("requires the event's own name, if any", () => {
    const named = (name: string) => ({ stdout: specific({ hook_event_name: name }) });
    expect(decode("tool_guard", named("stop"), { strict: true }).ok).toBe(false);
    expect(decode("tool_guard", named("stop")).ok).toBe(true);
    expect(decode("tool_guard", named("tool_guard"), { strict: true }).ok).toBe(true);
  });

  test("rejects suppress_output", () => {
    expect(decode("stop", { stdout: { suppress_output: true } }, { strict: true }).ok).toBe(false);
    expect(decode("stop", { stdout: { suppress_output: false } }, { strict: true }).ok).toBe(true);
  });
});

test("reading never throws, and only an explicit permission is one", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...AGENT_EVENTS),
      fc.json(),
      fc.integer({ min: 0, max: 3 }),
      (event, stdout, exitCode) => {
        const decoded = decode(event, { stdout, exitCode });
        if (decoded.ok && decoded.reply.decision === "allow") expect(stdout).toContain("allow");
      },
    ),
    { numRuns: 300 },
  );
});
