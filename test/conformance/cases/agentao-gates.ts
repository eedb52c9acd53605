import type { CaseFamily, Expectation, JsonObject, Kit } from "../case.ts";
import { prints } from "../claude-hooks.ts";

/** Agentao's hooks before a user's message and before a tool call. */

const UPS = "UserPromptSubmit";
const PRE = "PreToolUse";

function rule(kit: Kit, name: string, text: string, more: JsonObject = {}): JsonObject {
  return { type: "command", command: kit.script(name, text), ...more };
}

const permits = (word: string, reason: string): string =>
  prints({ hookSpecificOutput: { hookEventName: PRE, permissionDecision: word, permissionDecisionReason: reason } });

const GOES_ON = { decision: "none", continue: true } as const;
const SILENT: Expectation = { verdict: { ...GOES_ON, additionalContext: null }, reply: { exitCode: 0, stdout: "" } };

function denied(reason: RegExp): Expectation {
  return {
    verdict: { decision: "deny", reason },
    reply: {
      exitCode: 0,
      stdout: { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: reason } },
    },
  };
}

function blocked(reason: RegExp): Expectation {
  return { verdict: { decision: "block", reason }, reply: { exitCode: 0, stdout: { blockingError: reason } } };
}

/** The problems of patterns that match no tool. */
const PROBLEMS: Readonly<Record<string, readonly string[]>> = {
  bash: ["HOOK_CONFIG_UNKNOWN_TOOL"],
};

