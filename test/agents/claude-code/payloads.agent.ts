import { readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { claudeCode } from "../../../src/dialects/claude-code/dialect.ts";
import { contractOf, EVENT_NAMES, isEventOf } from "../../../src/events/lookup.ts";
import type { JsonObject } from "../../../src/json.ts";
import { bash } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { claudeSession } from "./session.ts";

/** What the real client sends its hooks, event by event. */

let client: Client;
beforeAll(async () => {
  client = await installClaudeCode();
});

test("each payload of a session is recognised, and written again unchanged", async () => {
  const hook = { type: "command", command: 'cat >"$CLAUDE_PROJECT_DIR"/seen-$$.json' };
  const names = EVENT_NAMES.filter((name) => isEventOf(name, "claude-code") && name !== "WorktreeCreate");
  const session = await claudeSession(client, {
    turns: [bash("true"), bash("exit 3", "toolu_2")],
    settings: { hooks: Object.fromEntries(names.map((name) => [name, [{ hooks: [hook] }]])) },
    files: { "CLAUDE.md": "Be brief.\n" },
  });
  const files = readdirSync(session.project).filter((file) => file.startsWith("seen-"));
  const events: string[] = [];
  for (const file of files) {
    const payload = JSON.parse(session.read(file)) as JsonObject;
    expect(claudeCode.recognises(payload)).toBe(true);
    const decoded = claudeCode.decodeEvent(payload, undefined);
    if (!decoded.ok) throw new Error(decoded.message);
    const { name } = decoded;
    events.push(name);
    for (const field of contractOf(name, "claude-code")?.required ?? []) expect(typeof payload[field]).toBe("string");
    const again = claudeCode.codec.encodePayload({ ...decoded, dialect: "claude-code" });
    expect(JSON.parse(again)).toEqual(payload);
  }
  expect([...new Set(events)]).toEqual(
    expect.arrayContaining([
      ...["SessionStart", "InstructionsLoaded", "UserPromptSubmit", "PreToolUse", "PostToolUse"],
      ...["PostToolUseFailure", "PostToolBatch", "Stop", "SessionEnd"],
    ]),
  );
});
