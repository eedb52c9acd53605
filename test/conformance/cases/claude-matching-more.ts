import type { CaseFamily, ConformanceCase, JsonObject } from "../case.ts";
import { at, command } from "../claude-hooks.ts";

const PRE = "PreToolUse";

/** What a matcher tests at events other than those of tools, and which characters keep it literal there. */
const SUBJECTS: readonly (readonly [event: string, matcher: string, payload: JsonObject, runs: boolean])[] = [
  ["SessionStart", "startup|resume", { source: "resume" }, true],
  ["SessionStart", "startup", { source: "clear" }, false],
  ["SessionEnd", "logout", { reason: "logout" }, true],
  ["PreCompact", "manual", { trigger: "auto" }, false],
  ["SubagentStop", "Explore", { agent_type: "Explore" }, true],
  ["Notification", "permission_prompt", { notification_type: "idle_prompt" }, false],
  ["UserPromptExpansion", "deploy", { command_name: "deploy" }, true],
  ["ConfigChange", "user_settings, project_settings", { source: "project_settings" }, true],
  ["Elicitation", "memory", { mcp_server_name: "memory" }, true],
  ["FileChanged", "Makefile", { file_path: "/srv/app/Makefile" }, true],
  ["FileChanged", "Makefile", { file_path: "/srv/Makefile/other" }, false],
  ["FileChanged", "Makefile", { file_path: "/srv/Makefile.am" }, false],
  ["FileChanged", "Makefile|Justfile", { file_path: "/srv/Justfile" }, true],
  ["FileChanged", "a-b", { file_path: "/srv/xa-by" }, true],
  ["StopFailure", "rate_limit", { error: "rate_limit" }, true],
  ["StopFailure", "rate_limit", { error: "rate_limit_long" }, false],
  ["StopFailure", "rate-limit", { error: "some-rate-limit-hit" }, true],
  ["PreModelSwitch", "claude-opus-4", { to_model: "claude-opus-4[1m]" }, true],
  ["PreModelSwitch", "claude-opus-4", { to_model: "claude-haiku-4-5" }, false],
  ["PreModelSwitch", "claude-opus-4", {}, true],
];

const subjects: readonly ConformanceCase[] = SUBJECTS.map(([event, matcher, payload, runs], index) => ({
  id: `MA6/${index + 1}`,
  title: `${event}, ${matcher}, ${JSON.stringify(payload)}`,
  matrix: "the text that a matcher tests at other events",
  event,
  payload,
  config: (kit) => ({ hooks: { [event]: [{ matcher, hooks: [command(kit, "hook", "true")] }] } }),
  expect: { runs: { hook: runs ? 1 : 0 } },
}));

/** Each way to have a command next to or inside another. */
const COMMANDS: readonly (readonly [condition: string, line: string, runs: boolean])[] = [
  ...[
    "a && git push",
    "a || git push",
    "a; git push",
    "a | git push",
    "a |& git push",
    "a & git push",
    "a\ngit push",
  ].map((line) => ["Bash(git *)", line, true] as const),
  ...["timeout 5", "time", "nice -n 3", "nohup", "stdbuf -oL", "command", "builtin", "xargs", "A=1 B=2"].map(
    (wrapper) => ["Bash(git *)", `${wrapper} git push`, true] as const,
  ),
  ["Bash(git push *)", "git $ACTION", true],
  ["Bash(git push *)", "git pull origin", false],
  ["Bash(git push:*)", "git push", true],
  ["Bash(git push:*)", "git pushy", false],
  ["Bash(npm run *test)", "npm run unit test", true],
  ["Bash(ls)", "ls -l", false],
  ["Bash(rm *)", "cat <<END\nrm -rf /\nEND", false],
  ["Bash(git push)", "echo 'git push'", false],
];

const commands: readonly ConformanceCase[] = COMMANDS.map(([condition, line, runs], index) => ({
  id: `MA7/${index + 1}`,
  title: `${condition}: ${line}`,
  matrix: "compound commands, wrappers and ends of patterns in an if condition",
  payload: { tool_input: { command: line } },
  config: (kit) => at(PRE, command(kit, "hook", "true", { if: condition })),
  expect: { runs: { hook: runs ? 1 : 0 } },
}));

