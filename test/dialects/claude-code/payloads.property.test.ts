import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/dialects/claude-code/dialect.ts";
import { patterns } from "../../../src/dialects/patterns/dialect.ts";
import type { JsonObject } from "../../../src/event.ts";
import fc from "../../helpers/fc.ts";

/** Payloads of both dialects are the canonical ones: nothing is lost on the way in and out. */

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

test("Claude Code has 33 events, each by its own name", () => {
  expect(Object.keys(claudeCode.eventNames).sort()).toEqual([...AGENT_EVENTS].sort());
  expect(AGENT_EVENTS).toHaveLength(33);
});

describe.each(DIALECTS)("$name", (dialect) => {
  test.each(AGENT_EVENTS.filter((name) => Object.hasOwn(dialect.eventNames, name)))(
    "reads a payload of %s and writes it as it was, known fields and unknown ones",
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

test.each(["PreToolUse", "Stop"])(
  "what begins with a %s is Claude Code's, and what has no such name is not",
  (name) => {
    expect(claudeCode.recognises({ hook_event_name: name })).toBe(true);
    for (const other of ["pre_tool_use", "TurnStart", "", 7, null]) {
      expect(claudeCode.recognises({ hook_event_name: other })).toBe(false);
    }
  },
);
