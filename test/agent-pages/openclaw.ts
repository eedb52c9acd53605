import type { AgentPage } from "./page.ts";

const catalogue = ["every hook of %s is called, and its answer counts where the page says so"] as const;

export const openclawPage: AgentPage = {
  agent: "openclaw",
  title: "Plugin hooks",
  sections: [
    {
      heading: "Plugin hooks",
      about: "the purpose of plugin hooks, compared with the hooks of a HOOK.md file",
      why: "The section is an introduction. The internal hooks of HOOK.md files are another system.",
    },
    {
      heading: "Quick start",
      about: "a plugin in TypeScript that asks for approval, and a rule of order",
      tests: [
        "a plugin that asks for approval of one tool asks only for that tool",
        "handlers run one after another by priority, in order of registration if it is equal",
        "OC-1",
      ],
    },
    {
      heading: "Hook catalog",
      about: "seven groups of hooks, with deciding hooks in bold",
      tests: [...catalogue, "has no hook that the host does not have"],
    },
    { heading: "Agent turn", about: "a list of six hooks", tests: catalogue },
    { heading: "Conversation observation", about: "a list of four observers", tests: catalogue },
    { heading: "Tools", about: "a list of four hooks", tests: [...catalogue, "OC-20", "OC-21"] },
    { heading: "Messages and delivery", about: "a list of six hooks", tests: [...catalogue, "OC-29"] },
    { heading: "Sessions and compaction", about: "a list of five observers", tests: catalogue },
    { heading: "Subagents", about: "a list of four hooks", tests: catalogue },
    { heading: "Lifecycle", about: "a list of three hooks", tests: catalogue },
    {
      heading: "Tool call policy",
      about: "the fields of event, context and result, and six rules",
      tests: [
        "has an event and a context with the fields of the page",
        "block: true ends it, and block: false is no decision",
        "requireApproval pauses the run, and a lower block still blocks",
        "onResolution receives %s",
        "OC-2",
        "OC-3",
        "OC-4",
        "OC-8",
        "OC-26",
      ],
    },
    {
      heading: "Tool result persistence",
      about: "three rules on details of results",
      tests: [
        "has its details, and what the model reads has none",
        "has a summary in place of details that are too long, whichever handler made them",
      ],
    },
    {
      heading: "Prompt and model hooks",
      about: "the input and the result of each hook, a block of settings, and ids of runs and jobs",
      tests: [
        "settings of the page's form allow seeing conversations, and forbid changing prompts",
        "before_agent_finalize may return %j",
        "before_prompt_build adds to prompt and system prompt",
        "event and context of %s have the run's id if one of the two has it",
        "OC-16",
        "OC-18",
      ],
    },
    {
      heading: "Message hooks",
      about: "fields of event and context, and three decision rules",
      tests: [
        "cancel: true ends it, cancel: false is no decision, and rewritten content goes to the next handler",
        "message_received has the page's fields in event and context",
        "OC-17",
      ],
    },
    {
      heading: "Install hooks",
      about: "findings, and a block that ends the installation",
      tests: ["before_install adds findings or blocks; block: false is no decision"],
    },
    {
      heading: "Gateway lifecycle",
      about: "the fields of the context of gateway_start",
      tests: ["gateway_start has the settings, the workspace and the scheduler"],
    },
    {
      heading: "Upcoming deprecations",
      about: "flat message envelopes, before_agent_start, the union of approval resolutions",
      tests: ["onResolution receives %s", ...catalogue],
    },
  ],
};
