import type { CaseFamily, ConformanceCase, JsonObject } from "../case.ts";
import { at, command } from "../claude-hooks.ts";

const PRE = "PreToolUse";

/** Which tools a matcher matches. */
const MATCHERS: readonly (readonly [matcher: string | null, tool: string, runs: boolean])[] = [
  [null, "Bash", true],
  ["", "Bash", true],
  ["*", "Bash", true],
  ["Bash", "Bash", true],
  ["Bash", "BashOutput", false],
  ["Bash", "bash", false],
  ["Edit|Write", "Write", true],
  ["Edit, Write", "Write", true],
  ["Edit|Write", "NotebookEdit", false],
  ["Edit.*", "NotebookEdit", true],
  ["^Edit", "NotebookEdit", false],
  ["mcp__memory", "mcp__memory__create", false],
  ["mcp__memory__.*", "mcp__memory__create", true],
  ["mcp__brave-search", "mcp__brave-search", true],
  ["mcp__brave-search", "mcp__brave-search__web", false],
  ["my-plugin:reviewer", "my-plugin:reviewer-two", true],
  ["^my-plugin:reviewer$", "my-plugin:reviewer-two", false],
];

/** Which commands a hook with this `if` runs for. */
const CONDITIONS: readonly (readonly [condition: string, command: string, runs: boolean])[] = [
  ["Bash(git *)", "FOO=bar git push", true],
  ["Bash(git *)", "npm test && git push", true],
  ["Bash(git *)", "npm test | git apply", true],
  ["Bash(git *)", "npm test", false],
  ["Bash(rm *)", "echo $(rm -rf /)", true],
  ["Bash(rm *)", "echo `rm -rf /`", true],
  ["Bash(rm *)", "echo $(date)", false],
  ["Bash(git push *)", "echo $(date)", true],
  ["Bash(git push *)", "echo 'unclosed", true],
  ["Bash(ls *)", "lsof", false],
  ["Bash(ls *)", "ls -l", true],
  ["Bash(ls:*)", "ls -l", true],
  ["Bash(*)", "anything", true],
  ["Bash", "anything", true],
  ["Write(src/**)", "git push", false],
];

const matchers: readonly ConformanceCase[] = MATCHERS.map(([matcher, tool, runs]) => ({
  id: `MA1/${matcher ?? "absent"}/${tool}`,
  title: `${matcher ?? "no matcher"}, ${tool}`,
  matrix: "the tools that a matcher matches",
  payload: { tool_name: tool },
  config: (kit) => ({
    hooks: { [PRE]: [{ ...(matcher === null ? {} : { matcher }), hooks: [command(kit, "hook", "exit 2")] }] },
  }),
  expect: { verdict: { decision: runs ? "deny" : "none" }, runs: { hook: runs ? 1 : 0 } },
}));

const conditions: readonly ConformanceCase[] = CONDITIONS.map(([condition, line, runs]) => ({
  id: `MA2/${condition}/${line}`,
  title: `${condition}: ${line}`,
  matrix: "the commands for which a hook with if runs",
  payload: { tool_input: { command: line } },
  config: (kit) => at(PRE, command(kit, "hook", "exit 2", { if: condition })),
  expect: { verdict: { decision: runs ? "deny" : "none" }, runs: { hook: runs ? 1 : 0 } },
}));

const FILES: readonly (readonly [condition: string, path: string, runs: boolean])[] = [
  ["Edit(src/**)", "src/a/b.ts", true],
  ["Edit(src/**)", "other/src/a.ts", false],
  ["Edit(**/src/**)", "other/src/a.ts", true],
  ["Edit(*.ts)", "a.ts", true],
  ["Edit(*.ts)", "a.js", false],
  ["Edit(src/**)", "src/../other.ts", false],
];

const files: readonly ConformanceCase[] = FILES.map(([condition, path, runs]) => ({
  id: `MA3/${condition}/${path}`,
  title: `${condition}: ${path}`,
  matrix: "the files for which a hook with if runs",
  payload: (kit): JsonObject => ({ tool_name: "Edit", tool_input: { file_path: `${kit.folder}/${path}` } }),
  config: (kit) => at(PRE, command(kit, "hook", "exit 2", { if: condition })),
  expect: { runs: { hook: runs ? 1 : 0 } },
}));

export const matching: CaseFamily = {
  title: "Claude Code: which hooks an event is for",
  source: "Hooks reference (2.1.295), matchers and if",
  dialect: "claude-code",
  cases: [
    ...matchers,
    ...conditions,
    ...files,
    {
      id: "MA4",
      title: "a domain in an if condition",
      payload: { tool_name: "WebFetch", tool_input: { url: "https://docs.example.com/page" } },
      config: (kit) =>
        at(
          PRE,
          command(kit, "fits", "true", { if: "WebFetch(domain:docs.example.com)" }),
          command(kit, "other", "true", { if: "WebFetch(domain:example.org)" }),
        ),
      expect: { runs: { fits: 1, other: 0 } },
    },
    {
      id: "MA5",
      title: "an MCP server's name in if matches all tools of the server",
      payload: { tool_name: "mcp__memory__create" },
      config: (kit) =>
        at(
          PRE,
          command(kit, "server", "true", { if: "mcp__memory" }),
          command(kit, "tool", "true", { if: "mcp__memory__create" }),
          command(kit, "other", "true", { if: "mcp__memory__delete" }),
        ),
      expect: { runs: { server: 1, tool: 1, other: 0 } },
    },
  ],
};
