import type { CaseFamily, ConformanceCase, JsonObject } from "../case.ts";
import { command, prints } from "../claude-hooks.ts";
import { GENERIC_PAGE, patternsAt, patternsFor } from "../pattern-hooks.ts";

const PRE = "PreToolUse";

/** The page's events, by what an agent does at that time. */
const EVENTS = [
  ["SessionStart", "SessionEnd", "Setup"],
  ["UserPromptSubmit", "Stop", "StopFailure"],
  ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"],
  ["PreCompact", "PostCompact"],
  ["SubagentStart", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted"],
  ["Notification"],
  ["Elicitation", "ElicitationResult"],
  ["ConfigChange", "InstructionsLoaded"],
  ["CwdChanged", "FileChanged", "WorktreeCreate", "WorktreeRemove"],
].flat();

const everyEvent: readonly ConformanceCase[] = EVENTS.map((event) => ({
  id: `GP1/${event}`,
  title: event,
  matrix: "each of the page's 27 events runs a command and a web hook",
  event,
  config: (kit) =>
    patternsAt(event, command(kit, "script", "cat >/dev/null"), { type: "http", url: kit.server("server", {}) }),
  expect: { runs: { script: 1, server: 1 }, verdict: { continue: true } },
}));

/** Which files the page's own condition is for. */
const FILES: readonly (readonly [path: string, runs: boolean])[] = [
  ["src/app.ts", true],
  ["src/a/b/c.ts", true],
  ["./src/app.ts", true],
  ["dist/../src/app.ts", true],
  ["CWD/src/app.ts", true],
  ["src/app.js", false],
  ["src/app.ts.map", false],
  ["build/app.ts", false],
  ["build/src/app.ts", false],
  ["src/../build/app.ts", false],
  ["/src-elsewhere/app.ts", false],
];

const onFiles: readonly ConformanceCase[] = FILES.map(([path, runs]) => ({
  id: `GP2/${path.replaceAll("/", "_")}`,
  title: path,
  matrix: "the condition Write(src/**/*.ts) compares the written file",
  payload: (kit): JsonObject => ({
    tool_name: "Write",
    tool_input: { file_path: path.replace("CWD", kit.folder), content: "src/app.ts" },
  }),
  config: (kit) => patternsFor("Write", PRE, command(kit, "lint", "exit 2", { if: "Write(src/**/*.ts)" })),
  expect: { verdict: { decision: runs ? "deny" : "none" }, runs: { lint: runs ? 1 : 0 } },
}));

/** Where the tools of several agents have the path, and the result for several paths. */
const FIELDS: readonly (readonly [input: JsonObject, runs: boolean])[] = [
  [{ path: "src/app.ts" }, true],
  [{ filePath: "src/app.ts" }, true],
  [{ file_path: "dist/app.js", content: "src/app.ts" }, false],
  [{}, true],
];

const onFields: readonly ConformanceCase[] = FIELDS.map(([tool_input, runs], index) => ({
  id: `GP72/${index + 1}`,
  title: JSON.stringify(tool_input),
  matrix: "a condition compares the path in each of its fields, and in doubt the hook runs",
  payload: { tool_name: "Write", tool_input },
  config: (kit) => patternsAt(PRE, command(kit, "hook", "true", { if: "Write(src/**/*.ts)" })),
  expect: { runs: { hook: runs ? 1 : 0 } },
}));

/** The condition matches, and a command could judge the wrong one of the two files. */
const onTwoFiles: ConformanceCase = {
  id: "GP72/two-files",
  title: "two fields name different files, and one of them fits",
  matrix: "a condition compares the path in each of its fields, and in doubt the hook runs",
  payload: { tool_name: "Write", tool_input: { file_path: "dist/app.js", path: "src/app.ts" } },
  config: (kit) => patternsAt(PRE, command(kit, "hook", "true", { if: "Write(src/**/*.ts)" })),
  expect: {
    default: { verdict: { decision: "deny", reason: /tool_input_path/ }, runs: { hook: 0 } },
    faithful: { runs: { hook: 1 } },
  },
};

const COMMANDS: readonly (readonly [line: string, runs: boolean])[] = [
  ["git push", true],
  ["git push origin main", true],
  ["git pushy", true],
  ["npm test && git push", true],
  ["FORCE=1 git push", true],
  ["git pull", false],
  ["git status; ls", false],
  ["echo 'git push'", false],
  ["echo 'unclosed", true],
];

const onCommands: readonly ConformanceCase[] = COMMANDS.map(([line, runs]) => ({
  id: `GP3/${line}`,
  title: line,
  matrix: "the condition Bash(git push*) compares the command",
  payload: { tool_input: { command: line } },
  config: (kit) => patternsAt(PRE, command(kit, "hook", "exit 2", { if: "Bash(git push*)" })),
  expect: { verdict: { decision: runs ? "deny" : "none" }, runs: { hook: runs ? 1 : 0 } },
}));

const MCP: readonly (readonly [matcher: string, runs: boolean])[] = [
  ["mcp__memory__create", true],
  ["mcp__memory__.*", true],
  ["mcp__memory__delete", false],
  ["mcp__memory", false],
  ["Write", false],
];

const onMcp: readonly ConformanceCase[] = ["PreToolUse", "PostToolUse"].flatMap((event) =>
  MCP.map(
    ([matcher, runs]): ConformanceCase => ({
      id: `GP4/${event}-${matcher}`,
      title: `${event}, ${matcher}`,
      matrix: "matchers treat a tool of an MCP server like any other tool",
      event,
      payload: { tool_name: "mcp__memory__create" },
      config: (kit) => patternsFor(matcher, event, command(kit, "hook", "true")),
      expect: { runs: { hook: runs ? 1 : 0 } },
    }),
  ),
);

export const patternsMatching: CaseFamily = {
  title: "Generic page: which hooks an event is for",
  source: `${GENERIC_PAGE}, events, matchers and conditions`,
  dialect: "patterns",
  cases: [
    ...everyEvent,
    ...onFiles,
    ...onFields,
    onTwoFiles,
    ...onCommands,
    ...onMcp,
    {
      id: "GP5",
      title: "a hook whose matcher or condition does not match starts no process and sends nothing",
      payload: { tool_name: "Write", tool_input: { file_path: "dist/app.js" } },
      config: (kit) => ({
        hooks_config: {
          [PRE]: [
            {
              matcher: "Bash",
              hooks: [command(kit, "otherTool", "exit 2"), { type: "http", url: kit.server("otherToolServer", {}) }],
            },
            {
              matcher: "Write",
              hooks: [
                command(kit, "otherFile", "exit 2", { if: "Write(src/**/*.ts)" }),
                { type: "http", url: kit.server("otherFileServer", {}), if: "Write(src/**)" },
                command(kit, "audit", "exit 2", { if: "Write(src/**)", async: true }),
                command(kit, "fits", "true"),
              ],
            },
          ],
          PostToolUse: [{ hooks: [command(kit, "otherEvent", "true")] }],
        },
      }),
      expect: {
        verdict: { decision: "none" },
        runs: {
          otherTool: 0,
          otherToolServer: 0,
          otherFile: 0,
          otherFileServer: 0,
          audit: 0,
          otherEvent: 0,
          fits: 1,
        },
      },
    },
    {
      id: "GP6",
      title: "a hook without matcher and if runs at every event of its name",
      payload: { tool_name: "SomethingNew" },
      config: (kit) => patternsAt(PRE, command(kit, "hook", "true")),
      expect: { runs: { hook: 1 } },
    },
    {
      id: "GP7",
      title: "the matcher and the if of a hook must both match",
      payload: { tool_input: { command: "git push" } },
      config: (kit) => patternsFor("Write", PRE, command(kit, "hook", "exit 2", { if: "Bash(git push*)" })),
      expect: { verdict: { decision: "none" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_INERT"] },
    },
    {
      id: "GP8",
      title: "a condition that is not valid is a problem, and its gate denies",
      config: (kit) => patternsAt(PRE, command(kit, "hook", "true", { if: "Write(src/**" })),
      expect: { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_CONDITION"] },
    },
    {
      id: "GP9",
      title: "a condition at an event without a tool never runs its hook, which is a problem",
      event: "Stop",
      config: (kit) => patternsAt("Stop", command(kit, "hook", "exit 2", { if: "Bash(git push*)" })),
      expect: { verdict: { decision: "none" }, runs: { hook: 0 }, problems: ["HOOK_CONFIG_INERT"] },
    },
    {
      id: "GP10",
      title: "hookbox runs no code inside a condition",
      payload: { tool_input: { command: "ls" } },
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "fits", `[ ! -e '${kit.folder}/pwned' ] || exit 2`),
          command(kit, "odd", "exit 2", { if: `Bash($(touch '${kit.folder}/pwned'))` }),
        ),
      expect: { verdict: { decision: "none" }, runs: { fits: 1, odd: 0 } },
    },
    {
      id: "GP11",
      title: "a command gets the tool's path as a variable, and no part of the path runs",
      payload: {
        tool_name: "Write",
        tool_input: { file_path: "src/$(touch pwned)`touch pwned`\"; touch pwned; '\n-- x.ts" },
      },
      config: (kit) => ({
        hooks_config: {
          [PRE]: [
            {
              matcher: "Write",
              hooks: [
                {
                  type: "command",
                  // The first is the page's own way to name it, without quotes.
                  command: [
                    kit.script("lint", "cat >event.json"),
                    "set -- --file $tool_input_path",
                    "[ ! -e pwned ] || exit 2",
                    'exec node -e \'const {tool_input} = JSON.parse(require("fs").readFileSync("event.json", "utf8")); process.exit(tool_input.file_path === process.env.tool_input_path ? 0 : 2)\'',
                  ].join("; "),
                },
              ],
            },
          ],
        },
      }),
      expect: { verdict: { decision: "none", systemMessage: null }, runs: { lint: 1 } },
    },
    {
      id: "GP12",
      title: "a command does not start for an input with two files, because the command could judge the wrong file",
      payload: { tool_name: "Write", tool_input: { file_path: "/etc/passwd", path: "src/app.ts" } },
      config: (kit) =>
        patternsAt(PRE, command(kit, "hook", `[ -z "\${tool_input_path+set}" ] && ${prints({ decision: "block" })}`)),
      expect: {
        default: { verdict: { decision: "deny", reason: /tool_input_path/ }, runs: { hook: 0 } },
        faithful: { verdict: { decision: "deny" }, runs: { hook: 1 } },
      },
    },
  ],
};
