import { expect, test } from "vitest";
import { claudeCodeCodec } from "../../../src/dialects/claude-code/codec.ts";
import { patternsCodec } from "../../../src/dialects/patterns/codec.ts";
import type { JsonObject } from "../../../src/event.ts";
import { makeEvent } from "../../helpers/rules.ts";

/** `hookSpecificOutput` that does not say which event it is for. The agent drops all of it. */

const answer = (codec: typeof claudeCodeCodec, event: string, fields: JsonObject) => {
  const stdout = JSON.stringify({ hookSpecificOutput: fields });
  return codec.decodeReply({ exitCode: 0, stdout, stderr: "" }, makeEvent(event, {}, codec.dialect));
};

test.each([
  ["PreToolUse", { permissionDecision: "allow" }],
  ["PermissionRequest", { decision: { behavior: "allow" } }],
])("permits nothing at %s", (event, fields) => {
  expect(answer(claudeCodeCodec, event, fields)).toMatchObject({
    ok: true,
    reply: expect.not.objectContaining({ decision: "allow" }),
    ignored: [expect.stringContaining("as a permission")],
  });
});

test.each([
  ["PreToolUse", { permissionDecision: "deny" }],
  ["PermissionRequest", { decision: { behavior: "deny" } }],
])("refuses at %s all the same: a refusal that is lost would be a hole", (event, fields) => {
  expect(answer(claudeCodeCodec, event, fields)).toMatchObject({ ok: true, reply: { decision: "deny" } });
});

test("is how the generic page writes it, and counts there", () => {
  const reply = answer(patternsCodec, "PreToolUse", { permissionDecision: "allow" });
  expect(reply).toMatchObject({ ok: true, reply: { decision: "allow" } });
});
