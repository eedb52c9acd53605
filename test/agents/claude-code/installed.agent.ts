import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json.ts";
import { bash, permission, prints } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { addRules, init, tool } from "./resident.ts";
import { claudeSession } from "./session.ts";

/** The real client after `hookbox init claude-code --yes` in an empty home: the relay and the server answer. */

const DANGEROUS = "touch ran; git push --force nowhere main";

const KEY = `AKIA${"QWERTYUIOPASDFGH"}`;
const SECRET = `aws_access_key_id = ${KEY}\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY\n`;

const says = (output: object): object => ({ type: "command", command: prints(output) });
const denies = (why: string): object => ({ type: "command", command: `echo ${why} >&2; exit 2` });

const INSTEAD = { command: "touch instead", description: "another step" };

/** What a team adds to the user's own file: rules for the tools that the first guards do not judge. */
const TEAM_RULES = {
  PreToolUse: [
    { matcher: "Edit", hooks: [{ ...denies("settled-files-stay"), if: "Edit(settled/**)" }] },
    { matcher: "Read", hooks: [{ ...denies("not-for-agents"), if: "Read(private/**)" }] },
    { matcher: "WebFetch", hooks: [denies("nothing-from-the-web")] },
    { matcher: "Bash", hooks: [{ ...says(permission("ask", "look at this first")), if: "Bash(touch asked)" }] },
    {
      matcher: "Bash",
      hooks: [
        {
          ...says({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: INSTEAD } }),
          if: "Bash(touch original)",
        },
      ],
    },
  ],
};

/** Records each event with its payload in the project. */
const RECORD = { hooks: [{ type: "command", command: '{ cat; echo; } >>"$CLAUDE_PROJECT_DIR"/seen.jsonl' }] };
const RECORDED = ["PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionStart", "SessionEnd"];

describe.each(["2.1.197", "latest"])("Claude Code %s", (version) => {
  let client: Client;
  beforeAll(async () => {
    client = await installClaudeCode(version);
  });

  test("dangerous calls of each tool are refused with the rule's reason, and harmless ones run", async () => {
    const edit = (file: string, id: string) =>
      tool("Edit", { file_path: file, old_string: "before", new_string: "after" }, id);
    const session = await claudeSession(client, {
      files: {
        ...{ "settled/a.txt": "before\n", "private/b.txt": "very private\n", "open/c.txt": "before\n" },
        ".env": "MINE=very-private\n",
      },
      turns: [
        bash(DANGEROUS, "bash"),
        tool("Write", { file_path: "secrets.ini", content: SECRET }, "write"),
        tool("Read", { file_path: "settled/a.txt" }, "read settled"),
        edit("settled/a.txt", "edit"),
        tool("Read", { file_path: "private/b.txt" }, "read"),
        tool("Read", { file_path: ".env" }, "read secrets"),
        tool("WebFetch", { url: "https://127.0.0.1:1/", prompt: "what is there" }, "web"),
        bash("echo fine > harmless", "harmless bash"),
        tool("Write", { file_path: "new.txt", content: "hello\n" }, "harmless write"),
        tool("Read", { file_path: "open/c.txt" }, "harmless read"),
        edit("open/c.txt", "harmless edit"),
      ],
      prepare: async (place) => addRules(await init(place), TEAM_RULES),
    });
    const refused = (id: string, why: RegExp) => ({ id, isError: true, text: expect.stringMatching(why) });
    expect(session.toolResults).toMatchObject([
      refused("bash", /shell-guard: git push --force/),
      refused("write", /secret-guard/),
      { id: "read settled", isError: false },
      refused("edit", /settled-files-stay/),
      refused("read", /not-for-agents/),
      refused("read secrets", /path-guard: reading a protected file/),
      refused("web", /nothing-from-the-web/),
      { id: "harmless bash", isError: false },
      { id: "harmless write", isError: false },
      { id: "harmless read", isError: false, text: expect.stringContaining("before") },
      { id: "harmless edit", isError: false },
    ]);
    expect([session.has("ran"), session.has("secrets.ini")]).toEqual([false, false]);
    expect(["settled/a.txt", "open/c.txt", "new.txt", "harmless"].map((file) => session.read(file))).toEqual([
      "before\n",
      "after\n",
      "hello\n",
      "fine\n",
    ]);
    expect(session.sent).not.toMatch(/very.private/);
  });

  test("a question is refused where no person can answer, and a rewritten command is the one that runs", async () => {
    const session = await claudeSession(client, {
      turns: [bash("touch asked", "ask"), bash("touch original", "rewrite")],
      prepare: async (place) => addRules(await init(place), TEAM_RULES),
    });
    expect(session.toolResults).toMatchObject([
      { id: "ask", isError: true, text: expect.stringContaining("look at this first") },
      { id: "rewrite", isError: false },
    ]);
    expect(["asked", "original", "instead"].map((file) => session.has(file))).toEqual([false, false, true]);
  });

  test("calls of a sub-agent are judged, and the rules get each event of the session", async () => {
    const sub = "Push the branch for me.";
    const session = await claudeSession(client, {
      turns: [
        tool("Agent", { description: "a push", prompt: sub, subagent_type: "general-purpose" }, "agent"),
        bash("echo fine > harmless", "main"),
      ],
      subAgents: { [sub]: [bash(DANGEROUS, "sub"), bash("echo fine > by-sub-agent", "harmless sub")] },
      prepare: async (place) =>
        addRules(await init(place), Object.fromEntries(RECORDED.map((event) => [event, [RECORD]]))),
    });
    expect(session.toolResults).toEqual(
      expect.arrayContaining([
        { id: "sub", isError: true, text: expect.stringMatching(/shell-guard: git push --force/) },
        expect.objectContaining({ id: "harmless sub", isError: false }),
        expect.objectContaining({ id: "main", isError: false }),
      ]),
    );
    expect(["ran", "by-sub-agent", "harmless"].map((file) => session.has(file))).toEqual([false, true, true]);
    // The client may end before its last hook does.
    const seen = (): readonly JsonObject[] =>
      session
        .read("seen.jsonl")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as JsonObject);
    await expect.poll(() => new Set(seen().map((one) => one["hook_event_name"]))).toEqual(new Set(RECORDED));
    const afterSub = seen().find(({ tool_use_id: id }) => id === "harmless sub");
    expect(afterSub).toMatchObject({ hook_event_name: "PostToolUse", agent_type: "general-purpose" });
  });
});
