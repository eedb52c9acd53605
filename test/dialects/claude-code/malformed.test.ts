import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { createEngine } from "../../../src/engine.ts";
import { folderWith, whereIs } from "../../config/config-files.ts";
import fc from "../../helpers/fc.ts";

/** Malformed settings and frontmatter: problems have a line and a hint, and the gate stays shut. */

const hook = (text: string): string => `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        ${text}
      ] }
    ]
  }
}`;
const frontmatter = (...lines: string[]): string => `---\nname: tidy\nhooks:\n${lines.join("\n")}\n---\nText.\n`;

interface Case {
  readonly what: string;
  readonly file: string;
  readonly text: string;
  readonly code: string;
  /** Occurs once in the text, at the place of the problem. */
  readonly at: string;
  readonly says?: RegExp;
}

const CASES: readonly Case[] = [
  {
    what: "a file that ends early",
    file: "settings.json",
    text: '{ "hooks": {\n "PreToolUse": [}',
    code: "HOOK_CONFIG_SYNTAX",
    at: "}",
  },
  {
    what: "a type that nobody knows",
    file: "settings.json",
    text: hook('{ "type": "comand", "command": "x" }'),
    code: "HOOK_CONFIG_HANDLER",
    at: '"comand"',
    says: /command/,
  },
  {
    what: "a hook without its command",
    file: "settings.json",
    text: hook('{ "type": "command" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '{ "type"',
  },
  {
    what: "a timeout in words",
    file: "settings.json",
    text: hook('{ "type": "command", "command": "x", "timeout": "10s" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '"10s"',
  },
  {
    what: "a gate that is misspelt",
    file: "settings.json",
    text: '{\n  "hooks": {\n    "PreToolUsed": []\n  }\n}',
    code: "HOOK_CONFIG_UNKNOWN_EVENT",
    at: '"PreToolUsed"',
    says: /PreToolUse/,
  },
  {
    what: "a hook outside its list",
    file: "hooks.json",
    text: '{ "hooks": { "PreToolUse": [\n  { "type": "command", "command": "x" }\n] } }',
    code: "HOOK_CONFIG_UNKNOWN_KEY",
    at: '"type"',
    says: /"hooks"/,
  },
  {
    what: "a question without words",
    file: "settings.json",
    text: hook('{ "type": "prompt", "prompt": "" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '""',
  },
  {
    what: "a model without a name",
    file: "settings.json",
    text: hook('{ "type": "agent", "prompt": "Look around.", "model": "" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '""',
  },
  {
    what: "a model that nobody answers for",
    file: "settings.json",
    text: hook('{ "type": "prompt", "prompt": "Is this wise?", "model": "nowhere/small" }'),
    code: "HOOK_MODEL_PROVIDER",
    at: '{ "type"',
    says: /providers: anthropic/,
  },
  {
    what: "a server of tools that nobody knows",
    file: "settings.json",
    text: hook('{ "type": "mcp_tool", "server": "policy", "tool": "judge" }'),
    code: "HOOK_MCP_SERVER",
    at: '{ "type"',
    says: /mcpServers/,
  },
  {
    what: "a tool without a name",
    file: "settings.json",
    text: hook('{ "type": "mcp_tool", "server": "policy", "tool": "" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '""',
  },
  {
    what: "arguments of a tool that are no object",
    file: "settings.json",
    text: hook('{ "type": "mcp_tool", "server": "policy", "tool": "judge", "input": ["a"] }'),
    code: "HOOK_CONFIG_TYPE",
    at: '["a"]',
  },
  {
    what: "a word that onFailure does not have",
    file: "settings.json",
    text: hook('{ "type": "command", "command": "x", "onFailure": "deny" }'),
    code: "HOOK_CONFIG_TYPE",
    at: '"deny"',
  },
  {
    what: "frontmatter without an end",
    file: "SKILL.md",
    text: "---\nhooks:\n  PreToolUse: []\n",
    code: "HOOK_CONFIG_SYNTAX",
    at: "---",
    says: /not closed/,
  },
  {
    what: "frontmatter that is a list",
    file: "SKILL.md",
    text: "---\n- hooks\n---\n",
    code: "HOOK_CONFIG_TYPE",
    at: "- hooks",
  },
  {
    what: "frontmatter that is no YAML",
    file: "helper.md",
    text: "---\nname: a\ndescription: when: then\n---\n",
    code: "HOOK_CONFIG_SYNTAX",
    at: "when: then",
  },
  {
    what: "a skill's event that is no list",
    file: "SKILL.md",
    text: frontmatter("  PreToolUse: { matcher: Bash }"),
    code: "HOOK_CONFIG_TYPE",
    at: "{ matcher: Bash }",
  },
  {
    what: "an agent's matcher that is a number",
    file: "helper.md",
    text: frontmatter("  PreToolUse:", "    - matcher: 7", "      hooks: []"),
    code: "HOOK_CONFIG_TYPE",
    at: "7",
  },
  {
    what: "an agent's matcher that is no pattern",
    file: "helper.md",
    text: frontmatter("  PreToolUse:", "    - matcher: 'a(?=b)'", "      hooks: []"),
    code: "HOOK_CONFIG_MATCHER",
    at: "'a(?=b)'",
    says: /list the names/,
  },
];

async function verdictUnder(file: string, text: string) {
  const folder = folderWith({ [file]: text });
  const engine = await createEngine({
    configFiles: [{ file: join(folder, file) }],
    cwd: folder,
    dialect: "claude-code",
  });
  try {
    return await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  } finally {
    await engine.close();
  }
}

describe("in Claude Code's files", () => {
  test.each(CASES)("$what is reported with its place, and shuts the gate", async ({ file, text, code, at, says }) => {
    const folder = folderWith({ [file]: text });
    const { problems } = await loadConfig([{ file: join(folder, file) }], [], folder);
    expect(problems).toMatchObject([
      { severity: "error", code, place: at === "---" ? { line: 1 } : whereIs(at, text) },
    ]);
    const [problem] = problems;
    if (says !== undefined) expect(`${problem?.message} ${problem?.hint}`).toMatch(says);
    expect((await verdictUnder(file, text)).decision).toBe("deny");
  });

  const broken = fc.tuple(
    fc.constantFrom(...CASES.map(({ file }) => file)),
    fc.constantFrom(
      hook('{ "type": "command", "command": "exit 2" }'),
      frontmatter("  PreToolUse:", "    - hooks:", "        - { type: command, command: exit 2 }"),
    ),
    fc.nat(),
    fc.nat(8),
    fc.oneof(
      fc.string({ maxLength: 4 }),
      fc.constantFrom("---\n", "{", "]", '"', ":", "\n", "*", "&a", "!!", "\u0000"),
    ),
  );

  test("no change of a file that guards a gate throws, and each error leaves a rule that refuses", async () => {
    await fc.assert(
      fc.asyncProperty(broken, async ([file, text, from, length, into]) => {
        const at = from % text.length;
        const changed = text.slice(0, at) + into + text.slice(at + length);
        const folder = folderWith({ [file]: changed });
        const { rules, problems } = await loadConfig([{ file: join(folder, file) }], [], folder);
        const errors = problems.filter(({ severity }) => severity === "error");
        if (errors.length > 0) expect(rules.some(({ handler }) => handler.type === "broken")).toBe(true);
        for (const { place } of problems) expect(place?.file).toBe(join(folder, file));
      }),
      { numRuns: 300 },
    );
  });
});