const INPUTS: readonly (readonly [condition: string, tool: string, input: JsonObject, runs: boolean])[] = [
  ["Read(//etc/**)", "Read", { file_path: "/etc/passwd" }, true],
  ["Read(//etc/**)", "Read", { file_path: "/srv/etc/passwd" }, false],
  ["Read(~/.ssh/**)", "Read", { file_path: `${process.env["HOME"]}/.ssh/id` }, true],
  ["Read(~/.ssh/**)", "Read", { file_path: "/srv/.ssh/id" }, false],
  ["Read(*.env)", "Grep", { path: "deep/in/a.env", pattern: "x" }, true],
  ["Edit(src/**)", "Write", { file_path: "src/a.ts" }, true],
  ["Write(src/**)", "Edit", { file_path: "src/a.ts" }, false],
  ["Agent(Explore)", "Agent", { subagent_type: "Explore" }, true],
  ["Agent(Explore)", "Agent", { subagent_type: "Plan" }, false],
  ["mcp__memory__create", "mcp__memory__create", {}, true],
  ["mcp__memory", "mcp__memory2__create", {}, false],
  ["mcp__memory__create(scope:all)", "mcp__memory__create", { scope: "all" }, true],
  ["mcp__memory__create(scope:all)", "mcp__memory__create", { scope: "one" }, false],
  ["PowerShell(Remove-Item *)", "PowerShell", { command: "Remove-Item x" }, true],
  ["Bash(rm *)", "PowerShell", { command: "rm x" }, false],
];

const inputs: readonly ConformanceCase[] = INPUTS.map(([condition, tool_name, tool_input, runs], index) => ({
  id: `MA8/${index + 1}`,
  title: `${condition}: ${tool_name}`,
  matrix: "an if condition for files, agents, MCP tools, parameters and PowerShell",
  payload: { tool_name, tool_input },
  config: (kit) => at(PRE, command(kit, "hook", "true", { if: condition })),
  expect: { runs: { hook: runs ? 1 : 0 } },
}));

const TOOL_EVENTS = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];
const OTHER_EVENTS = ["Stop", "UserPromptSubmit", "SessionStart", "PostToolBatch", "FileChanged"];

export const matchingMore: CaseFamily = {
  title: "Claude Code: matchers at other events, and more conditions",
  source: "Hooks reference (2.1.295), matchers and if; permission rules",
  dialect: "claude-code",
  cases: [
    ...subjects,
    ...commands,
    ...inputs,
    ...TOOL_EVENTS.map(
      (event): ConformanceCase => ({
        id: `MA9/${event}`,
        title: event,
        matrix: "an if condition has an effect at the five events of tools",
        event,
        config: (kit) =>
          at(
            event,
            command(kit, "fits", "true", { if: "Bash(ls)" }),
            command(kit, "other", "true", { if: "Bash(git *)" }),
          ),
        expect: { runs: { fits: 1, other: 0 } },
      }),
    ),
    ...OTHER_EVENTS.map(
      (event): ConformanceCase => ({
        id: `MA10/${event}`,
        title: event,
        matrix: "at any other event a hook with if never runs, and hookbox warns",
        event,
        config: (kit) => at(event, command(kit, "hook", "exit 2", { if: "Bash(ls)" })),
        expect: { verdict: { decision: "none" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_INERT"] },
      }),
    ),
    {
      id: "MA11",
      title: "hookbox ignores a matcher at an event without matchers, and warns",
      event: "Stop",
      config: (kit) => ({ hooks: { Stop: [{ matcher: "Bash", hooks: [command(kit, "hook", "true")] }] } }),
      expect: { runs: { hook: 1 }, problems: ["HOOK_CONFIG_INERT"] },
    },
    {
      id: "MA12",
      title: "a gate with an invalid pattern denies, but on the page the gate is open",
      config: (kit) => ({ hooks: { [PRE]: [{ matcher: "Bash(", hooks: [command(kit, "hook", "true")] }] } }),
      expect: { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_MATCHER"] },
    },
    {
      id: "MA13",
      title: "two conditions in an if are not valid",
      config: (kit) => at(PRE, command(kit, "hook", "true", { if: "Bash(git *) || Write" })),
      expect: { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_CONDITION"] },
    },
  ],
};
