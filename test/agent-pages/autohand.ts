import type { AgentPage } from "./page.ts";

const reasons = {
  prose: "The section is prose without an example. The sections with examples have the tests.",
  advice: "The section gives advice to the authors of hooks.",
} as const;

const WORK = "builtin hooks do the work of the page's scripts, which are not installed";
const MISSING = "a missing script is reported, with the name of the hook that does the same";
const OWN = "each of them is one of hookbox's own, at the page's event and off, and its script is not needed";

/** Autohand's page on its hooks, of May 2026. */
export const AUTOHAND_PAGE: AgentPage = {
  agent: "autohand",
  title: "Hooks System",
  sections: [
    { heading: "Overview", about: "the purpose of hooks", why: reasons.prose },
    {
      heading: "Two Modes of Hook Integration",
      about: "a configuration file, and JSON-RPC notifications",
      tests: ["the structure of a file: a tool's name is logged", "AH-19"],
    },
    {
      heading: "Hook Events",
      about: "a table of 11 events, with an old event name",
      tests: ["AH-3", "AH-6/pre-tool-0-fits", "AH-19"],
    },
    {
      heading: "Configuration: Basic Structure",
      about: "a configuration file in JSON",
      tests: ["the structure of a file: a tool's name is logged", "AH-1/absent"],
    },
    {
      heading: "Hook Definition Properties",
      about: "a table of 8 properties of a hook",
      tests: ["AH-2", "AH-10/pre-tool-timeout", "AH-24"],
    },
    {
      heading: "Filter Object",
      about: "an example in JSON",
      tests: ["a filter: both tool and path must match", "AH-4/tool-name-write"],
    },
    {
      heading: "Matcher (Regex Filtering)",
      about: "an example in JSON, and a table of the matched texts",
      tests: ["a matcher, and a script that reads stdin", "AH-6/invalid"],
    },
    { heading: "JSON Input (stdin)", about: "an example script", tests: ["a matcher, and a script that reads stdin"] },
    {
      heading: "JSON Input Structure",
      about: "a payload with every field",
      tests: ["the payload: read as shown, and written again with the same fields"],
    },
    {
      heading: "Control Flow Responses: Response Format",
      about: "a hook's answer with every field",
      tests: ["the answer: every field of it has its effect", "AH-26/nulls"],
    },
    {
      heading: "Response Fields",
      about: "a table of 6 fields of an answer",
      tests: ["the answer: every field of it has its effect"],
    },
    { heading: "Decision Values", about: "a table of 4 decisions", tests: ["what each decision does to a call"] },
    {
      heading: "Example: Auto-approve safe commands",
      about: "an example script",
      tests: ["safe commands pass, and the user is asked about others"],
    },
    { heading: "Exit Codes", about: "a table of 3 exit codes", tests: ["AH-8", "AH-9/json", "AH-13/pre-tool-exit-1"] },
    {
      heading: "Example: Block dangerous operations",
      about: "an example script",
      tests: ["a dangerous command is blocked with the text on stderr"],
    },
    {
      heading: "Environment Variables",
      about: "a table of 30 variables, each with a test in test/dialects/autohand/variables.test.ts",
      tests: ["subagents are timed, with variables that the page promises"],
    },
    {
      heading: "Log All Tool Executions",
      about: "an example of a hook",
      tests: ["all tools are logged with the date"],
    },
    {
      heading: "Notify on File Changes",
      about: "an example of a hook for macOS",
      tests: ["changed files are shown as desktop notifications"],
    },
    {
      heading: "Track Token Usage",
      about: "an example of an async hook",
      tests: ["tokens are counted by another program next to the agent"],
    },
    {
      heading: "Run Linter on Modified TypeScript Files",
      about: "an example of a hook",
      tests: ["changed files are linted"],
    },
    {
      heading: "Auto-approve Read Operations",
      about: "an example of a hook with its script",
      tests: ["reads are approved"],
    },
    {
      heading: "Log Session Lifecycle",
      about: "an example with two hooks",
      tests: ["a session's start and end are logged"],
    },
    {
      heading: "Track Subagent Performance",
      about: "an example of a hook",
      tests: ["subagents are timed, with variables that the page promises"],
    },
    {
      heading: "Managing Hooks with /hooks",
      about: "a menu, and its content",
      why: "The section shows the agent's own screen. The tests of `hookbox hooks` cover its changes of the file (AH-21).",
    },
    { heading: "JSON-RPC 2.0 Hook Notifications", about: "a table of 12 methods", tests: ["AH-19"] },
    {
      heading: "Example: VS Code Extension",
      about: "a listener in TypeScript",
      tests: ["an editor's extension shows its notifications"],
    },
    { heading: "Notification Parameters", about: "11 types in TypeScript", tests: ["AH-19"] },
    {
      heading: "Built-in Hooks: Logging Hooks",
      about: "a table of 4 logging hooks",
      tests: ["the logging ones are off, and log as documented when they are on", OWN, WORK],
    },
    {
      heading: "Sound Alert Hook",
      about: "a hook with a script that has a row for each system",
      tests: ["a sound is played by the first player that is installed", OWN, MISSING],
    },
    {
      heading: "Auto-Format Hook",
      about: "a hook with three formatters in order",
      tests: ["files are formatted by prettier, otherwise eslint, otherwise biome, unless they are deleted", OWN, WORK],
    },
    {
      heading: "Slack Notification Hook",
      about: "a hook, and the content of its message",
      tests: ["a channel gets project, duration, tokens and tools, if there is one", OWN, WORK],
    },
    {
      heading: "Git Auto-Stage Hook",
      about: "a hook, and the files that the hook does not stage",
      tests: ["changed files are staged, except secrets, leftovers and builds", OWN, WORK, MISSING],
    },
    {
      heading: "Security Guard Hook",
      about: "a hook, with the commands and paths that the hook blocks",
      tests: ["AH-22", OWN],
    },
    {
      heading: "Smart Commit Hook",
      about: "a hook that is off by default",
      tests: ["a turn's work is committed after lint and test, once, and not from within itself", OWN],
    },
    {
      heading: "Enabling Built-in Hooks",
      about: "a menu of the agent",
      why: "The section shows the agent's own screen. The case AH-2 tests `enabled`.",
    },
    {
      heading: "Best Practices",
      about: "advice on timeouts, async, errors, security and decisions",
      why: reasons.advice,
    },
  ],
};
