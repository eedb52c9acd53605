import { describe, expect, test } from "vitest";
import { readDocument } from "../../../src/config/document.ts";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { openclawFormat } from "../../../src/dialects/openclaw/config-format.ts";
import { readPluginHooks } from "../../../src/dialects/openclaw/plugin-hooks.ts";

async function parse(text: string) {
  const read = await readDocument(text, "openclaw.json");
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const settings = openclawFormat.parseSettings(read.document, { layer: "user", baseDir: "/base" });
  const parsed = openclawFormat.parseRules(read.document, {
    layer: "user",
    baseDir: "/base",
    defaults: BUILTIN_DEFAULTS,
  });
  return { rules: parsed.rules, problems: [...settings.problems, ...parsed.problems] };
}

const entry = (hooks: string): string => `{
  "plugins": { "entries": { "audit": {
    "hooks": ${hooks}
  } } }
}`;

describe("OpenClaw's settings", () => {
  test("have no rules, and no problem in OpenClaw's own form", async () => {
    const hooks =
      '{ "timeoutMs": 5000, "timeouts": { "agent_end": 600000, "cron_changed": 5 }, "allowConversationAccess": true, "allowPromptInjection": false }';
    expect(await parse(entry(hooks))).toEqual({ rules: [], problems: [] });
    expect(await parse('{ "gateway": { "port": 1 }, "plugins": { "entries": { "a": { "enabled": true } } } }')).toEqual(
      { rules: [], problems: [] },
    );
  });

  test.each([
    ['{ "timeoutMs": 0 }', "from 1 to 600000", "15000"],
    ['{ "timeoutMs": 600001 }', "from 1 to 600000", "15000"],
    ['{ "timeoutMs": 1.5 }', "from 1 to 600000", "15000"],
    ['{ "timeoutMs": "5s" }', "from 1 to 600000", "milliseconds"],
    ['{ "timeouts": { "agent_end": -1 } }', "timeouts.agent_end", "milliseconds"],
    ['{ "timeouts": { "agent_edn": 5 } }', 'no hook "agent_edn"', 'did you mean "agent_end"?'],
    ['{ "timeouts": [5] }', "timeouts must be an object", undefined],
    ['{ "allowConversationAccess": "true" }', "true or false", "allowConversationAccess: false"],
    ['{ "allowPromptInjection": 0 }', "true or false", "allowPromptInjection: false"],
    ['{ "timeoutMS": 5 }', 'unknown key "timeoutMS"', 'did you mean "timeoutMs"?'],
    ["[]", "must be an object", undefined],
  ])("with hooks %s are reported with their place: %s", async (hooks, message, hint) => {
    const { rules, problems } = await parse(entry(hooks));
    expect(rules).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      severity: "warning",
      message: expect.stringContaining(message),
      place: { line: 3 },
    });
    if (hint !== undefined) expect(problems[0]?.hint).toContain(hint);
  });

  test.each(['{ "plugins": 7 }', '{ "plugins": { "entries": [] } }', '{ "plugins": { "entries": { "a": 7 } } }'])(
    "of another shape are reported: %s",
    async (text) => {
      expect((await parse(text)).problems).toMatchObject([
        { severity: "warning", message: expect.stringContaining("object") },
      ]);
    },
  );

  test("that are not an object are an error", async () => {
    expect((await parse("[]")).problems).toMatchObject([{ severity: "error" }]);
  });

  test("leave out what cannot be used, and treat an unreadable leave as missing", () => {
    const hooks = { timeoutMs: "5s", timeouts: { agent_end: 5, message_sent: 0 }, allowPromptInjection: "yes" };
    expect(readPluginHooks({ plugins: { entries: { a: { hooks } } } }).entries.get("a")).toEqual({
      timeouts: { agent_end: 5 },
      allowConversationAccess: false,
      allowPromptInjection: false,
    });
  });
});
