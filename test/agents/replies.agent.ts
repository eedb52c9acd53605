import { beforeAll, describe, expect, test } from "vitest";
import {
  type Case,
  CLIENTS_RUN,
  type ClientRun,
  INSTEAD,
  OUTCOMES,
  type Outcome,
  REASON,
  TEXT,
} from "../dialects/reply-table.ts";
import { guest } from "../helpers/guests.ts";
import { type Asked, ask, clientNamed, type ReadyClient } from "./ask-client.ts";
import { permission, prints, rulesAt } from "./claude-code/calls.ts";

/** Real clients with hookbox as their hook, compared with the table of outcomes in docs/replies.md. */

const says = (fields: object): object => ({
  type: "command",
  command: prints({ hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } }),
});

/** The hook's rule in each case, or the text of an invalid file. */
const RULES: Readonly<Record<Case, object | string>> = {
  nothing: { type: "command", command: "true" },
  deny: { type: "command", command: prints(permission("deny", REASON)) },
  ask: { type: "command", command: prints(permission("ask", REASON)) },
  rewrite: says({ updatedInput: INSTEAD }),
  context: says({ additionalContext: TEXT }),
  stop: { type: "command", command: prints({ continue: false, stopReason: REASON, ...permission("deny", REASON) }) },
  "looping guard": {
    type: "wasm",
    name: "looper",
    module: "./looper.wasm",
    may: ["deny", "ask", "allow"],
    timeoutMs: 40_000,
  },
  "broken configuration": '{\n  "hooks": {\n    "PreToolUse": [}\n',
  "unknown payload": { type: "command", command: "true" },
};

function outcomeOf({ has, sent }: Asked): Outcome {
  if (has("instead")) return "changed";
  if (!has("ran")) return "refused";
  return sent.includes(TEXT) ? "told" : "runs";
}

const only = process.env["HOOKBOX_TEST_CLIENTS"]?.split(",");
const names = (Object.keys(CLIENTS_RUN) as ClientRun[]).filter((name) => only?.includes(name) ?? true);

describe.each(names)("%s", (name) => {
  let client: ReadyClient;
  beforeAll(async () => {
    client = await clientNamed(name);
  });

  describe.each(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[])("with --dialect %s", (dialect) => {
    test.for(Object.keys(RULES) as Case[])("has the result of the table for the call: %s", async (one, { skip }) => {
      if ("missing" in client) return skip(client.missing);
      const rule = RULES[one];
      const garbled = one === "unknown payload" ? "sed 's/hook_event_name/name_of_nothing/' | " : "";
      const asked = await ask(client, `${garbled}hookbox run --dialect ${dialect} --config hookbox.json`, {
        "hookbox.json": typeof rule === "string" ? rule : rulesAt("PreToolUse", rule),
        "looper.wasm": guest("allows-then-loops-for-ever"),
      });
      expect(asked).toMatchObject({ asked: true });
      expect([one, outcomeOf(asked)]).toEqual([one, OUTCOMES[dialect][one][name]]);
      if (one === "deny" && dialect === "claude-code" && name !== "gemini") expect(asked.sent).toContain(REASON);
    });
  });
});
