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
    covered("AG-P1", "a wrapper, a bare object, one object in place of a list", CONFIG),
    covered("AG-P2", "types http and agent are not supported", CONFIG),
    covered("AG-P3", "an unknown type, an unknown event", CONFIG),
    covered("AG-P4", "a file that is malformed or missing", CONFIG),
    covered("AG-P5", "timeouts in seconds, 60 where they cannot be read", CONFIG),
    covered("AG-P6", "a prompt where only commands are allowed", CONFIG),
    covered("AG-P7", "a matcher that is no object", CONFIG),
    covered("AG-P8", "one bad rule among three", CONFIG),
    covered("AG-A1", "names of tools in both directions", WIRE),
    covered("AG-W1", "the keys of each payload", WIRE),
    covered("AG-W2", "a last message of several lines", WIRE),
    covered("AG-U2", "a block: the marker, and nothing sent to the model", TURN),
    covered("AG-U3", "a stop: the marker, with and without a reason", TURN),
    covered("AG-U4", "silence and failure leave a record", TURN),
    covered("AG-U6", "the user's message on a hook's standard input", TURN),
    covered("AG-U9", "contexts in tags of their own, in the order of the hooks", TURN),
    covered("AG-T5", "what the permission event says of a hook's decision", TURN),
    covered("AG-T6", "a question that the user answers", TOOL_CALL),
    covered("AG-T7", "an allow opens nothing and decides nothing", TOOL_CALL),
    covered("AG-S1", "exit code 2 at the end of a turn", REPLY),
    covered("AG-S2", "a block with and without a reason", REPLY),
    covered("AG-S3", "continue: false beside other words", REPLY),
    covered("AG-S4", "words at the end of a turn", REPLY),
    covered("AG-S5", "the cap on forced continuations", TURN),
    covered("AG-S6", "stop_hook_active, turn by turn", TURN),
    covered("AG-S7", "a loop asks once", TURN),
    covered("AG-S8", "events for what had a rule to run", OBSERVERS),
    covered("AG-C1", "what fits the trigger of a compaction", CONFIG),
    covered("AG-C2", "a compaction happens whatever hooks say", OBSERVERS),
    covered("AG-L1", "a failing hook that only watches", OBSERVERS),
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
      title: "a blockingError ends the turn, whatever stands beside it",
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
      title: "a hook that fails keeps no turn going",
      event: "Stop",
      config: (kit) => ({ Stop: [rule(kit, "first", "exit 1"), rule(kit, "second", "kill -9 $$")] }),
      expect: { either: { verdict: { decision: "none", continue: true }, runs: { first: 1, second: 1 } } },
    },
    {
      id: "AG-L2",
      title: "hooks that only watch all run, whatever one says",
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
