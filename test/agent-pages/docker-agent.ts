import type { AgentPage } from "./page.ts";

const READ = "is read as %s has it";
const SHUT = "asks its guard before the permissions, and keeps its gates shut while no model is available";
const ADDED =
  "cutting long results is added to an agent's file, at the two events of the page, without being configured";
const OUTPUT = "the whole output object is read: a refusal overrides a permission, and every text is kept";
const BLOCKS = "is what the page says, by exit code 2 at every event";
const FIELDS = "every event gives its hooks the common fields and its own, and no output means no opinion";
const TEXT = "%s is taken at the page's events, except two whose text the code ignores";
const TOLD =
  "the results of a turn, a model call and a compaction are only reported: every text of theirs reaches the hook";
const WORKTREE = "a new worktree is prepared in its own folder, or the run is cancelled";
const PREEMPT =
  "a hook before the permissions denies, asks with its annotations, advises, has no opinion, and fails closed";
const SUMMARY = "a summary that a hook gives is used; a veto is one too";
const STEERING = "messages while the agent works are logged, and answered with a text to the model";
const BUILTINS = "built-in hooks add date, files and environment, and end the model's calls at their limit";
const SNAPSHOTS =
  "DB14: snapshots of turns are taken without a trace in the repository, and an undo restores the files";
const UNLOADS = "models of the agent before are asked to leave a model runner, and no cloud is asked";
const FOLLOWUP = "a message that was stored for later is logged when it is used";

