import type { AgentPage } from "./page.ts";

export const agentaoPage: AgentPage = {
  agent: "agentao",
  title: "5.7 Plugin Hooks: The Control-Plane Extension Surface",
  sections: [
    {
      heading: "5.7.1 The problem this solves",
      about: "Two axes, and the statement that files work in Claude Code and Agentao, except for two flat payloads.",
      tests: ["a file in Claude Code's form is read unchanged", "AG-W1"],
    },
    {
      heading: "5.7.2 The eight events at a glance",
      about: "A table of events with their possible effects.",
      tests: ["exist, and each can do what the page says", "AG-C2", "AG-S5"],
    },
    {
      heading: "5.7.3 Writing a rule",
      about: "A JSON example, a table of five fields with defaults, and the merging of several files.",
      tests: [
        "the first example loads, with every field",
        "a prompt adds its text, and a command receives the call and answers with an attachment",
        "AG-P1",
        "AG-P5",
      ],
    },
    {
      heading: "5.7.3 command vs. prompt",
      about: "The behaviour of each of the two hook types.",
      tests: ["a prompt adds its text, and a command receives the call and answers with an attachment", "AG-U7/filled"],
    },
    {
      heading: "5.7.3 Per-event constraints",
      about: "A table of allowed types, and the warning for other types.",
      tests: [
        "accept prompts before the user's message, and commands at each event",
        "types that do not run, and prompts at events without them, are skipped with a warning",
        "AG-P6",
      ],
    },
    {
      heading: "5.7.3 matcher and tool aliasing",
      about: "A JSON example with tool aliases in both directions, globs, whole expressions and null.",
      tests: ["a tool is matched by either of its names", "AG-A1", "AG-T4", "AG-T4/^Bash$", "AG-T4/Ba?h"],
    },
    {
      heading: "5.7.3 Reserved-but-not-runnable types",
      about: "The hook types http and agent, which Agentao recognizes and skips with a warning.",
      tests: [
        "types that do not run, and prompts at events without them, are skipped with a warning",
        "AG-P2",
        "AG-P2/gate",
      ],
    },
    {
      heading: "5.7.4 The four attachment types",
      about: "A table of attachment types.",
      tests: ["AG-U2/attachment", "AG-U2", "AG-U3", "AG-U4", "AG-S5"],
    },
    {
      heading: "5.7.4 Aggregated result: UserPromptSubmitResult",
      about: "A data class with five fields, and the aggregation of hooks.",
      tests: ["AG-U2", "AG-U3", "AG-U9"],
    },
    {
      heading: "5.7.4 Aggregated result: StopHookResult (Phase B)",
      about: "A data class with nine fields, with forced further calls and hidden contexts.",
      tests: ["AG-S5", "AG-S4", "AG-S3"],
    },
    {
      heading: "5.7.4 The matched_rule_count == 0 silent-emit rule",
      about: "The rule that no event is sent without a selected rule.",
      tests: ["an event is sent for each dispatch that had a rule, and for no other", "AG-S8"],
    },
    {
      heading: "5.7.4 outcome enum",
      about: "A table of outcomes by event.",
      tests: ["AG-S5", "AG-C2", "an empty answer is asked for once more, unless the iterations are used up"],
    },
    {
      heading: "5.7.5 Shape 1: additional_contexts",
      about: "Two contexts in tags ahead of the message.",
      tests: ["AG-U9"],
    },
    {
      heading: "5.7.5 Shape 2: early-return markers",
      about: "A table of two markers in the message.",
      tests: ["AG-U2", "AG-U3"],
    },
    {
      heading: "5.7.5 Stop hooks don't use markers",
      about: "An error at the end of a turn does not change the answer.",
      tests: ["AG-S3"],
    },
    {
      heading: "5.7.6 Real-time layer: PLUGIN_HOOK_FIRED",
      about: "A code listing that branches on the event, and a table of fields by hook_name.",
      tests: ["an event is sent for each dispatch that had a rule, and for no other", "AG-S8"],
    },
    {
      heading: "5.7.6 Archive layer: replay",
      about: "A JSON example with a capture flag, output previews, and the secret scan.",
      tests: ["the flag in the settings keeps all output of a hook"],
    },
    {
      heading: "5.7.7 Host-side APIs that aren't exposed",
      about: "The actions that an embedder cannot do with hooks.",
      why: "The section lists functions that Agentao's interface does not have. hookbox lists and registers rules through its engine.",
    },
    {
      heading: "5.7.7 Hook types that don't run, and combinations that are rejected",
      about: "The types and combinations of section 5.7.3.",
      tests: ["types that do not run, and prompts at events without them, are skipped with a warning", "AG-P6"],
    },
    {
      heading: "5.7.7 What we do promise to keep stable",
      about: "The stable fields, events, four attachment types, and fields of the event.",
      tests: ["exist, and each can do what the page says", "AG-U2", "AG-S8"],
    },
    {
      heading: "5.7.8 Recipe 1: project context every turn",
      about: "A JSON example with a prompt.",
      tests: ["notes on the project come before every message"],
    },
    {
      heading: "5.7.8 Recipe 2: block dangerous shell commands",
      about: "A JSON example with its script.",
      tests: ["a dangerous command is refused, by default and to the letter, and a harmless one is not"],
    },
    {
      heading: "5.7.8 Recipe 3: one more call after an empty Stop",
      about: "A JSON example with its script.",
      tests: ["an empty answer is asked for once more, unless the iterations are used up"],
    },
    {
      heading: "5.7.8 Recipe 4: audit before compaction",
      about: "A JSON example with its script.",
      tests: ["a compaction is logged, and no answer stops it"],
    },
  ],
};
