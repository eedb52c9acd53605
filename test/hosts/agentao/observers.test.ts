import { describe, expect, test } from "vitest";
import type { HookReplayRecord, PluginHookFired } from "../../../src/hosts/agentao/index.ts";
import { captureFlagsIn } from "../../../src/hosts/agentao/replay.ts";
import { hostWith, prints, runs } from "./running.ts";

const SECRET = "glpat-abcdefghij0123456789";

async function watched(hooks: Parameters<typeof hostWith>[0], settings?: string) {
  const events: PluginHookFired[] = [];
  const records: HookReplayRecord[] = [];
  const options = settings === undefined ? {} : { settings };
  const running = await hostWith(hooks, {
    ...options,
    onEvent: (event) => events.push(event),
    replay: (record) => records.push(record),
  });
  return { ...running, events, records };
}

const FULL = JSON.stringify({ replay: { capture_flags: { capture_plugin_hook_output_full: true } } });

describe("the events of an agent", () => {
  test("AG-S8: are sent for events with a rule to run, and for no others", async () => {
    const { host, session, events } = await watched({
      Stop: prints(""),
      PreToolUse: prints("", { matcher: { tool_name: "Bash" } }),
    });
    const turn = host.turn(session);
    await turn.userPromptSubmit("hi");
    await turn.preToolUse("read_file", {});
    await host.sessionStart(session);
    await host.preCompact(session, { type: "full", reason: "compression_threshold" });
    expect(events).toEqual([]);
    await turn.stop({ answer: "", reason: "final_response" });
    expect(events.map(({ data }) => [data["hook_name"], data["matched_rule_count"]])).toEqual([["Stop", 1]]);
  });

  test("have the fields of each event", async () => {
    const { host, session, events } = await watched({
      UserPromptSubmit: prints({ blockingError: "no" }),
      PreToolUse: prints({ hookSpecificOutput: { permissionDecision: "ask", additionalContext: "c" } }),
      Stop: prints({ suppressOutput: true, additionalContext: "c" }),
      PreCompact: prints({ blockingError: "no" }),
      PostToolUse: prints({ blockingError: "bad output" }),
      SessionEnd: runs("exit 1"),
    });
    const turn = host.turn(session);
    await turn.userPromptSubmit("hi");
    await turn.preToolUse("glob", {});
    await turn.stop({ answer: "", reason: "max_iterations" });
    const compaction = await host.preCompact(session, { type: "minimal_history", reason: "api_overflow" });
    const after = await host.postToolUse(session, "glob", {}, "a");
    await host.sessionEnd(session);
    const fired = (data: object) => ({ type: "plugin_hook_fired", data: { matched_rule_count: 1, ...data } });
    expect(events).toEqual([
      fired({
        hook_name: "UserPromptSubmit",
        outcome: "block",
        blocking_error: "no",
        stop_reason: null,
        added_context_count: 0,
      }),
      fired({
        hook_name: "PreToolUse",
        outcome: "allow",
        tool: "glob",
        permission_decision: "ask",
        added_context_count: 1,
      }),
      fired({
        hook_name: "Stop",
        outcome: "allow",
        turn_end_reason: "max_iterations",
        at_max_iter: true,
        added_context_count: 1,
        suppress_output: true,
      }),
      fired({ hook_name: "PreCompact", outcome: "allow", compaction_type: "minimal_history", trigger: "auto" }),
      fired({ hook_name: "PostToolUse", outcome: "block" }),
      fired({ hook_name: "SessionEnd", outcome: "allow" }),
    ]);
    expect(compaction).toMatchObject({ outcome: "allow", blocking_error: null });
    expect(after).toMatchObject({ outcome: "block", blocking_error: "bad output" });
  });

  test("cannot be changed by a listener", async () => {
    const throws = (): never => {
      throw new Error("observer");
    };
    const { host, session } = await hostWith({ UserPromptSubmit: prints("c") }, { onEvent: throws, replay: throws });
    expect((await host.turn(session).userPromptSubmit("hi")).enters).toBe(true);
  });
});