export const dockerAgentPage: AgentPage = {
  agent: "docker-agent",
  title: "Hooks",
  sections: [
    { heading: "Hooks", about: "the title, and a sentence", why: "the section describes no behaviour" },
    {
      heading: "Overview",
      about: "a list of purposes of hooks",
      why: "the section of each event describes and tests the use",
    },
    {
      heading: "Hook Types",
      about:
        "a table of 26 events with the time and the possibility of a block, and a note on the two compaction events",
      tests: [BLOCKS, "is blocked by %s as well, with its reason", SUMMARY],
    },
    {
      heading: "Configuration",
      about: "an agent's YAML with hooks at seven events",
      tests: ["an agent's file with hooks at seven events asks each at its own"],
    },
    {
      heading: "Built-in Hooks",
      about: "YAML with four built-in hooks",
      tests: [READ, BUILTINS],
    },
    {
      heading: "Available built-ins",
      about:
        "a table of 13 functions, settings that stand for them, what is always on, YAML for snapshots and for the user's setting",
      tests: [
        READ,
        ADDED,
        BUILTINS,
        SNAPSHOTS,
        "the user's setting takes snapshots of sessions and turns for every agent, and none of a single tool call",
        "DB1",
        "DB4",
        "DB8",
      ],
    },
    {
      heading: "Matcher Patterns",
      about: "a table of four matcher patterns",
      tests: ["a matcher is for the whole name of a tool", "A1/shell-shell"],
    },
    {
      heading: "Hook Input",
      about: "an example of a payload in JSON",
      tests: ["the payload of the page reaches a hook unchanged, with the fields of its event"],
    },
    { heading: "Common Fields", about: "a table of three common fields", tests: [FIELDS] },
    {
      heading: "Per-Event Extra Fields",
      about: "a table of each event's fields, and notes on usage, cost, sub-sessions and approval sources",
      tests: [FIELDS, TOLD],
    },
    { heading: "Hook Output", about: "a reply in JSON with every field", tests: [OUTPUT, FIELDS] },
    {
      heading: "Output Fields",
      about: "a table of six fields of a reply",
      tests: [OUTPUT, "is blocked by %s as well, with its reason"],
    },
    {
      heading: "Pre-Tool-Use / Permission-Request Specific Output",
      about: "a table of four fields of a reply",
      tests: [OUTPUT, PREEMPT, "P1"],
    },
    {
      heading: "Preempting `--yolo` from `pre_tool_use`",
      about:
        "YAML with a built-in hook ahead of the permissions, the effect of each verdict, and the display of annotations",
      tests: [PREEMPT, SHUT, "A9/preempt", "T8"],
    },
    {
      heading: "Tool-Response-Transform Specific Output",
      about: "a table with a single field",
      tests: ["a new tool response replaces the old one, and the next hook sees it", "P3/cleared"],
    },
    {
      heading: "Context-Contributing Events",
      about: "the events that take text, and the lifetime of the text",
      tests: [TEXT, "is for one turn, except at a session's start, where it stays"],
    },
    {
      heading: "Before-Compaction Specific Output",
      about: "a reply in JSON with a summary, and the veto",
      tests: [SUMMARY, "A18/summaries"],
    },
    { heading: "Plain Text Output", about: "the events that take text that is not JSON", tests: [TEXT, "A18/text"] },
    {
      heading: "Exit Codes",
      about: "a table of three exit codes",
      tests: ["of 0 goes on, of 2 blocks, and any other blocks at pre_tool_use although the page goes on there", "A9"],
    },
    {
      heading: "Per-hook options",
      about: "YAML with every option, fail-closed events, and notes on time and on the end of a session",
      tests: [
        "a hook has its name, timeout, folder and variables, and only warns if it fails",
        "the end of a session and of a turn is reported although the session was cancelled",
        "listeners are notified of each hook's start and end, with its duration",
        "A19",
      ],
    },
    { heading: "Examples", about: "a heading above the examples", why: "the section has only subsections" },
    {
      heading: "Validation Script",
      about: "a bash script that refuses two commands",
      tests: ["a script that validates refuses what it is for, and allows the rest"],
    },
    {
      heading: "Audit Logging",
      about: "a bash script that writes a line for each call",
      tests: ["a script that logs writes a line for each call, and stops nothing"],
    },
    {
      heading: "Session Lifecycle",
      about: "YAML with hooks at both ends of a session",
      tests: ["a session's start adds text that stays, and its end is logged with its reason"],
    },
    {
      heading: "Response Logging with Stop Hook",
      about: "YAML with a hook that measures the messages",
      tests: ["the model's answer is measured at stop"],
    },
    {
      heading: "Error Notifications",
      about: "YAML with a hook that logs errors, and the times of its event",
      tests: ["errors are logged with their kind"],
    },
    { heading: "Turn-Start: per-turn context", about: "text that a hook adds for a single turn", tests: [TEXT] },
    { heading: "Turn-End: per-turn finalizer", about: "a table of seven reasons for the end of a turn", tests: [TOLD] },
    {
      heading: "Before/After-LLM-Call: budget guards and model auditing",
      about: "the events that a hook may stop, and the events that only report",
      tests: [BLOCKS, TOLD],
    },
    {
      heading: "Before/After-Compaction: structured compaction control",
      about: "a veto, a hook's own summary, and the event after the compaction",
      tests: [SUMMARY, TOLD],
    },
    {
      heading: "Agent-Switch and Session-Resume: observability for multi-agent and long runs",
      about: "YAML of two agents that unload models, and two events that only report",
      tests: ["reads the hooks of the named agent, if two have some", UNLOADS, "DB7", TOLD, FIELDS],
    },
    {
      heading: "Tool-Approval-Decision: who-approved-what audit trail",
      about: "an event that only reports",
      tests: [TOLD, FIELDS],
    },
    {
      heading: "Worktree-Create: prepare an isolated checkout",
      about: "YAML with two hooks, where the second hook can stop the run",
      tests: [WORKTREE],
    },
    {
      heading: "Pre-Compact: steer the summary",
      about: "the four sources of a compaction, text for the summary, and the veto",
      tests: [TEXT, BLOCKS],
    },
    {
      heading: "User-Prompt-Submit: gate or enrich every user message",
      about: "the messages that a hook may refuse or extend",
      tests: [BLOCKS, TEXT],
    },
    {
      heading: "User-Steering-Messages-Submit: gate or enrich mid-flight steering",
      about: "YAML with a hook that logs messages and adds text",
      tests: [STEERING, BLOCKS],
    },
    {
      heading: "User-Followup-Submit: gate or enrich queued follow-ups",
      about: "YAML with a hook that logs messages",
      tests: [FOLLOWUP, BLOCKS],
    },
    {
      heading: "Subagent-Stop: observe handoff completions",
      about: "an event that only reports",
      tests: [FIELDS, BLOCKS],
    },
    {
      heading: "Permission-Request: programmatic tool approval",
      about: "YAML that permits tools that only read, and YAML that annotates the question",
      tests: [
        "a permission is given to calls that only read, and anything else is left to the user",
        "a question to the user contains a hook's text about the call",
      ],
    },
    {
      heading: "LLM as a Judge (Auto-Approving Tool Calls)",
      about: "YAML with a model as a hook, and a table of the hook's fields",
      tests: [
        READ,
        "has a judge with the page's fields, its prompt and its timeout",
        "is asked with the page's prompt, and allows, asks and denies",
        "that does not answer in time denies, whatever on_error says",
        SHUT,
        "P9",
        "DM1",
        "DM2",
        "DM3",
      ],
    },
    {
      heading: "CLI Flags",
      about: "a table of six flags, three command lines, and the combination of flags",
      tests: [
        "runs its command when a session starts",
        "is added to the file's hooks, matches every tool, and runs next to others",
        "needs no file of the agent's, so that it guards an agent from a registry",
        "may be given repeatedly, and exists for six events",
      ],
    },
  ],
};
