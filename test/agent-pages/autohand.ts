import type { AgentPage } from "./page.ts";

const reasons = {
  prose: "Prose without an example; what it says is held by the sections that show it.",
  advice: "Advice to the authors of hooks.",
} as const;

const WORK = "builtin hooks do the work of the page's scripts, which are not installed";
const MISSING = "a missing script is reported, with the name of the hook that does the same";
const OWN = "each of them is one of hookbox's own, at the page's event and off, and its script is not needed";

/** Autohand's page on its hooks, of May 2026. */
export const AUTOHAND_PAGE: AgentPage = {
  agent: "autohand",
  title: "Hooks System",
  sections: [
    { heading: "Overview", about: "what hooks are for", why: reasons.prose },
    {
      heading: "Two Modes of Hook Integration",
      about: "a file, and JSON-RPC notifications",
      tests: ["the structure of a file: a tool's name is logged", "AH-19"],
    },
    {
      heading: "Hook Events",
      about: "a table of 11 events, and the old name of one",
      tests: ["AH-3", "AH-6/pre-tool-0-fits", "AH-19"],
    },
    {
      heading: "Configuration: Basic Structure",
      about: "one file in JSON",
      tests: ["the structure of a file: a tool's name is logged", "AH-1/absent"],
    },
    {
      heading: "Hook Definition Properties",
      about: "a table of 8 properties",
      tests: ["AH-2", "AH-10/pre-tool-timeout", "AH-24"],
    },
    {
      heading: "Filter Object",
      about: "one example in JSON",
      tests: ["a filter: both tool and path must match", "AH-4/tool-name-write"],
    },
    {
      heading: "Matcher (Regex Filtering)",
      about: "one example in JSON, a table of what is matched",
      tests: ["a matcher, and a script that reads stdin", "AH-6/invalid"],
    },
    { heading: "JSON Input (stdin)", about: "one script", tests: ["a matcher, and a script that reads stdin"] },
    {
      heading: "JSON Input Structure",
      about: "one payload with every field",
      tests: ["the payload: read as shown, and written again with the same fields"],
    },
    {
      heading: "Control Flow Responses: Response Format",
      about: "one answer with every field",
      tests: ["the answer: every field of it has its effect", "AH-26/nulls"],
    },
    {
      heading: "Response Fields",
      about: "a table of 6 fields",
      tests: ["the answer: every field of it has its effect"],
    },
    { heading: "Decision Values", about: "a table of 4 words", tests: ["what each decision does to a call"] },
    {
      heading: "Example: Auto-approve safe commands",
      about: "one script",
      tests: ["safe commands pass, and the user is asked about others"],
    },
    { heading: "Exit Codes", about: "a table of 3 rows", tests: ["AH-8", "AH-9/json", "AH-13/pre-tool-exit-1"] },
    {
      heading: "Example: Block dangerous operations",
      about: "one script",
      tests: ["a dangerous command is blocked with the text on stderr"],
    },
    {
      heading: "Environment Variables",
      about: "a table of 30 variables; a test for each is in test/dialects/autohand/variables.test.ts",
      tests: ["subagents are timed, with variables that the page promises"],
    },
    { heading: "Log All Tool Executions", about: "one hook", tests: ["all tools are logged with the date"] },
    {
      heading: "Notify on File Changes",
      about: "one hook, for macOS",
      tests: ["changed files are shown as desktop notifications"],
    },
    {
      heading: "Track Token Usage",
      about: "one async hook",
      tests: ["tokens are counted by another program next to the agent"],
    },
    { heading: "Run Linter on Modified TypeScript Files", about: "one hook", tests: ["changed files are linted"] },
    { heading: "Auto-approve Read Operations", about: "one hook and its script", tests: ["reads are approved"] },
    { heading: "Log Session Lifecycle", about: "two hooks", tests: ["a session's start and end are logged"] },
    {
      heading: "Track Subagent Performance",
      about: "one hook",
      tests: ["subagents are timed, with variables that the page promises"],
    },
    {
      heading: "Managing Hooks with /hooks",
      about: "a menu, and what it shows",
      why: "The agent's own screen. What it does to the file (AH-21) belongs to the command line's verb for hooks.",
    },
    { heading: "JSON-RPC 2.0 Hook Notifications", about: "a table of 12 methods", tests: ["AH-19"] },
    {
      heading: "Example: VS Code Extension",
      about: "one listener in TypeScript",
      tests: ["an editor's extension shows its notifications"],
    },
    { heading: "Notification Parameters", about: "11 types in TypeScript", tests: ["AH-19"] },
    {
      heading: "Built-in Hooks: Logging Hooks",
      about: "a table of 4 hooks",
      tests: ["the logging ones are off, and log as documented when they are on", OWN, WORK],
    },
    {
      heading: "Sound Alert Hook",
      about: "one hook; its script has a row for each system",
      tests: ["a sound is played by the first player that is installed", OWN, MISSING],
    },
    {
      heading: "Auto-Format Hook",
      about: "one hook; three formatters in order",
      tests: ["files are formatted by prettier, otherwise eslint, otherwise biome, unless they are deleted", OWN, WORK],
    },
    {
      heading: "Slack Notification Hook",
      about: "one hook, and what its message has",
      tests: ["a channel gets project, duration, tokens and tools, if there is one", OWN, WORK],
    },
    {
      heading: "Git Auto-Stage Hook",
      about: "one hook, and what it leaves alone",
      tests: ["changed files are staged, except secrets, leftovers and builds", OWN, WORK, MISSING],
    },
    { heading: "Security Guard Hook", about: "one hook, what it blocks and protects", tests: ["AH-22", OWN] },
    {
      heading: "Smart Commit Hook",
      about: "one hook, off by itself",
      tests: ["a turn's work is committed after lint and test, once, and not from within itself", OWN],
    },
    { heading: "Enabling Built-in Hooks", about: "a menu", why: "The agent's own screen; `enabled` itself is AH-2." },
    { heading: "Best Practices", about: "timeouts, async, errors, security, decisions", why: reasons.advice },
  ],
};
