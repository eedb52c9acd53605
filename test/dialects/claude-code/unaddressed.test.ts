import { expect, test } from "vitest";
import { claudeCodeCodec } from "../../../src/dialects/claude-code/codec.ts";
import { patternsCodec } from "../../../src/dialects/patterns/codec.ts";
import type { JsonObject } from "../../../src/json.ts";
import { makeEvent } from "../../helpers/rules.ts";

/** `hookSpecificOutput` that does not name its event. The agent ignores all of it. */

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
])("refuses at %s nevertheless, because ignoring a refusal would open the gate", (event, fields) => {
  expect(answer(claudeCodeCodec, event, fields)).toMatchObject({ ok: true, reply: { decision: "deny" } });
});

test("is valid in the generic pattern's page, and counts there", () => {
  const reply = answer(patternsCodec, "PreToolUse", { permissionDecision: "allow" });
  expect(reply).toMatchObject({ ok: true, reply: { decision: "allow" } });
});
