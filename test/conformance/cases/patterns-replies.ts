import type { CaseFamily, ConformanceCase, Expectation, Expected, JsonObject, RunCase } from "../case.ts";
import { command, prints, specific } from "../claude-hooks.ts";
import { GENERIC_PAGE, patternsAt } from "../pattern-hooks.ts";

const PRE = "PreToolUse";

function reads(
  id: string,
  title: string,
  text: string,
  expect: RunCase["expect"],
  {
    event = PRE,
    hook = {},
    ...rest
  }: { event?: string; matrix?: string; hook?: JsonObject; payload?: JsonObject } = {},
): ConformanceCase {
  return { id, title, event, config: (kit) => patternsAt(event, command(kit, "hook", text, hook)), expect, ...rest };
}

const says = (decision: string, more: { readonly [field: string]: Expected } = {}): Expectation => ({
  verdict: { decision, ...more },
  runs: { hook: 1 },
});

/** Each spelling of a decision; the page has "block or allow", its kin have further ones. */
const WORDS: readonly (readonly [reply: JsonObject, decision: string])[] = [
  [{ decision: "block" }, "deny"],
  [{ decision: "allow" }, "allow"],
  [{ decision: "deny" }, "deny"],
  [{ decision: "approve" }, "allow"],
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
  const expect: Expectation = { verdict: { decision }, runs: { hook: 1 } };
  const matrix = "the words for a decision, from a command and from a server";
  return [
    reads(`GR1/${text}`, text, prints(reply), expect, { matrix }),
    {
      id: `GR1/http-${text}`,
      title: text,
      matrix,
      config: (kit) => patternsAt(PRE, { type: "http", url: kit.server("hook", { body: reply }) }),
      expect,
    },
  ];
});

/** What a gate's hook can do instead of answering. */
const FAILURES: readonly (readonly [name: string, text: string, kind: string])[] = [
  ["crashes", "kill -SEGV $$", "signal"],
  ["is killed", "kill -9 $$", "signal"],
  ["times out", "exec sleep 5", "timeout"],
  ["is not there", "exec no-such-command-anywhere", "spawn"],
  ["prints half an answer", `printf '{"decision": "bl'`, "invalid-output"],
];

const isError = (kind: string): Expected => [
  { outcome: "non_blocking_error", onFailure: "continue", failure: { kind } },
];

const failures = FAILURES.map(([name, text, kind]) =>
  reads(
    `GR2/${name}`,
    name,
    text,
    {
      default: says("deny", {
        reason: new RegExp(kind),
        rules: [{ outcome: "blocking", onFailure: "deny", failure: { kind } }],
      }),
      faithful: says("none", { continue: true, systemMessage: new RegExp(kind), rules: isError(kind) }),
    },
    { matrix: "a command that gives no answer at a gate; the page lets the call go", hook: { timeout: 0.3 } },
  ),
);

const observed = FAILURES.map(([name, text, kind]) =>
  reads(
    `GR3/${name}`,
    name,
    text,
    { either: says("none", { continue: true, systemMessage: new RegExp(kind), rules: isError(kind) }) },
    {
      matrix: "the same where nothing is to be stopped: an error that is logged",
      event: "PostToolUse",
      hook: { timeout: 0.3 },
    },
  ),
);

