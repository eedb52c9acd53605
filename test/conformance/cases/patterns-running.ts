import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit, ModelServerAnswer } from "../case.ts";
import { command, prints } from "../claude-hooks.ts";
import { GENERIC_PAGE, patternsAt } from "../pattern-hooks.ts";

const PRE = "PreToolUse";
const timings = "test/conformance/patterns-running.test.ts";

const web = (kit: Kit, name: string, more: JsonObject = {}): JsonObject => ({
  type: "http",
  url: kit.server(name, { body: { decision: "block" } }),
  ...more,
});

const decidesNothing: Expectation = {
  verdict: { decision: "none", continue: true, reason: null },
  runs: { hook: 1 },
};

/** Modes that ask a model, for a file whose model is not known. */
const UNANSWERED: readonly (readonly [type: string, event: string, decision: string])[] = [
  ["prompt", "PreToolUse", "deny"],
  ["prompt", "UserPromptSubmit", "block"],
  ["agent", "PreToolUse", "deny"],
  ["agent", "Stop", "none"],
  ["agent", "PostToolUse", "none"],
];

const unanswered: readonly ConformanceCase[] = UNANSWERED.map(([type, event, decision]) => ({
  id: `GP57/${type}-${event}`,
  title: `${type} at ${event}`,
  matrix: "a hook that asks an unavailable model fails by name, and only its gate denies",
  event,
  config: (kit) =>
    patternsAt(
      event,
      { type, model: "nowhere/small", prompt: "Is this fine?" },
      command(kit, "other", "cat >/dev/null"),
    ),
  expect: {
    verdict: {
      decision,
      [decision === "none" ? "systemMessage" : "reason"]: /"nowhere"/,
      rules: [{ type, status: "failed" }, { outcome: "success" }],
    },
    runs: { other: 1 },
    problems: ["HOOK_MODEL_PROVIDER"],
  },
}));

/** The page's own example, with our own names. */
const WHOLE_FILE = (kit: Kit): string => `
hooks_config:
  PreToolUse:
    - matcher: "Write"
      hooks:
        - type: "command"
          command: ${JSON.stringify(`${kit.script("types", "true")}; [ "$tool_input_path" = src/app.ts ] && exit 2 --file $tool_input_path`)}
          if: "Write(src/**/*.ts)"
          timeout: 10
  PostToolUse:
    - matcher: "Bash"
      hooks:
        - type: "http"
          url: ${JSON.stringify(kit.server("audit", {}))}
          async: true    # nobody waits for it
`;

const REFUSES = JSON.stringify({ ok: false, reason: "mind your tongue" });
const AGENT_BOUNDS = "an agent hook has limits";

const agent = (kit: Kit, answer: ModelServerAnswer, more: JsonObject): JsonObject => ({
  type: "agent",
  prompt: "Read the report.",
  model: kit.stubModel("agent", answer),
  ...more,
});

/** Asks for another agent first, which does not exist. */
function answersAfterAsking(): ModelServerAnswer {
  let turns = 0;
  return () => {
    turns += 1;
    if (turns === 1) return { calls: [{ name: "agent", input: { prompt: "Read it for me." } }] };
    return { calls: [{ name: "answer", input: { ok: false, reason: "seen enough" } }] };
  };
}

