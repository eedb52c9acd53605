import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { bash, hookAt, permission, prints } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { claudeSession } from "./session.ts";

/**
 * How the real client treats hooks, without hookbox: the reasons for hookbox's replies. The table in
 * docs/claude-code.md is compared with this.
 */

const PAGE = readFileSync(resolve(import.meta.dirname, "../../../docs/claude-code.md"), "utf8");

interface Case {
  readonly does: string;
  readonly command: string;
  readonly timeout?: number;
  readonly outcome: "runs" | "refused";
  /** With `"onFailure": "block"`. */
  readonly closed: "runs" | "refused";
}

const DENY = permission("deny", "not now");

const CASES: readonly Case[] = [
  { does: "is killed", command: "kill -9 $$", outcome: "runs", closed: "refused" },
  { does: "misses its `timeout`", command: "sleep 20", timeout: 1, outcome: "runs", closed: "refused" },
  { does: "cannot be found (127)", command: "no-such-program-here", outcome: "runs", closed: "refused" },
  { does: "exits with 1", command: "echo no >&2; exit 1", outcome: "runs", closed: "refused" },
  { does: "exits with 2, and prints a reason", command: "echo no >&2; exit 2", outcome: "refused", closed: "refused" },
  { does: "exits with 2 in silence", command: "exit 2", outcome: "refused", closed: "refused" },
  {
    does: "exits with 2 and prints an `allow`",
    command: `${prints(permission("allow", "fine"))}; exit 2`,
    outcome: "refused",
    closed: "refused",
  },
  { does: "prints a `deny`", command: prints(DENY), outcome: "refused", closed: "refused" },
  {
    does: "prints a `deny` and exits with 1",
    command: `${prints(DENY)}; exit 1`,
    outcome: "refused",
    closed: "refused",
  },
  {
    does: "prints broken JSON",
    command: "printf '%s' '{\"hookSpecificOutput\": deny}'",
    outcome: "runs",
    closed: "refused",
  },
  {
    does: "prints `denied` for `deny`",
    command: prints(permission("denied", "not now")),
    outcome: "runs",
    closed: "refused",
  },
  {
    does: "prints its decision in the wrong place",
    command: prints({ permissionDecision: "deny" }),
    outcome: "runs",
    closed: "runs",
  },
  {
    does: "prints a `deny` without `hookEventName`",
    command: prints({ hookSpecificOutput: { permissionDecision: "deny" } }),
    outcome: "runs",
    closed: "refused",
  },
  {
    does: 'prints `"continue": false` and nothing else',
    command: prints({ continue: false, stopReason: "stop" }),
    outcome: "runs",
    closed: "runs",
  },
];

let client: Client;
beforeAll(async () => {
  client = await installClaudeCode();
});

const whatHappens = async (command: string, more: object): Promise<string> => {
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: hookAt("PreToolUse", command, more),
  });
  return session.has("ran") ? "runs" : "refused";
};

test.each(CASES)("after a hook that $does the call $outcome", async ({ does, command, timeout, outcome, closed }) => {
  const limit = timeout === undefined ? {} : { timeout };
  const happened = await whatHappens(command, limit);
  const happenedClosed = await whatHappens(command, { ...limit, onFailure: "block" });
  expect([happened, happenedClosed]).toEqual([outcome, closed]);
  expect(PAGE).toContain(`| ${does} | ${outcome} | ${closed} |`);
});

test.each([
  { prints: "{note: xyzzy}", isText: false },
  { prints: "{ xyzzy", isText: true },
  { prints: "xyzzy", isText: true },
])("the output of a hook at a prompt, $prints, is text for the model: $isText", async ({ prints: text, isText }) => {
  const settings = hookAt("UserPromptSubmit", `printf '%s' '${text}'`);
  expect((await claudeSession(client, { turns: [], settings })).sent.includes("xyzzy")).toBe(isText);
});

test("a permission without hookEventName has no effect", async () => {
  const settings = hookAt("PreToolUse", prints({ hookSpecificOutput: { permissionDecision: "allow" } }));
  const session = await claudeSession(client, { permissions: "default", turns: [bash("touch ran")], settings });
  expect(session.has("ran")).toBe(false);
});

test("exit code 2 at PermissionRequest refuses nothing, and a deny as JSON does", async () => {
  const call = { permissions: "default", turns: [bash("touch ran")] } as const;
  const silent = await claudeSession(client, {
    ...call,
    settings: hookAt("PermissionRequest", "touch asked; echo never-read >&2; exit 2"),
  });
  expect(silent.has("asked")).toBe(true);
  expect(silent.sent).not.toContain("never-read");
  const decision = { behavior: "deny", message: "read-this" };
  const said = prints({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
  const denied = await claudeSession(client, { ...call, settings: hookAt("PermissionRequest", said) });
  expect(denied.toolResults).toMatchObject([{ isError: true, text: expect.stringContaining("read-this") }]);
});

test("hooks of a skill's frontmatter apply from its first use", async () => {
  const skill = `---
name: tidy
description: Tidies up
hooks:
  PreToolUse:
    - hooks:
        - { type: command, command: "echo not-while-tidying >&2; exit 2" }
---
Tidy up.
`;
  const files = { ".claude/skills/tidy/SKILL.md": skill };
  const before = await claudeSession(client, { turns: [bash("touch ran")], files });
  expect(before.has("ran")).toBe(true);
  const turns = [bash("touch one"), bash("touch two", "toolu_2")];
  const used = await claudeSession(client, { prompt: "/tidy", turns, files });
  expect([used.has("one"), used.has("two")]).toEqual([false, false]);
});

test.each([true, false])("an agent's Stop is SubagentStop, in a project that is trusted: %s", async (trusted) => {
  const agent = `---
name: helper
description: Helps
hooks:
  Stop:
    - hooks:
        - { type: command, command: 'cat >"$CLAUDE_PROJECT_DIR"/stop.json' }
---
Help.
`;
  const input = { description: "a task", prompt: "go", subagent_type: "helper" };
  const session = await claudeSession(client, {
    turns: [{ type: "tool_use", id: "toolu_1", name: "Agent", input }],
    files: { ".claude/agents/helper.md": agent },
    trusted,
  });
  expect(session.has("stop.json")).toBe(trusted);
  if (trusted) expect(JSON.parse(session.read("stop.json"))).toMatchObject({ hook_event_name: "SubagentStop" });
});
