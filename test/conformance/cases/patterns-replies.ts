import type { CaseFamily, ConformanceCase, JsonObject } from "../case.ts";
import { prints, specific } from "../claude-hooks.ts";
import { GENERIC_PAGE, isError, patternsAt, reads, says } from "../pattern-hooks.ts";

const PRE = "PreToolUse";

/**
 * Each spelling of a decision; the page has "block or allow", and of the words of similar agents only refusals count.
 */
const WORDS: readonly (readonly [reply: JsonObject, decision: string])[] = [
  [{ decision: "block" }, "deny"],
  [{ decision: "allow" }, "allow"],
  [{ decision: "deny" }, "deny"],
  [{ decision: "approve" }, "none"],
  [specific(PRE, { permissionDecision: "block" }), "deny"],
  [specific(PRE, { permissionDecision: "allow" }), "allow"],
  [specific(PRE, { permissionDecision: "deny" }), "deny"],
  [specific(PRE, { permissionDecision: "ask" }), "ask"],
  [{ hookSpecificOutput: { permissionDecision: "block" } }, "deny"],
  [{ decision: "allow", ...specific(PRE, { permissionDecision: "block" }) }, "deny"],
  [{ decision: "block", ...specific(PRE, { permissionDecision: "allow" }) }, "deny"],
  [{ continue: false, decision: "allow" }, "deny"],
  [{ continue: true }, "none"],
];

const words = WORDS.flatMap(([reply, decision]): ConformanceCase[] => {
  const text = JSON.stringify(reply);
  const expect = { either: { verdict: { decision }, runs: { hook: 1 } } };
  const matrix = "the decisions of a command and of a web hook";
  return [
    reads(`GP13/${text}`, text, prints(reply), expect, { matrix }),
    {
      id: `GP13/http-${text}`,
      title: text,
      matrix,
      config: (kit) => patternsAt(PRE, { type: "http", url: kit.server("hook", { body: reply }) }),
      expect,
    },
  ];
});

/** Events at which Claude Code ignores it, and this page does not. */
const STOPS = [
  "PreCompact",
  "TaskCreated",
  "ConfigChange",
  "Elicitation",
  "WorktreeCreate",
  "Notification",
  "SessionEnd",
];