export const agentaoGates: CaseFamily = {
  title: "Agentao: the user's message and tool calls",
  source: "Plugin hooks, and the runner's code of August 2026",
  note: "A refusal at a gate has exit code 0 and Agentao's own reply, `blockingError` or a permission decision.",
  dialect: "agentao",
  cases: [
    {
      id: "AG-U1",
      title: "JSON with additionalContext adds context",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", prints({ additionalContext: "x" }))] }),
      expect: {
        either: {
          verdict: { ...GOES_ON, additionalContext: "x" },
          reply: { exitCode: 0, stdout: { additionalContext: "x" } },
        },
      },
    },
    {
      id: "AG-U2/order",
      title: "a blockingError blocks, and no later hook runs",
      event: UPS,
      config: (kit) => ({
        [UPS]: [rule(kit, "first", prints({ blockingError: "no" })), rule(kit, "second", "true")],
      }),
      expect: { either: { ...blocked(/: no$/), runs: { first: 1, second: 0 } } },
    },
    {
      id: "AG-U2/null",
      title: "a blockingError of null is an error in Agentao's code, but not on Agentao's page",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", prints('{"blockingError": null}'))] }),
      expect: { default: blocked(/null/), faithful: SILENT },
    },
    {
      id: "AG-U2/attachment",
      title: "an attachment of type hook_blocking_error blocks",
      event: UPS,
      config: (kit) => ({
        [UPS]: [rule(kit, "hook", prints({ attachment_type: "hook_blocking_error", payload: { message: "no" } }))],
      }),
      expect: { either: blocked(/: no$/) },
    },
    {
      id: "AG-U3/reason",
      title: "preventContinuation stops the turn with its reason",
      event: UPS,
      config: (kit) => ({
        [UPS]: [
          rule(kit, "first", prints({ preventContinuation: true, stopReason: "p" })),
          rule(kit, "second", "true"),
        ],
      }),
      expect: {
        either: {
          verdict: { continue: false, stopReason: /: p$/ },
          reply: { exitCode: 0, stdout: { preventContinuation: true, stopReason: /: p$/ } },
          runs: { first: 1, second: 0 },
        },
      },
    },
    {
      id: "AG-U3/default",
      title: "preventContinuation without a reason has a default reason",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", prints({ preventContinuation: true }))] }),
      expect: { either: { verdict: { continue: false, stopReason: /: Hook prevented continuation$/ } } },
    },
    {
      id: "AG-U4/text",
      title: "a hook's whole text is context",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", "echo one; echo two")] }),
      expect: { either: { verdict: { ...GOES_ON, additionalContext: "one\ntwo" } } },
    },
    {
      id: "AG-U4/empty",
      title: "a hook without output has no opinion",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", "true")] }),
      expect: { either: SILENT },
    },
    {
      id: "AG-U4/exit-1",
      title: "exit code 1 without output is a warning, and the turn continues",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", "echo gone >&2; exit 1")] }),
      expect: { either: { verdict: { ...GOES_ON, systemMessage: /exit: .*gone; the agent goes on$/ } } },
    },
    {
      id: "AG-U4/exit-2",
      title: "exit code 2 blocks as in Claude Code's format, but with faithful only warns",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", "echo no >&2; exit 2")] }),
      expect: {
        default: blocked(/: no$/),
        faithful: { verdict: { ...GOES_ON, systemMessage: /exit: .*; the agent goes on$/ } },
      },
    },
    {
      id: "AG-U5",
      title: "a gate with a late hook denies, but with faithful the turn continues",
      event: UPS,
      config: (kit) => ({ [UPS]: [rule(kit, "hook", "exec sleep 60", { timeout: 1 })] }),
      expect: {
        default: blocked(/timeout: no answer within 1000 ms/),
        faithful: { verdict: { ...GOES_ON, systemMessage: /timeout: .*; the agent goes on$/ } },
      },
    },
    {
      id: "AG-U7/filled",
      title: "the user's exact message replaces {userMessage} in a prompt hook",
      event: UPS,
      payload: { prompt: "cost: $& {userMessage}" },
      config: () => ({ [UPS]: [{ type: "prompt", prompt: "<{userMessage}>" }] }),
      expect: { either: { verdict: { ...GOES_ON, additionalContext: "<cost: $& {userMessage}>" } } },
    },
    {
      id: "AG-U7/null",
      title: "a prompt hook without a text does nothing",
      event: UPS,
      config: () => ({ [UPS]: [{ type: "prompt", prompt: null }] }),
      expect: { either: { ...SILENT, problems: ["HOOK_CONFIG_INERT"] } },
    },
    {
      id: "AG-U8",
      title: "rules of other events do not run",
      event: UPS,
      config: (kit) => ({ Stop: [rule(kit, "stop", "true")], [UPS]: [rule(kit, "here", "true")] }),
      expect: { either: { runs: { stop: 0, here: 1 } } },
    },
    ...(["deny", "ask"] as const).map((word) => ({
      id: `AG-T1/${word}`,
      title: `a permission decision of ${word}`,
      config: (kit: Kit) => ({ [PRE]: [rule(kit, "hook", permits(word, "why"))] }),
      expect: {
        either: {
          verdict: { decision: word, reason: /: why$/ },
          reply: { exitCode: 0, stdout: { hookSpecificOutput: { hookEventName: PRE, permissionDecision: word } } },
        },
      },
    })),
    {
      id: "AG-T1/allow",
      title: "a permission decision of allow permits nothing",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", permits("allow", "why"))] }),
      expect: { either: SILENT },
    },
    {
      id: "AG-T2/ask-deny",
      title: "a refusal after a question refuses",
      config: (kit) => ({
        [PRE]: [rule(kit, "asks", permits("ask", "sure")), rule(kit, "denies", permits("deny", "no"))],
      }),
      expect: { either: { ...denied(/: no$/), runs: { asks: 1, denies: 1 } } },
    },
    {
      id: "AG-T2/deny-ask",
      title: "after a refusal, no later hook can ask",
      config: (kit) => ({
        [PRE]: [rule(kit, "denies", permits("deny", "no")), rule(kit, "asks", permits("ask", "sure"))],
      }),
      expect: { either: { ...denied(/: no$/), runs: { denies: 1, asks: 0 } } },
    },
    {
      id: "AG-T3",
      title: "text before a tool call is no decision, and is kept as context",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", "echo seen")] }),
      expect: { either: { verdict: { ...GOES_ON, additionalContext: "seen" } } },
    },
    {
      id: "AG-T4",
      title: "a matcher for Bash does not match read_file",
      payload: { tool_name: "Read", tool_input: {} },
      config: (kit) => ({ [PRE]: [rule(kit, "hook", "exit 2", { matcher: { tool_name: "Bash" } })] }),
      expect: { either: { ...SILENT, runs: { hook: 0 } } },
    },
    ...(["Bash", "run_shell_command", "B*", "Ba?h", "^Bash$", "^run_.*$", "*"] as const).map((pattern) => ({
      id: `AG-T4/${pattern}`,
      title: `the pattern ${pattern} fits Bash`,
      matrix: "matchers for the tool that runs shell commands",
      config: (kit: Kit) => ({ [PRE]: [rule(kit, "hook", "true", { matcher: { tool_name: pattern } })] }),
      expect: { either: { runs: { hook: 1 } } },
    })),
    ...(["bash", "B", "^B$", "ash*"] as const).map((pattern) => ({
      id: `AG-T4/not-${pattern}`,
      title: `the pattern ${pattern} does not fit Bash`,
      matrix: "matchers for the tool that runs shell commands",
      config: (kit: Kit) => ({ [PRE]: [rule(kit, "hook", "true", { matcher: { tool_name: pattern } })] }),
      expect: {
        either: { runs: { hook: 0 }, ...(PROBLEMS[pattern] === undefined ? {} : { problems: PROBLEMS[pattern] }) },
      },
    })),
    ...(["Read|Bash", "^Bash", "[Bb]ash"] as const).map((pattern) => ({
      id: `AG-T4/no-tool-${pattern}`,
      title: `the pattern ${pattern} fits no tool: the gate is shut, and to the letter the hook never runs`,
      matrix: "matchers for the tool that runs shell commands",
      config: (kit: Kit) => ({ [PRE]: [rule(kit, "hook", "true", { matcher: { tool_name: pattern } })] }),
      expect: {
        default: {
          // `run` refuses a broken configuration with exit code 2, the engine with a verdict.
          verdict: { decision: "deny", reason: /fits no tool/ },
          runs: { hook: 0 },
          problems: ["HOOK_CONFIG_MATCHER"],
        },
        faithful: { ...SILENT, runs: { hook: 0 }, problems: ["HOOK_CONFIG_INERT"] },
      },
    })),
    {
      id: "AG-T4/unknown-key",
      title: "a gate with an unknown matcher key denies until the key is corrected",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", "true", { matcher: { tool: "Bash" } })] }),
      expect: { either: { ...denied(/unknown key "tool"/), runs: { hook: 0 }, problems: ["HOOK_CONFIG_MATCHER"] } },
    },
    {
      id: "AG-T8/blocking-error",
      title: "a blockingError aborts the tool call",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", prints({ blockingError: "no" })), rule(kit, "later", "true")] }),
      expect: { either: { ...denied(/: no$/), runs: { hook: 1, later: 0 } } },
    },
    ...(
      [
        ["exit-2", "echo no >&2; exit 2", /: no$/, /exit: /],
        ["timeout", "exec sleep 60", /timeout: /, /timeout: /],
        ["not-there", "exec no-such-command-anywhere", /spawn: /, /spawn: /],
        ["killed", "kill -9 $$", /signal: /, /signal: /],
        ["misspelt", permits("deney", "no"), /invalid-output: /, undefined],
        ["misspelt-attachment", prints({ attachment_type: "hook_bloking_error" }), /invalid-output: /, undefined],
        ["cut-off", `printf '{"blockingError": "n'`, /invalid-output: /, undefined],
      ] as const
    ).map(([slug, text, refusal, warning]) => ({
      id: `AG-T9/${slug}`,
      title: `a hook that gives no clear answer (${slug}) shuts the gate, and to the letter is passed`,
      matrix: "a hook without a clear answer before a tool call",
      config: (kit: Kit) => ({ [PRE]: [rule(kit, "hook", text, slug === "timeout" ? { timeout: 0.2 } : {})] }),
      expect: {
        default: { ...denied(refusal), ...(slug === "timeout" ? { problems: ["HOOK_CONFIG_TYPE"] } : {}) },
        faithful: {
          verdict: { ...GOES_ON, ...(warning === undefined ? {} : { systemMessage: warning }) },
          ...(slug === "timeout" ? { problems: ["HOOK_CONFIG_TYPE"] } : {}),
        },
      },
    })),
    {
      id: "AG-T9/exit-1",
      title: "exit code 1 is a warning, and the call runs",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", "exit 1")] }),
      expect: { either: { verdict: { ...GOES_ON, systemMessage: /exit: / } } },
    },
    {
      id: "AG-T9/exit-1-json",
      title: "JSON counts with any exit code",
      config: (kit) => ({ [PRE]: [rule(kit, "hook", `${permits("deny", "no")}; exit 1`)] }),
      expect: { either: denied(/: no$/) },
    },
    {
      id: "AG-P2/gate",
      title: "a gate with an unsupported hook type denies, because a configured guard is missing",
      config: () => ({ [PRE]: [{ type: "http", url: "https://hooks.example" }] }),
      expect: { either: { ...denied(/not supported/), problems: ["HOOK_CONFIG_UNSUPPORTED"] } },
    },
  ],
};
