import type { CaseFamily, JsonObject } from "../case.ts";
import { command } from "../claude-hooks.ts";
import { GENERIC_PAGE, isError, patternsAt, reads, says } from "../pattern-hooks.ts";

const PRE = "PreToolUse";

/** What a gate's hook can do instead of answering. */
const FAILURES: readonly (readonly [name: string, text: string, kind: string])[] = [
  ["crashes", "kill -SEGV $$", "signal"],
  ["is killed", "kill -9 $$", "signal"],
  ["times out", "exec sleep 5", "timeout"],
  ["is not there", "exec no-such-command-anywhere", "spawn"],
  ["prints half an answer", `printf '{"decision": "bl'`, "invalid-output"],
];

/** Only the hook that must be late has a short timeout: on a busy machine another could be late, too. */
const hurried = (kind: string): JsonObject => (kind === "timeout" ? { timeout: 0.3 } : {});

const failures = FAILURES.map(([name, text, kind]) =>
  reads(
    `GP14/${name}`,
    name,
    text,
    {
      default: says("deny", {
        reason: new RegExp(kind),
        rules: [{ outcome: "blocking", onFailure: "deny", failure: { kind } }],
      }),
      faithful: says("none", { continue: true, systemMessage: new RegExp(kind), rules: isError(kind) }),
    },
    { matrix: "a command without an answer at a gate denies, but the page lets the call go", hook: hurried(kind) },
  ),
);

const observed = FAILURES.map(([name, text, kind]) =>
  reads(
    `GP15/${name}`,
    name,
    text,
    { either: says("none", { continue: true, systemMessage: new RegExp(kind), rules: isError(kind) }) },
    {
      matrix: "a command without an answer at other events is a logged error",
      event: "PostToolUse",
      hook: hurried(kind),
    },
  ),
);

export const patternsOutcomes: CaseFamily = {
  title: "Generic page: hooks that give no answer",
  source: `${GENERIC_PAGE}, error isolation`,
  dialect: "patterns",
  cases: [
    ...failures,
    ...observed,
    reads(
      "GP32",
      "timeouts of hooks are in seconds",
      "exec sleep 5",
      {
        default: says("deny", { reason: /no answer within 200 ms/ }),
        faithful: says("none", { systemMessage: /no answer within 200 ms/ }),
      },
      { hook: { timeout: 0.2 } },
    ),
    {
      id: "GP33",
      title: "an event that the caller cancels is cancelled, and no timeout, block or permission",
      cancelAfterMs: 60,
      config: (kit) => patternsAt(PRE, command(kit, "hook", "exec sleep 5")),
      expect: {
        either: {
          verdict: {
            cancelled: true,
            decision: "none",
            rules: [{ outcome: "cancelled", onFailure: null }],
          },
          reply: { exitCode: 2, stderr: /cancelled/ },
        },
      },
    },
    {
      id: "GP34",
      title: "a web hook's server with an error status, text instead of JSON, or silence gives no answer",
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
      id: "GP35",
      title: "a server that promises a later answer has no opinion",
      config: (kit) =>
        patternsAt(PRE, { type: "http", url: kit.server("hook", { body: { async: true, asyncTimeout: 30 } }) }),
      expect: { verdict: { decision: "none", rules: [{ outcome: "success" }] }, runs: { hook: 1 } },
    },
  ],
};
