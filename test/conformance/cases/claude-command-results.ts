import type { CaseFamily, ConformanceCase, Expectation, Expected, JsonObject } from "../case.ts";
import { at, command, decision, prints, specific } from "../claude-hooks.ts";

const PRE = "PreToolUse";

/** One command hook that runs this shell text. */
function reads(
  id: string,
  title: string,
  text: string,
  expect: Expectation | { default: Expectation; faithful: Expectation },
  { event = PRE, ...more }: { event?: string; matrix?: string; hook?: JsonObject; payload?: JsonObject } = {},
): ConformanceCase {
  const { hook = {}, ...rest } = more;
  return { id, title, event, config: (kit) => at(event, command(kit, "hook", text, hook)), expect, ...rest };
}

const says = (word: string, reason: Expected = null): Expectation => ({
  verdict: { decision: word, reason },
  runs: { hook: 1 },
});
const none = (more: { readonly [field: string]: Expected } = {}): Expectation => ({
  verdict: { decision: "none", continue: true, ...more },
  runs: { hook: 1 },
});
const denies: Expectation = { verdict: { decision: "deny" }, runs: { hook: 1 } };
/** No valid answer: the gate stays shut by default, and the agent's page lets the call go. */
const closesUnlessFaithful = { default: denies, faithful: none() };

const deniesByJson = prints(decision("deny", "because"));
const allowsByJson = prints(decision("allow"));

/** What exit code 2 means at each event. */
const EXIT_2: Readonly<Record<string, readonly string[]>> = {
  deny: ["PreToolUse", "PreModelSwitch"],
  block: [
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "Stop",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "ConfigChange",
    "PreCompact",
    "Elicitation",
    "ElicitationResult",
    "WorktreeCreate",
  ],
  none: [
    "PermissionRequest",
    "PermissionDenied",
    "StopFailure",
    "SubagentStart",
    "MessageDisplay",
    "SessionStart",
    "Setup",
    "SessionEnd",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "Notification",
    "PostCompact",
    "PostModelSwitch",
    "WorktreeRemove",
  ],
};

const PLAIN_TEXT_IS_CONTEXT = ["UserPromptSubmit", "UserPromptExpansion", "SessionStart", "PostModelSwitch"];
const PLAIN_TEXT_IS_NOTHING = ["PreToolUse", "PostToolUse", "Stop", "SubagentStart", "Notification", "PreCompact"];

const DROPS_CONTINUE = [
  "InstructionsLoaded",
  "MessageDisplay",
  "Notification",
  "ConfigChange",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "WorktreeCreate",
  "WorktreeRemove",
  "PreCompact",
  "PostCompact",
  "SessionEnd",
  "StopFailure",
  "Elicitation",
  "ElicitationResult",
  "TaskCreated",
];