/** Events at which Claude Code has no use for it, and this page has. */
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
    ...failures,
    ...observed,
    reads("GR4", "no output with exit code 0 is success", "true", {
      verdict: { decision: "none", continue: true, systemMessage: null, rules: [{ outcome: "success" }] },
      reply: { exitCode: 0, stdout: "", stderr: "" },
    }),
    reads("GR5", "exit code 2 blocks, and standard error goes to the model", "echo 'no pushes today' >&2; exit 2", {
      verdict: { decision: "deny", reason: /: no pushes today$/, rules: [{ outcome: "blocking" }] },
      reply: { exitCode: 2, stderr: /no pushes today/, stdout: { decision: "block", reason: /no pushes today/ } },
    }),
    reads(
      "GR6",
      "a whole answer on several lines stops and blocks",
      `printf '{\\n  "continue": false,\\n  "stopReason": "destructive",\\n  "decision": "block"\\n}\\n'`,
      {
        verdict: { decision: "deny", continue: false, stopReason: /: destructive$/, rules: [{ outcome: "blocking" }] },
        reply: { exitCode: 2, stdout: { continue: false, stopReason: /destructive/, decision: "block" } },
      },
    ),
    reads("GR7", "another exit code is an error that is logged, and blocks nothing", "echo oops >&2; exit 3", {
      either: says("none", { systemMessage: /exit code 3: oops/, rules: isError("exit") }),
    }),
    reads("GR8", "an allow beside another exit code is none", `${prints({ decision: "allow" })}; exit 1`, {
      either: says("none", { rules: isError("exit") }),
    }),
    reads("GR9", "a block beside another exit code is one", `${prints({ decision: "block" })}; exit 1`, {
      either: says("deny", { rules: [{ outcome: "blocking" }] }),
    }),
    reads("GR10", "an allow beside exit code 2 is none", `${prints({ decision: "allow" })}; exit 2`, {
      either: says("deny", { rules: [{ outcome: "blocking" }] }),
    }),
    reads("GR11", "a word that nobody knows is no answer", prints({ decision: "blok" }), {
      default: says("deny", { reason: /blok/ }),
      faithful: says("none", { rules: isError("invalid-output") }),
    }),
    reads(
      "GR12",
      "other arguments for the tool, with text for the model",
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
      "GR13",
      "another output of the tool",
      prints(specific("PostToolUse", { updatedMCPToolOutput: "redacted" })),
      {
        verdict: { updatedOutput: "redacted" },
        reply: { stdout: { hookSpecificOutput: { updatedMCPToolOutput: "redacted" } } },
      },
      { event: "PostToolUse", payload: { tool_response: "secret" } },
    ),
    reads("GR14", "output that the user is not to see", prints({ suppressOutput: true }), {
      verdict: { suppressOutput: true },
      reply: { stdout: { suppressOutput: true } },
    }),
    reads(
      "GR15/allow",
      "allow",
      prints({ decision: "allow" }),
      {
        verdict: { decision: "allow" },
        reply: { exitCode: 0, stdout: { decision: "allow" } },
      },
      { event: "PermissionRequest", matrix: "a permission request is decided by the same words" },
    ),
    reads(
      "GR15/block",
      "block",
      prints({ decision: "block", reason: "because" }),
      {
        verdict: { decision: "deny", reason: /: because$/ },
        reply: { exitCode: 2, stdout: { decision: "block" }, stderr: /because/ },
      },
      { event: "PermissionRequest", matrix: "a permission request is decided by the same words" },
    ),
    reads(
      "GR15/exit-2",
      "exit code 2",
      "echo because >&2; exit 2",
      {
        verdict: { decision: "deny", reason: /: because$/ },
        reply: { exitCode: 2 },
      },
      { event: "PermissionRequest", matrix: "a permission request is decided by the same words" },
    ),
    reads(
      "GR16",
      "a doubt reaches an agent of this page as a block: it has no word for one",
      prints(specific(PRE, { permissionDecision: "ask", permissionDecisionReason: "sure?" })),
      { verdict: { decision: "ask" }, reply: { exitCode: 2, stdout: { decision: "block", reason: /sure\?/ } } },
    ),
    ...STOPS.map((event) =>
      reads(
        `GR17/${event}`,
        event,
        prints({ continue: false, stopReason: "enough" }),
        { verdict: { continue: false, stopReason: /: enough$/ }, reply: { stdout: { continue: false } } },
        { event, matrix: "continue: false stops the agent at any event" },
      ),
    ),
    reads(
      "GR18",
      "at Stop, continue: false lets the agent end although the hook also blocks",
      prints({ continue: false, stopReason: "enough", decision: "block" }),
      { verdict: { continue: false }, reply: { exitCode: 0, stdout: { continue: false } } },
      { event: "Stop" },
    ),
    reads(
      "GR19",
      "at Stop, exit code 2 sends the agent on",
      "echo 'tests fail' >&2; exit 2",
      {
        verdict: { decision: "block", continue: true, reason: /: tests fail$/ },
        reply: { exitCode: 2, stderr: /tests fail/ },
      },
      { event: "Stop" },
    ),
    reads(
      "GR20",
      "timeouts are in seconds",
      "exec sleep 5",
      {
        default: says("deny", { reason: /no answer within 200 ms/ }),
        faithful: says("none", { systemMessage: /no answer within 200 ms/ }),
      },
      { hook: { timeout: 0.2 } },
    ),
    {
      id: "GR21",
      title: "what the caller calls off is cancelled, and no timeout, block or permission",
      cancelAfterMs: 60,
      config: (kit) =>
        patternsAt(PRE, command(kit, "hook", "exec sleep 5"), command(kit, "quick", prints({ decision: "allow" }))),
      expect: {
        either: {
          verdict: {
            cancelled: true,
            decision: "none",
            rules: [{ outcome: "cancelled", onFailure: null }, { outcome: "success" }],
          },
          reply: { exitCode: 2, stderr: /cancelled/ },
        },
      },
    },
    {
      id: "GR22",
      title: "a server's failure is no answer either: status, text for JSON, silence",
      config: (kit) =>
        patternsAt(
          PRE,
          { type: "http", url: kit.server("status", { status: 500, body: { decision: "allow" } }) },
          { type: "http", url: kit.server("text", { body: "fine" }) },
          { type: "http", url: kit.server("silent", "hangs"), timeout: 0.2 },
        ),
      expect: {
        default: {
          verdict: {
            decision: "deny",
            rules: [{ outcome: "blocking" }, { outcome: "blocking" }, { outcome: "blocking" }],
          },
        },
        faithful: {
          verdict: {
            decision: "none",
            rules: ["unavailable", "invalid-output", "timeout"].map((kind) => ({
              outcome: "non_blocking_error",
              failure: { kind },
            })),
          },
        },
      },
    },
    {
      id: "GR23",
      title: "a server that promises an answer for later has no opinion now",
      config: (kit) =>
        patternsAt(PRE, { type: "http", url: kit.server("hook", { body: { async: true, asyncTimeout: 30 } }) }),
      expect: { verdict: { decision: "none", rules: [{ outcome: "success" }] }, runs: { hook: 1 } },
    },
  ],
};
