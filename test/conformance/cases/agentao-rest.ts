import type { CaseFamily, CoveredCase, JsonObject, Kit } from "../case.ts";
import { prints } from "../claude-hooks.ts";

/** Agentao's configuration and protocol, the end of a turn, and its observers. */

function rule(kit: Kit, name: string, text: string, more: JsonObject = {}): JsonObject {
  return { type: "command", command: kit.script(name, text), ...more };
}

const CONFIG = "test/dialects/agentao/config.test.ts";
const WIRE = "test/dialects/agentao/wire.test.ts";
const REPLY = "test/dialects/agentao/reply.test.ts";
const TURN = "test/hosts/agentao/turn.test.ts";
const OBSERVERS = "test/hosts/agentao/observers.test.ts";
const TOOL_CALL = "test/hosts/agentao/tool-call.test.ts";

const covered = (id: string, title: string, coveredBy: string): CoveredCase => ({ id, title, coveredBy });
const goesOn = { decision: "block", continue: true } as const;

export const agentaoRest: CaseFamily = {
  title: "Agentao: files, payloads, the end of a turn, and watching",
  source: "Plugin hooks, and the runner's code of August 2026",
  dialect: "agentao",
  cases: [
    covered("AG-P1", "a file with a wrapper, a bare object, or an object instead of a list", CONFIG),
    covered("AG-P2", "hook types http and agent are not supported", CONFIG),
    covered("AG-P3", "a rule with an unknown type or an unknown event", CONFIG),
    covered("AG-P4", "a malformed or missing file", CONFIG),
    covered("AG-P5", "timeouts are in seconds, and an invalid timeout is 60 seconds", CONFIG),
    covered("AG-P6", "a prompt at an event that takes only commands", CONFIG),
    covered("AG-P7", "a matcher that is no object", CONFIG),
    covered("AG-P8", "a bad rule next to two good rules", CONFIG),
    covered("AG-A1", "translation of tool names in both directions", WIRE),
    covered("AG-W1", "the keys of each payload", WIRE),
    covered("AG-W2", "a payload with a last message of several lines", WIRE),
    covered("AG-U2", "a block gives the marker, and sends nothing to the model", TURN),
    covered("AG-U3", "a stop gives the marker, with and without a reason", TURN),
    covered("AG-U4", "a silent or failing hook leaves a record", TURN),
    covered("AG-U6", "a hook gets the user's message on standard input", TURN),
    covered("AG-U9", "each context has its own tags, in the order of the hooks", TURN),
    covered("AG-T5", "the permission event reports a hook's decision", TURN),
    covered("AG-T6", "a hook's question that the user answers", TOOL_CALL),
    covered("AG-T7", "an allow permits nothing and decides nothing", TOOL_CALL),
    covered("AG-S1", "exit code 2 at the end of a turn", REPLY),
    covered("AG-S2", "a block at the end of a turn, with and without a reason", REPLY),
    covered("AG-S3", "continue: false next to other fields", REPLY),
    covered("AG-S4", "a hook's text at the end of a turn", REPLY),
    covered("AG-S5", "the limit on forced continuations", TURN),
    covered("AG-S6", "the value of stop_hook_active in each turn", TURN),
    covered("AG-S7", "a loop asks Stop hooks once", TURN),
    covered("AG-S8", "the host sends events only for dispatches with a rule", OBSERVERS),
    covered("AG-C1", "matchers for the trigger of a compaction", CONFIG),
    covered("AG-C2", "hooks cannot stop a compaction", OBSERVERS),
    covered("AG-L1", "a failing hook at an event that only observes", OBSERVERS),
    {
      id: "AG-S1/order",
      title: "exit code 2 asks for another turn, and no later hook runs",
      event: "Stop",
      config: (kit) => ({ Stop: [rule(kit, "first", "echo more >&2; exit 2"), rule(kit, "second", "true")] }),
      expect: {
        either: {
          verdict: { ...goesOn, followUp: "more" },
          reply: {
            exitCode: 0,
            stdout: { decision: "block", reason: "more", force_continue: true, follow_up_message: "more" },
          },
          runs: { first: 1, second: 0 },
        },
      },
    },
    {
      id: "AG-S3/error",
      title: "a blockingError ends the turn, with any other fields",
      event: "Stop",
      config: (kit) => ({
        Stop: [rule(kit, "first", prints({ continue: false, decision: "block", reason: "r", blockingError: "bad" }))],
      }),
      expect: {
        either: {
          verdict: { decision: "none", continue: false },
          reply: { exitCode: 0, stdout: { continue: false, blockingError: "bad" } },
        },
      },
    },
    {
      id: "AG-S9/failure",
      title: "a failing hook does not make a turn continue",
      event: "Stop",
      config: (kit) => ({ Stop: [rule(kit, "first", "exit 1"), rule(kit, "second", "kill -9 $$")] }),
      expect: { either: { verdict: { decision: "none", continue: true }, runs: { first: 1, second: 1 } } },
    },
    {
      id: "AG-L2",
      title: "at events that only observe, all hooks run",
      event: "PostToolUse",
      config: (kit) => ({
        PostToolUse: [rule(kit, "first", prints({ blockingError: "bad" })), rule(kit, "second", "true")],
      }),
      expect: { either: { verdict: { decision: "block" }, runs: { first: 1, second: 1 } } },
    },
    {
      id: "AG-P6/hand-built",
      title: "a prompt at the end of a turn is skipped with a warning, and nothing runs",
      event: "Stop",
      config: () => ({ Stop: [{ type: "prompt", prompt: "Be brief." }] }),
      expect: {
        either: { verdict: { decision: "none", additionalContext: null }, problems: ["HOOK_CONFIG_UNSUPPORTED"] },
      },
    },
  ],
};