export const commandResults: CaseFamily = {
  title: "Claude Code: what a command hook's exit code and output mean",
  source: "Hooks reference (2.1.295), exit codes and JSON output",
  dialect: "claude-code",
  cases: [
    {
      ...reads("CR1", "a JSON denial with exit code 0", deniesByJson, says("deny", /: because$/)),
      expect: {
        verdict: { decision: "deny", reason: /: because$/ },
        reply: {
          exitCode: 0,
          stdout: { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: /because/ } },
        },
      },
    },
    reads("CR2", "a JSON permission with exit code 0", allowsByJson, { verdict: { decision: "allow" } }),
    reads("CR3/ask", "ask", prints(decision("ask", "sure?")), says("ask", /: sure\?$/), {
      matrix: "`ask` and `defer` in JSON with exit code 0",
    }),
    reads(
      "CR3/defer",
      "defer",
      prints(decision("defer")),
      { verdict: { decision: "defer" } },
      {
        matrix: "`ask` and `defer` in JSON with exit code 0",
      },
    ),
    reads(
      "CR4",
      "a reply with a new input and without a decision",
      prints(specific(PRE, { updatedInput: { command: "pwd" } })),
      {
        verdict: { decision: "none", updatedInput: { command: "pwd" } },
      },
    ),
    reads(
      "CR5",
      "a JSON permission does not undo exit code 2",
      `${allowsByJson}; echo no >&2; exit 2`,
      says("deny", /: no$/),
    ),
    reads(
      "CR6",
      "a refusal by exit code 2 with a JSON denial has the JSON denial's reason",
      `${deniesByJson}; echo no >&2; exit 2`,
      says("deny", /: because$/),
    ),
    reads(
      "CR7",
      "hookbox reads the other JSON fields of a hook with exit code 2",
      `${prints(specific(PRE, { additionalContext: "read the rules" }))}; echo no >&2; exit 2`,
      { verdict: { decision: "deny", additionalContext: "read the rules" } },
    ),
    reads("CR8", "a JSON permission counts with an exit code other than 0 and 2", `${allowsByJson}; exit 1`, {
      verdict: { decision: "allow" },
    }),
    reads(
      "CR9",
      "a JSON denial counts with an exit code other than 0 and 2",
      `${deniesByJson}; exit 3`,
      says("deny", /: because$/),
    ),
    reads(
      "CR10",
      "with onFailure: block, an exit code other than 0 and 2 is a failure despite a JSON permission",
      `${allowsByJson}; exit 1`,
      denies,
      {
        hook: { onFailure: "block" },
      },
    ),
    reads(
      "CR11",
      "output that looks like JSON and is not valid, with exit code 0",
      "printf '{not json}'",
      closesUnlessFaithful,
    ),
    reads(
      "CR12",
      "valid JSON that is no reply, with exit code 0",
      prints(specific(PRE, { permissionDecision: 5 })),
      closesUnlessFaithful,
    ),
    reads(
      "CR13",
      "output that looks like JSON and is not valid, with exit code 2",
      "printf '{not json}'; echo no >&2; exit 2",
      says("deny", /: no$/),
    ),
    reads(
      "CR14",
      "output that looks like JSON and is not valid, with another exit code",
      "printf '{not json}'; exit 1",
      none(),
    ),
    reads("CR15", "a hook with exit code 0 and no output", "true", none({ systemMessage: null })),
    reads(
      "CR16",
      "a hook with exit code 2 and text on standard error",
      "echo 'not that' >&2; exit 2",
      says("deny", /: not that$/),
    ),
    reads(
      "CR17",
      "an exit code other than 0 and 2 is reported and refuses nothing",
      "echo oops >&2; exit 1",
      none({ systemMessage: /oops/ }),
    ),
    reads("CR18", "output that only starts like JSON is text", "printf '{ 1, 2, 3'", none()),
    reads("CR19/array", "an array", "printf '[1]'", none(), { matrix: "JSON that is no object is text" }),
    reads("CR19/string", "a string", `printf '"deny"'`, none(), { matrix: "JSON that is no object is text" }),
    reads("CR20", "several lines of JSON without a reply field are text", `printf '{"level":1}\\n{"level":2}'`, none()),
    reads(
      "CR21",
      "several lines of JSON with a reply field in a line are a failure",
      `printf '{"level":1}\\n{"decision":"block"}'`,
      closesUnlessFaithful,
    ),
    reads("CR22", "a decision in the wrong place has no effect", prints({ permissionDecision: "deny" }), none()),
    reads("CR23", "a hook whose command does not exist", "exec no-such-command-anywhere", closesUnlessFaithful),
    reads("CR24", "a hook that a signal kills", "kill -9 $$", closesUnlessFaithful),
    reads("CR25/block", "block", prints({ decision: "block", reason: "because" }), says("deny", /: because$/), {
      matrix: "the older `decision` at the top of a reply",
    }),
    reads(
      "CR25/approve",
      "approve",
      prints({ decision: "approve" }),
      { verdict: { decision: "allow" } },
      {
        matrix: "the older `decision` at the top of a reply",
      },
    ),
    ...Object.entries(EXIT_2).flatMap(([word, events]) =>
      events.map((event) =>
        reads(
          `CR26/${event}`,
          `is ${word} at ${event}`,
          "echo no >&2; exit 2",
          { verdict: { decision: word }, runs: { hook: 1 } },
          {
            event,
            matrix: "exit code 2 at each event",
          },
        ),
      ),
    ),
    ...["Stop", "SubagentStop", "TaskCompleted"].map((event) =>
      reads(
        `CR27/${event}`,
        `at ${event}`,
        "echo 'sh: cannot open gone.sh: No such file' >&2; exit 2",
        { verdict: { decision: "none" } },
        { event, matrix: "a deleted script does not make the agent continue" },
      ),
    ),
    ...PLAIN_TEXT_IS_CONTEXT.map((event) =>
      reads(
        `CR28/${event}`,
        `at ${event}`,
        "echo mind the gap",
        { verdict: { additionalContext: "mind the gap" } },
        {
          event,
          matrix: "plain text of a hook becomes text for the model",
        },
      ),
    ),
    ...PLAIN_TEXT_IS_NOTHING.map((event) =>
      reads(
        `CR29/${event}`,
        `at ${event}`,
        "echo mind the gap",
        { verdict: { additionalContext: null } },
        {
          event,
          matrix: "plain text of a hook goes to the log",
        },
      ),
    ),
    reads(
      "CR30",
      "continue: false stops the agent and the tool call",
      prints({ continue: false, stopReason: "enough" }),
      {
        verdict: { continue: false, decision: "deny", stopReason: /: enough$/ },
        reply: { stdout: { continue: false } },
      },
    ),
    ...DROPS_CONTINUE.map((event) =>
      reads(
        `CR31/${event}`,
        `at ${event}`,
        prints({ continue: false }),
        { verdict: { continue: true } },
        {
          event,
          matrix: "events that cannot stop the agent",
        },
      ),
    ),
    reads(
      "CR32",
      "a hook's message for the user",
      prints({ systemMessage: "careful" }),
      none({ systemMessage: /careful/ }),
    ),
    reads(
      "CR33",
      "hookbox cuts text of more than 10,000 characters",
      `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s"}}' "$(head -c 12000 /dev/zero | tr '\\0' x)"`,
      none({ additionalContext: /^x{9000,10000}…? ?.*2000 more characters\]$/ }),
    ),
    reads("CR34", "a hook receives the event on standard input", `grep -q '"command":"ls"' || exit 2`, none()),
    reads(
      "CR35/allow",
      "allow",
      prints(specific("PermissionRequest", { decision: { behavior: "allow" } })),
      {
        verdict: { decision: "allow" },
        reply: { stdout: { hookSpecificOutput: { decision: { behavior: "allow" } } } },
      },
      { event: "PermissionRequest", matrix: "a `behavior` answers a permission request" },
    ),
    reads(
      "CR35/deny",
      "deny",
      prints(specific("PermissionRequest", { decision: { behavior: "deny", message: "not now", interrupt: true } })),
      {
        verdict: { decision: "deny", reason: /: not now$/ },
        reply: { stdout: { hookSpecificOutput: { decision: { behavior: "deny", interrupt: true } } } },
      },
      { event: "PermissionRequest", matrix: "a `behavior` answers a permission request" },
    ),
    reads(
      "CR36",
      "a reply with another event's name is invalid",
      prints(specific("Stop", { permissionDecision: "allow" })),
      closesUnlessFaithful,
    ),
    reads("CR37", "a reply with an unknown decision is invalid", prints(decision("alow")), closesUnlessFaithful),
  ],
};