export const patternsReplies: CaseFamily = {
  title: "Generic page: what a hook's answer means",
  source: `${GENERIC_PAGE}, responses and outcomes`,
  dialect: "patterns",
  cases: [
    ...words,
    reads(
      "GP17/page",
      "a block that also stops gives its stopReason to the model as the reason",
      prints({ continue: false, stopReason: "policy violation", decision: "block" }),
      {
        either: {
          verdict: {
            decision: "deny",
            reason: /: policy violation$/,
            continue: false,
            stopReason: /: policy violation$/,
          },
          reply: { exitCode: 2, stderr: /: policy violation\n$/ },
        },
      },
    ),
    reads("GP16", "exit code 0 without output is success", "true", {
      verdict: { decision: "none", continue: true, systemMessage: null, rules: [{ outcome: "success" }] },
      reply: { exitCode: 0, stdout: "", stderr: "" },
    }),
    reads("GP17", "exit code 2 blocks, and standard error goes to the model", "echo 'no pushes today' >&2; exit 2", {
      verdict: { decision: "deny", reason: /: no pushes today$/, rules: [{ outcome: "blocking" }] },
      reply: { exitCode: 2, stderr: /no pushes today/, stdout: { decision: "block", reason: /no pushes today/ } },
    }),
    reads(
      "GP18",
      "an answer on several lines stops and blocks",
      `printf '{\\n  "continue": false,\\n  "stopReason": "destructive",\\n  "decision": "block"\\n}\\n'`,
      {
        verdict: { decision: "deny", continue: false, stopReason: /: destructive$/, rules: [{ outcome: "blocking" }] },
        reply: { exitCode: 2, stdout: { continue: false, stopReason: /destructive/, decision: "block" } },
      },
    ),
    reads("GP19", "an exit code other than 0 and 2 is a logged error, and blocks nothing", "echo oops >&2; exit 3", {
      either: says("none", { systemMessage: /exit code 3: oops/, rules: isError("exit") }),
    }),
    reads(
      "GP20",
      "an allow with an exit code other than 0 and 2 does not count",
      `${prints({ decision: "allow" })}; exit 1`,
      {
        either: says("none", { rules: isError("exit") }),
      },
    ),
    reads("GP21", "a block with an exit code other than 0 and 2 counts", `${prints({ decision: "block" })}; exit 1`, {
      either: says("deny", { rules: [{ outcome: "blocking" }] }),
    }),
    reads("GP22", "an allow with exit code 2 does not count", `${prints({ decision: "allow" })}; exit 2`, {
      either: says("deny", { rules: [{ outcome: "blocking" }] }),
    }),
    reads("GP23", "a reply with an unknown decision is no answer", prints({ decision: "blok" }), {
      default: says("deny", { reason: /blok/ }),
      faithful: says("none", { rules: isError("invalid-output") }),
    }),
    reads(
      "GP24",
      "a reply with new arguments for the tool and text for the model",
      prints(specific(PRE, { updatedInput: { command: "git status" }, additionalContext: "read-only today" })),
      {
        verdict: { decision: "none", updatedInput: { command: "git status" }, additionalContext: "read-only today" },
        reply: {
          exitCode: 0,
          stdout: {
            hookSpecificOutput: { updatedInput: { command: "git status" }, additionalContext: "read-only today" },
          },
        },
      },
    ),
    reads(
      "GP25",
      "a reply with a new output of the tool",
      prints(specific("PostToolUse", { updatedMCPToolOutput: "redacted" })),
      {
        verdict: { updatedOutput: "redacted" },
        reply: { stdout: { hookSpecificOutput: { updatedMCPToolOutput: "redacted" } } },
      },
      { event: "PostToolUse", payload: { tool_response: "secret" } },
    ),
    reads("GP26", "a reply with suppressOutput hides the output from the user", prints({ suppressOutput: true }), {
      verdict: { suppressOutput: true },
      reply: { stdout: { suppressOutput: true } },
    }),
    reads(
      "GP27/allow",
      "allow",
      prints({ decision: "allow" }),
      {
        verdict: { decision: "allow" },
        reply: { exitCode: 0, stdout: { decision: "allow" } },
      },
      { event: "PermissionRequest", matrix: "a permission request has the same decisions" },
    ),
    reads(
      "GP27/block",
      "block",
      prints({ decision: "block", reason: "because" }),
      {
        verdict: { decision: "deny", reason: /: because$/ },
        reply: { exitCode: 2, stdout: { decision: "block" }, stderr: /because/ },
      },
      { event: "PermissionRequest", matrix: "a permission request has the same decisions" },
    ),
    reads(
      "GP27/exit-2",
      "exit code 2",
      "echo because >&2; exit 2",
      {
        verdict: { decision: "deny", reason: /: because$/ },
        reply: { exitCode: 2 },
      },
      { event: "PermissionRequest", matrix: "a permission request has the same decisions" },
    ),
    reads(
      "GP28",
      "a question becomes a block, because this page has no word for a question",
      prints(specific(PRE, { permissionDecision: "ask", permissionDecisionReason: "sure?" })),
      { verdict: { decision: "ask" }, reply: { exitCode: 2, stdout: { decision: "block", reason: /sure\?/ } } },
    ),
    ...STOPS.map((event) =>
      reads(
        `GP29/${event}`,
        event,
        prints({ continue: false, stopReason: "enough" }),
        { verdict: { continue: false, stopReason: /: enough$/ }, reply: { stdout: { continue: false } } },
        { event, matrix: "continue: false stops the agent at any event" },
      ),
    ),
    reads(
      "GP30",
      "at Stop, continue: false lets the agent end although the hook also blocks",
      prints({ continue: false, stopReason: "enough", decision: "block" }),
      { verdict: { continue: false }, reply: { exitCode: 0, stdout: { continue: false } } },
      { event: "Stop" },
    ),
    reads(
      "GP31",
      "at Stop, exit code 2 makes the agent continue",
      "echo 'tests fail' >&2; exit 2",
      {
        verdict: { decision: "block", continue: true, reason: /: tests fail$/ },
        reply: { exitCode: 2, stderr: /tests fail/ },
      },
      { event: "Stop" },
    ),
  ],
};