describe("events around the conversation", () => {
  test("AG-C2: a compaction is reported to hooks, and happens whatever they answer", async () => {
    const { host, session, events } = await watched({
      PreCompact: [prints({ blockingError: "no" }), runs("exec sleep 9", { timeout: 0 }), runs("exit 2")],
    });
    for (const type of ["microcompact", "full", "minimal_history"] as const) {
      const result = await host.preCompact(session, { type, reason: "api_overflow" });
      expect(result).toMatchObject({ outcome: "allow", blocking_error: null, matched_rule_count: 3 });
    }
    expect(events.map(({ data }) => data["compaction_type"])).toEqual(["microcompact", "full", "minimal_history"]);
  });

  test.each([
    { preventContinuation: true, stopReason: "p" },
    { continue: false, stopReason: "p" },
    { attachment_type: "hook_stopped_continuation", payload: { message: "p" } },
  ])("a stop at an event that only observes is recorded as a stop: %j", async (output) => {
    const hooks = prints(output);
    const { host, session } = await hostWith({
      SessionStart: hooks,
      SessionEnd: hooks,
      PostToolUse: hooks,
      PostToolUseFailure: hooks,
      PreCompact: hooks,
    });
    const results = [
      await host.sessionStart(session),
      await host.sessionEnd(session),
      await host.postToolUse(session, "glob", {}, "a"),
      await host.postToolUseFailure(session, "glob", {}, "boom"),
      await host.preCompact(session, { type: "full", reason: "api_overflow" }),
    ];
    for (const { outcome, messages } of results) {
      expect(outcome).toBe("allow");
      expect(messages).toMatchObject([{ attachment_type: "hook_stopped_continuation", payload: { stopReason: "p" } }]);
    }
  });

  test("AG-L1: a hook that fails is recorded, and changes nothing", async () => {
    const { host, session } = await hostWith({
      PostToolUseFailure: [
        runs("echo out; echo err >&2; exit 1"),
        runs("exec sleep 9", { timeout: 0 }),
        prints("fine"),
      ],
    });
    const result = await host.postToolUseFailure(session, "glob", {}, "boom");
    expect(result).toMatchObject({ outcome: "allow", matched_rule_count: 3 });
    expect(result.messages.map(({ attachment_type: type, payload }) => [type, Object.keys(payload).sort()])).toEqual([
      ["hook_success", ["returncode", "stdout", "warning"]],
      ["hook_success", ["warning"]],
      ["hook_success", ["returncode", "stdout"]],
    ]);
  });
});

describe("a record of hooks' output", () => {
  test("keeps what hooks have printed, cut in the middle", async () => {
    const { host, session, records } = await watched({ SessionStart: runs("printf '%0600d' 7; printf 'end'") });
    await host.sessionStart(session);
    const [record] = records;
    expect(record).toMatchObject({
      type: "plugin_hook_fired",
      data: {
        hook_name: "SessionStart",
        outcome: "allow",
        matched_rule_count: 1,
        output_preview_truncation: { truncated: true, original_chars: 603, omitted_chars: 103 },
      },
    });
    const preview = String(record?.data["output_preview"]);
    expect([preview.length, preview.slice(-4), preview.startsWith("0".repeat(250))]).toEqual([500, "7end", true]);
  });

  test("keeps all of it if the settings say so", async () => {
    const { host, session, records } = await watched({ SessionStart: runs("printf '%0600d' 7") }, FULL);
    await host.sessionStart(session);
    expect(String(records[0]?.data["output_preview"])).toHaveLength(600);
    expect(records[0]?.data).not.toHaveProperty("output_preview_truncation");
  });

  test.each([
    ["as usual", undefined],
    ["in full", FULL],
  ])("never contains a secret %s", async (_, settings) => {
    const { host, session, records, events } = await watched(
      { UserPromptSubmit: prints({ blockingError: `you said ${SECRET}` }) },
      settings,
    );
    await host.turn(session).userPromptSubmit("hi");
    expect(JSON.stringify(events)).toContain(SECRET);
    expect(JSON.stringify(records)).not.toContain(SECRET);
    expect(records[0]?.data).toMatchObject({ blocking_error: "you said [redacted]" });
  });

  test("has no preview if nothing was printed", async () => {
    const { host, session, records } = await watched({ SessionStart: runs("true") });
    await host.sessionStart(session);
    expect(records.map(({ data }) => Object.keys(data).sort())).toEqual([
      ["hook_name", "matched_rule_count", "outcome"],
    ]);
  });

  test.each([
    ["", false],
    ["{", false],
    ["[]", false],
    ['{"replay": {"capture_flags": {"capture_plugin_hook_output_full": "yes"}}}', false],
    [FULL, true],
  ])("depends on the flags of %j", (settings, full) => {
    expect(captureFlagsIn(settings)).toEqual({
      capture_llm_delta: true,
      capture_full_llm_io: false,
      capture_tool_result_full: false,
      capture_plugin_hook_output_full: full,
    });
  });
});
