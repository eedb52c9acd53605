import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { commandsIn, folderWith } from "../../config/config-files.ts";

/** Hooks in the frontmatter of skills and agents. */

const SKILL = `---
name: release-notes
description: Writes release notes
hooks:
  PostToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: ./spelling.sh
          once: true
        - { type: command, command: ./links.sh, timeout: 5 }
---
# Notes

---
hooks: is only a word here
`;

const AGENT = `---
name: reviewer
tools: Read, Grep
hooks:
  Stop:
    - hooks:
        - { type: command, command: ./summary.sh, once: true }
---
Review.
`;

async function load(name: string, text: string) {
  const folder = folderWith({ [name]: text });
  return loadConfig([{ file: join(folder, name), layer: "user" }], [], folder);
}

describe("a skill's frontmatter", () => {
  test("has hooks, which run once if it says so, and know their lines", async () => {
    const { rules, problems } = await load("SKILL.md", SKILL);
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        event: "PostToolUse",
        matcher: "Write|Edit",
        dialect: "claude-code",
        once: "session",
        place: { line: 8, column: 11 },
      },
      { handler: { command: "./links.sh" }, timeoutMs: 5_000, place: { line: 11, column: 11 } },
    ]);
    expect(rules[1]).not.toHaveProperty("once");
  });

  test("has the same line numbers with carriage returns and a byte order mark", async () => {
    const { rules } = await load("SKILL.md", `\ufeff${SKILL.replaceAll("\n", "\r\n")}`);
    expect(rules.map(({ place }) => place?.line)).toEqual([8, 11]);
  });

  test.each([
    ["no frontmatter", "# A skill\n---\nhooks: no\n"],
    ["empty frontmatter", "---\n---\nhooks: no\n"],
    ["a remark alone", "---\n# later\n---\n"],
    ["no hooks", "---\nname: x\n---\n"],
  ])("may have none: %s", async (_, text) => {
    expect(await load("SKILL.md", text)).toMatchObject({ rules: [], problems: [] });
  });

  test("switches nothing off, whatever it contains", async () => {
    const text = SKILL.replace("name: release-notes", "disableAllHooks: true\nallowedHttpHookUrls: []");
    expect((await load("SKILL.md", text)).rules).toHaveLength(2);
  });
});

describe("an agent's frontmatter", () => {
  test("means the subagent's end by Stop, and ignores once", async () => {
    const { rules, problems } = await load("reviewer.md", AGENT);
    expect(rules).toMatchObject([{ event: "SubagentStop", handler: { command: "./summary.sh" } }]);
    expect(rules[0]).not.toHaveProperty("once");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT", place: { line: 7 } }]);
  });

  test("does not change the meaning of Stop in settings", async () => {
    const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } });
    expect((await load("settings.json", settings)).rules).toMatchObject([{ event: "Stop" }]);
  });
});

test("a hook that is in two skills is two hooks, and in two settings files one", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] };
  const skill = `---\n${JSON.stringify({ hooks })}\n---\n`;
  const folder = folderWith({
    "settings.json": JSON.stringify({ hooks }),
    "settings.local.json": JSON.stringify({ hooks }),
  });
  const skills = [folderWith({ "SKILL.md": skill }), folderWith({ "SKILL.md": skill })].map((one) =>
    join(one, "SKILL.md"),
  );
  const identities = async (...files: string[]): Promise<number> => {
    const { rules } = await loadConfig(
      files.map((file) => ({ file })),
      [],
      folder,
    );
    expect(commandsIn(rules)).toEqual(["true", "true"]);
    return new Set(rules.map(({ identity }) => identity)).size;
  };
  expect(await identities(...skills)).toBe(2);
  expect(await identities("settings.json", "settings.local.json")).toBe(1);
});
