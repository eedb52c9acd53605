import type { AgentPage } from "./page.ts";

const ANSWERED = "has modes that ask a model, which reads what it needs and whose answer counts";

/** The generic page: one form of hooks that many agents follow. */
export const patternsPage: AgentPage = {
  agent: "patterns",
  title: "Hooks and Extension Points",
  sections: [
    {
      heading: "Hooks and Extension Points",
      about: "hooks as data, conditions as patterns, and a loop that does not depend on hooks",
      tests: ["binds modes to events, and each works", "GP10", "GP11"],
    },
    {
      heading: "The Four Execution Modes",
      about: "a table of four modes, and a configuration with three modes, including an async hook",
      tests: [
        "binds modes to events, and each works",
        "has modes that ask a model, and shut their gates without an answer",
        ANSWERED,
        "GP48/command",
        "GP48/http",
        "GP53",
      ],
    },
    {
      heading: "The Hook Event Lifecycle",
      about: "a list of 27 events in nine phases",
      tests: ["a hook at %s runs at that event, and at no other", "GP1/SessionStart"],
    },
    {
      heading: "Condition Syntax",
      about: "three conditions (a file, a command, none), and a group with matcher and condition",
      tests: [
        "a condition is tested before anything is started: by file, by command, or not at all",
        "has two levels: the matcher tests the tool, the condition its input",
        "GP5",
        "GP6",
        "GP7",
        "GP8",
        "GP9",
      ],
    },
    {
      heading: "Hook Response Protocol",
      about:
        "two tables of fields, and examples of a later answer, a refusal by exit code, a refusal as JSON, and no output",
      tests: [
        "stops the agent, with its reason, and its block is a refusal",
        "that detaches the hook is not waited for, and decides nothing",
        "before a tool may change its input, decide, and add text",
        "after a tool may replace the tool's output",
        "by exit code 2 refuses, with standard error for the model; no output and 0 are consent",
        "GP51",
        "GP52",
        "GP54",
      ],
    },
    {
      heading: "Error Isolation and Aggregation",
      about: "four outcomes, and a sketch of code that combines several results",
      tests: [
        "have one of four outcomes each, and none of them ends the agent",
        "block if one of them does: all reasons are reported, errors are logged, and texts are combined",
        "GP33",
        "GP37",
        "GP38",
        "GP39",
        "GP40",
      ],
    },
    {
      heading: "Safety: SSRF and Execution Boundaries",
      about: "ranges of addresses that web hooks may and may not reach, and the limits of agent and prompt hooks",
      tests: [
        "may ask a server on this machine, by name or number",
        "may not ask %s, and nothing is sent",
        "has modes that ask a model, and shut their gates without an answer",
        ANSWERED,
        "GP69",
        "GP71",
        "GP58",
        "GP59",
      ],
    },
    {
      heading: "Production Considerations",
      about: "order of async hooks, the end of agent hooks, three sources, once, and proxies",
      tests: [
        "that are async end in any order, and take no time from the event",
        "has modes that ask a model, and shut their gates without an answer",
        "GP46: hooks in a skill's frontmatter join the same registry, as do settings of each layer and code",
        "a hook with once runs once in a session, and the one next to it each time",
        "GP41",
        "GP44",
        "GP55",
        "GP70",
      ],
    },
    {
      heading: "Best Practices",
      about: "advice: conditions instead of code, the right mode, async for audits, no dependence between hooks",
      tests: [
        "that are async end in any order, and take no time from the event",
        "a condition is tested before anything is started: by file, by command, or not at all",
        "GP42",
        "GP50",
      ],
    },
    {
      heading: "Related",
      about: "names of further pages: tools, permissions, commands, MCP, tracing",
      why: "the section only links to other pages, and a later version will add spans for hooks in a trace (GP61)",
    },
  ],
};
