import { beforeAll, expect, test } from "vitest";
import { guest } from "../../helpers/guests.ts";
import { blocksOf } from "../../pages/blocks.ts";
import { bash, hookAt, permission, prints, rulesAt } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { claudeSession } from "./session.ts";

/** The real client, with hookbox at its gates as in docs/claude-code.md. */

/** Returns the JSON that the page puts into this file. */
function fromPage(file: string): string {
  const block = blocksOf("docs/claude-code.md").find((one) => one.file === file);
  if (block === undefined) throw new Error(`docs/claude-code.md has nothing for ${file}`);
  return block.text;
}

const SETTINGS = JSON.parse(fromPage(".claude/settings.json")) as object;

let client: Client;
beforeAll(async () => {
  client = await installClaudeCode();
});

test("a dangerous command is refused with the guard's reason, and does not run", async () => {
  const call = bash("touch ran; git push --force nowhere main");
  const files = { "hookbox.json": fromPage("hookbox.json") };
  const session = await claudeSession(client, { turns: [call], settings: SETTINGS, files });
  expect(session.toolResults).toEqual([
    { id: "toolu_1", isError: true, text: expect.stringMatching(/shell-guard: git push --force/) },
  ]);
  expect(session.has("ran")).toBe(false);
  // Without hookbox the command runs, so the guard has stopped it.
  const unguarded = await claudeSession(client, { turns: [call], files });
  expect(unguarded.has("ran")).toBe(true);
});

test("a harmless command runs", async () => {
  const session = await claudeSession(client, {
    turns: [bash("echo fine > ran")],
    settings: SETTINGS,
    files: { "hookbox.json": fromPage("hookbox.json") },
  });
  expect(session.toolResults).toMatchObject([{ isError: false }]);
  expect(session.read("ran")).toBe("fine\n");
});

test.each([
  {
    title: "a guard that loops for ever refuses, and is named",
    hook: { type: "wasm", name: "looper", module: "./looper.wasm", may: ["deny", "ask", "allow"], timeoutMs: 40_000 },
    says: /looper.*fuel/s,
  },
  {
    title: "a hook that misses its deadline refuses, and is named",
    hook: { type: "command", name: "sleeper", command: "sleep 30", timeoutMs: 400 },
    says: /sleeper/,
  },
  {
    title: "a hook that is killed refuses, and is named",
    hook: { type: "command", name: "victim", command: "kill -9 $$" },
    says: /victim/,
  },
  {
    title: "a question is refused where nobody can be asked, with its text",
    hook: { type: "command", name: "asker", command: prints(permission("ask", "look at this first")) },
    says: /look at this first/,
  },
  {
    title: "a hook that stops the agent stops the call as well",
    hook: { type: "command", name: "stopper", command: prints({ continue: false, stopReason: "enough for today" }) },
    says: /enough for today/,
  },
])("$title", async ({ hook, says }) => {
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: SETTINGS,
    files: { "hookbox.json": rulesAt("PreToolUse", hook), "looper.wasm": guest("allows-then-loops-for-ever") },
  });
  expect(session.has("ran")).toBe(false);
  expect(session.stdout).toMatch(says);
});

test("a command with which a hook replaces another is the one that runs", async () => {
  const updatedInput = { command: "touch instead", description: "another step" };
  const rewrites = prints({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput } });
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: SETTINGS,
    files: { "hookbox.json": rulesAt("PreToolUse", { type: "command", command: rewrites }) },
  });
  expect([session.has("ran"), session.has("instead")]).toEqual([false, true]);
});

test("nothing runs while the rules cannot be read, and the model gets the line", async () => {
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: SETTINGS,
    files: { "hookbox.json": '{\n  "hooks": {\n    "PreToolUse": [}\n' },
  });
  expect(session.has("ran")).toBe(false);
  expect(session.toolResults).toMatchObject([{ isError: true, text: expect.stringContaining("hookbox.json:3") }]);
});

test("a prompt is refused before the model sees it", async () => {
  const session = await claudeSession(client, {
    turns: [],
    prompt: "the word is xyzzy",
    settings: hookAt("UserPromptSubmit", "hookbox run --dialect claude-code --config hookbox.json"),
    files: {
      "hookbox.json": rulesAt("UserPromptSubmit", {
        type: "command",
        command: prints({ decision: "block", reason: "not that word" }),
      }),
    },
  });
  expect(session.sent).not.toContain("xyzzy");
  expect(session.stdout).toContain("not that word");
});

test("hooks of the client's own settings file give the same answers through hookbox", async () => {
  const own = hookAt("PreToolUse", "echo not with me >&2; exit 2");
  const session = await claudeSession(client, {
    turns: [bash("touch ran")],
    settings: hookAt("PreToolUse", "hookbox run --config own/settings.json"),
    files: { "own/settings.json": JSON.stringify(own) },
  });
  expect(session.has("ran")).toBe(false);
  expect(session.toolResults).toMatchObject([{ isError: true, text: expect.stringContaining("not with me") }]);
});