export const patternsRunning: CaseFamily = {
  title: "Generic page: modes, async hooks and once",
  source: `${GENERIC_PAGE}, execution modes and production notes`,
  dialect: "patterns",
  cases: [
    {
      id: "GP47/pre",
      title: "before a write",
      matrix: "a YAML file in the page's form, with comments",
      payload: { tool_name: "Write", tool_input: { file_path: "src/app.ts" } },
      config: WHOLE_FILE,
      expect: { verdict: { decision: "deny" }, runs: { types: 1, audit: 0 } },
    },
    {
      id: "GP47/post",
      title: "after a command",
      matrix: "a YAML file in the page's form, with comments",
      event: "PostToolUse",
      config: WHOLE_FILE,
      expect: { verdict: { decision: "none" }, runs: { types: 0, audit: 1 } },
    },
    {
      id: "GP48/command",
      title: "command",
      matrix: "an async hook runs to its end, and its answer does not count",
      config: (kit) => patternsAt(PRE, command(kit, "hook", "sleep 0.05; echo no >&2; exit 2", { async: true })),
      expect: decidesNothing,
    },
    {
      id: "GP48/http",
      title: "http",
      matrix: "an async hook runs to its end, and its answer does not count",
      config: (kit) => patternsAt(PRE, web(kit, "hook", { async: true })),
      expect: decidesNothing,
    },
    {
      id: "GP49",
      title: "an async hook's failure blocks nothing",
      config: (kit) =>
        patternsAt(PRE, command(kit, "hook", "kill -9 $$", { async: true }), {
          type: "http",
          url: kit.server("server", "hangs up"),
          async: true,
        }),
      expect: { either: { verdict: { decision: "none", systemMessage: null }, runs: { hook: 1, server: 1 } } },
    },
    {
      id: "GP50",
      title: "a blocking hook and an auditing hook do not disturb each other",
      config: (kit) => patternsAt(PRE, web(kit, "audit", { async: true }), command(kit, "guard", "exit 2")),
      expect: { verdict: { decision: "deny" }, runs: { audit: 1, guard: 1 } },
    },
    {
      id: "GP73",
      title: "async hooks all run, and do not wait for each other",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "slow", `while [ ! -e '${kit.folder}/quick' ]; do sleep 0.01; done`, {
            async: true,
            timeout: 10,
          }),
          command(kit, "quick", `touch '${kit.folder}/quick'`, { async: true }),
        ),
      expect: { either: { verdict: { decision: "none" }, runs: { slow: 1, quick: 1 } } },
    },
    {
      id: "GP51",
      title: "hookbox does not wait for a hook that answers async: true, and the hook continues",
      config: (kit) =>
        patternsAt(
          PRE,
          command(kit, "hook", `${prints({ async: true, asyncTimeout: 30 })}; echo; sleep 0.1; echo x >more; exit 2`),
        ),
      expect: decidesNothing,
    },
    {
      id: "GP52",
      title: "an answer with async: true and a block has blocked",
      config: (kit) => patternsAt(PRE, command(kit, "hook", prints({ async: true, decision: "block" }))),
      expect: { verdict: { decision: "deny" }, runs: { hook: 1 } },
    },
    {
      id: "GP53",
      title: "async: true of a command or a web hook takes no time from the event",
      coveredBy: timings,
    },
    { id: "GP54", title: "asyncTimeout ends a hook that has detached itself", coveredBy: timings },
    {
      id: "GP55",
      title: "a hook with once runs once in a session, even with several events at once",
      atOnce: 20,
      times: 2,
      config: (kit) => patternsAt(PRE, command(kit, "hook", "sleep 0.05", { once: true })),
      expect: { verdict: { decision: "none", continue: true }, runs: { hook: 1 } },
    },
    {
      id: "GP56/failure",
      title: "failure",
      matrix: "a run that fails or refuses does not count for once, but on the page each run counts",
      times: 3,
      config: (kit) =>
        patternsAt(PRE, command(kit, "hook", "mkdir first 2>/dev/null && exit 1; exit 0", { once: true })),
      expect: {
        default: { verdict: { decision: "none", systemMessage: null }, runs: { hook: 2 } },
        faithful: { verdict: { decision: "none", systemMessage: null }, runs: { hook: 1 } },
      },
    },
    {
      id: "GP56/block",
      title: "block",
      matrix: "a run that fails or refuses does not count for once, but on the page each run counts",
      times: 3,
      config: (kit) => patternsAt(PRE, command(kit, "hook", "exit 2", { once: true })),
      expect: {
        default: { verdict: { decision: "deny" }, runs: { hook: 3 } },
        faithful: { verdict: { decision: "none" }, runs: { hook: 1 } },
      },
    },
    {
      id: "GP56/stop",
      title: "a block at Stop, which makes the agent go on, uses it up",
      matrix: "a run that fails or refuses does not count for once, but on the page each run counts",
      event: "Stop",
      times: 3,
      config: (kit) => patternsAt("Stop", command(kit, "hook", "echo test first >&2; exit 2", { once: true })),
      expect: { either: { verdict: { decision: "none", continue: true }, runs: { hook: 1 } } },
    },
    {
      id: "GP56/side-by-side",
      title: "a failure among 20 events at once",
      matrix: "a run that fails or refuses does not count for once, but on the page each run counts",
      atOnce: 20,
      config: (kit) =>
        patternsAt(PRE, command(kit, "hook", "mkdir first 2>/dev/null && exit 1; exit 0", { once: true })),
      expect: { default: { runs: { hook: 2 } }, faithful: { runs: { hook: 1 } } },
    },
    {
      id: "GP56/async",
      title: "an async hook, which runs once among 20 events",
      matrix: "a run that fails or refuses does not count for once, but on the page each run counts",
      atOnce: 20,
      config: (kit) => patternsAt(PRE, command(kit, "hook", "true", { once: true, async: true })),
      expect: { runs: { hook: 1 } },
    },
    ...unanswered,
    {
      id: "GP58",
      title: "a prompt hook asks the model once, and never through UserPromptSubmit",
      event: "UserPromptSubmit",
      config: (kit) => ({
        hooks_config: {
          UserPromptSubmit: [
            {
              hooks: [
                { type: "prompt", prompt: "Is it civil? $ARGUMENTS", model: kit.stubModel("judge", REFUSES) },
                command(kit, "counts", "exit 0"),
              ],
            },
          ],
        },
      }),
      expect: {
        verdict: { decision: "block", reason: /: mind your tongue$/ },
        runs: { judge: 1, counts: 1 },
      },
    },
    {
      id: "GP59/answers",
      title: "it answers through a tool of its own, and starts no agents",
      matrix: AGENT_BOUNDS,
      config: (kit) => patternsAt(PRE, agent(kit, answersAfterAsking(), {})),
      expect: { verdict: { decision: "deny", reason: /: seen enough$/ }, runs: { agent: 2 } },
    },
    {
      id: "GP59/turns",
      title: "after 50 turns without one it is cancelled",
      matrix: AGENT_BOUNDS,
      config: (kit) =>
        patternsAt(
          PRE,
          agent(kit, () => ({ calls: [{ name: "glob", input: { pattern: "*" } }] }), { timeout: 60 }),
        ),
      expect: {
        default: {
          verdict: { decision: "deny", rules: [{ outcome: "cancelled", failure: { kind: "turns", limit: 50 } }] },
          runs: { agent: 50 },
        },
        faithful: {
          verdict: { decision: "none", continue: true, systemMessage: null, rules: [{ outcome: "cancelled" }] },
          reply: { exitCode: 0, stdout: "" },
          runs: { agent: 50 },
        },
      },
    },
    { id: "GP60", title: "the verdict lists each hook's outcome with its time", coveredBy: timings },
    { id: "GP61", title: "hooks are spans in a trace", later: "hookbox does not export hooks to tracing yet" },
  ],
};
