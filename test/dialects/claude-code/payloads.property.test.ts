import { describe, expect, test, vi } from "vitest";
import { claudeCode } from "../../../src/dialects/claude-code/dialect.ts";
import { patterns } from "../../../src/dialects/patterns/dialect.ts";
import type { JsonObject } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";

/** Payloads of both dialects are the canonical ones: nothing is lost in reading and writing. */

const DIALECTS = [claudeCode, patterns];
/** The agent's own list, in its own order. */
const AGENT_EVENTS = `PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit
  UserPromptExpansion SessionStart SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact
  PreModelSwitch PostModelSwitch PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted
  Elicitation ElicitationResult ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged
  DirectoryAdded MessageDisplay`.split(/\s+/);

const payloads = fc.dictionary(
  fc.oneof(fc.constantFrom("session_id", "cwd", "tool_name", "tool_input", "agent_id", "scratchpad_dir"), fc.string()),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>;

test("Claude Code has 33 events, each with its own name", () => {
  expect(Object.keys(claudeCode.eventNames).sort()).toEqual([...AGENT_EVENTS].sort());
  expect(AGENT_EVENTS).toHaveLength(33);
});

describe.each(DIALECTS)("$name", (dialect) => {
  test.each(AGENT_EVENTS.filter((name) => Object.hasOwn(dialect.eventNames, name)))(
    "reads a payload of %s and writes the same, with known and unknown fields",
    (name) => {
      fc.assert(
        fc.property(payloads, (fields) => {
          const payload = JSON.parse(JSON.stringify({ ...fields, hook_event_name: name })) as JsonObject;
          const decoded = dialect.decodeEvent(payload, undefined);
          if (!decoded.ok) throw new Error(decoded.message);
          expect(decoded.name).toBe(name);
          const again = dialect.codec.encodePayload({ ...decoded, dialect: dialect.name });
          expect(JSON.parse(again)).toEqual(payload);
        }),
        { numRuns: 25 },
      );
    },
  );
});

describe.each(["PreToolUse", "Stop"])("a payload of %s", (name) => {
  test.each<[string, JsonObject]>([
    ["its transcript's place", { transcript_path: "/home/ann/.claude/projects/shop/5c1e.jsonl" }],
    ["its transcript's place on Windows", { transcript_path: "C:\\Users\\ann\\.claude\\projects\\5c1e.jsonl" }],
    ["effort", { effort: { level: "high" } }],
    ["a prompt_id that is a UUID", { prompt_id: "0b0b8a0e-7c3b-4c57-9a34-2f0a8f2b0a11" }],
  ])("is Claude Code's because of %s", (_, fields) => {
    expect(claudeCode.recognises({ hook_event_name: name, ...fields })).toBe(true);
    for (const other of ["pre_tool_use", "TurnStart", "", 7, null])
      expect(claudeCode.recognises({ hook_event_name: other, ...fields })).toBe(false);
  });

  test("is Claude Code's because of a transcript in the folder that its user has set", () => {
    const payload = { hook_event_name: name, transcript_path: "/srv/claude/projects/5c1e.jsonl" };
    expect(claudeCode.recognises(payload)).toBe(false);
    vi.stubEnv("CLAUDE_CONFIG_DIR", "/srv/claude");
    expect(claudeCode.recognises(payload)).toBe(true);
    vi.unstubAllEnvs();
  });

  test.each<[string, JsonObject]>([
    ["nothing else", {}],
    ["what many agents send", { session_id: "s", cwd: "/srv", permission_mode: "default", tool_use_id: "toolu_1" }],
    ["Qwen Code's prompt_id", { prompt_id: "5c1e########0" }],
    ["another transcript", { transcript_path: "/home/ann/.codex/sessions/5c1e.jsonl" }],
  ])("belongs to no agent with %s", (_, fields) => {
    expect(claudeCode.recognises({ hook_event_name: name, ...fields })).toBe(false);
  });
});
