import type { AgentPage } from "./page.ts";

export const agentaoPage: AgentPage = {
  agent: "agentao",
  title: "5.7 Plugin Hooks: The Control-Plane Extension Surface",
  sections: [
    {
      heading: "5.7.1 The problem this solves",
      about: "Two axes, and that files are interchangeable with Claude Code's but for two flat payloads.",
      tests: ["a file in Claude Code's form is read unchanged", "AG-W1"],
    },
    {
      heading: "5.7.2 The eight events at a glance",
      about: "A table of events with what each can do.",
      tests: ["exist, and each can do what the page says", "AG-C2", "AG-S5"],
    },
    {
      heading: "5.7.3 Writing a rule",
      about: "One JSON example, a table of five fields with defaults, and how several files merge.",
      tests: [
        "the first example loads, with every field",
        "a prompt adds its text, and a command receives the call and answers with an attachment",
        "AG-P1",
        "AG-P5",
      ],
    },
    {
      heading: "5.7.3 command vs. prompt",
      about: "What each of the two types does.",
      tests: ["a prompt adds its text, and a command receives the call and answers with an attachment", "AG-U7/filled"],
    },
    {
      heading: "5.7.3 Per-event constraints",
      about: "A table of allowed types, and the warning for the others.",
      tests: [
        "accept prompts before the user's message, and commands at each event",
        "types that do not run, and prompts at events without them, are skipped with a warning",
        "AG-P6",
      ],
    },
    {
      heading: "5.7.3 matcher and tool aliasing",
      about: "One JSON example; aliases both ways, globs, whole expressions, null.",
      tests: ["a tool is matched by either of its names", "AG-A1", "AG-T4", "AG-T4/^Bash$", "AG-T4/Ba?h"],
    },
    {
      heading: "5.7.3 Reserved-but-not-runnable types",
      about: "http and agent: recognised, warned of, skipped.",
      tests: [
        "types that do not run, and prompts at events without them, are skipped with a warning",
        "AG-P2",
        "AG-P2/gate",
      ],
    },
    {
      heading: "5.7.4 The four attachment types",
      about: "A table of types.",
      tests: ["AG-U2/attachment", "AG-U2", "AG-U3", "AG-U4", "AG-S5"],
    },
    {
      heading: "5.7.4 Aggregated result: UserPromptSubmitResult",
      about: "A data class with five fields, and how hooks are aggregated.",
      tests: ["AG-U2", "AG-U3", "AG-U9"],
    },
    {
      heading: "5.7.4 Aggregated result: StopHookResult (Phase B)",
      about: "A data class with nine fields; forcing one more call, hiding contexts.",
      tests: ["AG-S5", "AG-S4", "AG-S3"],
    },
    {
      heading: "5.7.4 The matched_rule_count == 0 silent-emit rule",
      about: "No event without a selected rule.",
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
      about: "A table of two markers.",
      tests: ["AG-U2", "AG-U3"],
    },
    {
      heading: "5.7.5 Stop hooks don't use markers",
      about: "An error at the end of a turn leaves the answer as it is.",
      tests: ["AG-S3"],
    },
    {
      heading: "5.7.6 Real-time layer: PLUGIN_HOOK_FIRED",
      about: "A listing that branches on the event, and a table of fields by hook_name.",
      tests: ["an event is sent for each dispatch that had a rule, and for no other", "AG-S8"],
    },
    {
      heading: "5.7.6 Archive layer: replay",
      about: "One JSON example with a capture flag; previews, and the secret scan that always runs.",
      tests: ["the flag in the settings keeps all output of a hook"],
    },
    {
      heading: "5.7.7 Host-side APIs that aren't exposed",
      about: "What an embedder cannot do with hooks.",
      why: "Absences of the agent's own interface. hookbox lists and registers rules through its engine.",
    },
    {
      heading: "5.7.7 Hook types that don't run, and combinations that are rejected",
      about: "The same as in 5.7.3.",
      tests: ["types that do not run, and prompts at events without them, are skipped with a warning", "AG-P6"],
    },
    {
      heading: "5.7.7 What we do promise to keep stable",
      about: "Fields, events, four attachment types, fields of the event.",
      tests: ["exist, and each can do what the page says", "AG-U2", "AG-S8"],
    },
    {
      heading: "5.7.8 Recipe 1: project context every turn",
      about: "One JSON example with a prompt.",
      tests: ["notes on the project come before every message"],
    },
    {
      heading: "5.7.8 Recipe 2: block dangerous shell commands",
      about: "One JSON example and the script that it runs.",
      tests: ["a dangerous command is refused, by default and to the letter, and a harmless one is not"],
    },
    {
      heading: "5.7.8 Recipe 3: one more call after an empty Stop",
      about: "One JSON example and the script that it runs.",
      tests: ["an empty answer is asked for once more, unless the iterations are used up"],
    },
    {
      heading: "5.7.8 Recipe 4: audit before compaction",
      about: "One JSON example and the script that it runs.",
      tests: ["a compaction is logged, and no answer stops it"],
    },
  ],
};
