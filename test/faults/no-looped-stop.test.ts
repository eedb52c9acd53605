import { afterAll, beforeAll, expect, test } from "vitest";
import { dialectNamed } from "../../src/dialects/registry.ts";
import type { Verdict } from "../../src/verdict.ts";
import { makeEvent } from "../helpers/rules.ts";
import { times } from "../helpers/tier.ts";
import { heard, replyOf } from "./agent-words.ts";
import type { FaultDialect } from "./expected-meaning.ts";
import { FAULTS, type HookEntry } from "./faults.ts";
import { FaultRunner, payloadOf } from "./induced-faults.ts";

/** A hook that fails each time, and whose failures count as "no", must not keep an agent going without end. */

const TIMES = times(50, 8);

let runner: FaultRunner;
beforeAll(async () => {
  runner = await FaultRunner.open();
});
afterAll(() => runner?.close());

type Stubborn = readonly [type: string, name: string, ruleDialect: FaultDialect, eventDialect: FaultDialect];

const STUBBORN: readonly Stubborn[] = [
  ["command (shell)", "ends with 1", "claude-code", "claude-code"],
  ["command (shell)", "is killed", "hookbox", "claude-code"],
  ["command (exec)", "is not there", "claude-code", "claude-code"],
  ["http", "answers with status 500", "claude-code", "claude-code"],
  ["http", "answers with text", "hookbox", "claude-code"],
  ["http", "is at http://10.0.0.1/", "hookbox", "claude-code"],
  ["function", "throws", "hookbox", "claude-code"],
  ["wasm", "traps", "hookbox", "claude-code"],
  ["wasm", "is not there", "hookbox", "claude-code"],
  ["mcp_tool (refused)", "whose server nobody knows", "claude-code", "claude-code"],
  ["prompt", "answers with status 401", "claude-code", "claude-code"],
  ["prompt", "answers in other words", "claude-code", "claude-code"],
  ["prompt", "contradicts itself", "patterns", "patterns"],
  ["prompt", "has no key", "hookbox", "autohand"],
  ["prompt", "throws", "hookbox", "openclaw"],
  ["model", "says a key twice", "hookbox", "claude-code"],
  ["model", "answers with status 500", "docker-agent", "docker-agent"],
  ["agent", "runs out of turns", "hookbox", "claude-code"],
  ["agent", "takes more tokens than it may", "claude-code", "claude-code"],
  ["agent", "never calls a tool", "hookbox", "agentao"],
  ["mcp_tool", "reports an error", "claude-code", "claude-code"],
  ["mcp_tool", "says broken JSON", "hookbox", "agentao"],
  ["mcp_tool", "is of a server that is not there", "hookbox", "openclaw"],
  ["builtin", "posts to where nobody may send", "hookbox", "claude-code"],
  ["command (shell)", "ends with 1", "agentao", "agentao"],
  ["command (shell)", "prints broken JSON", "agentao", "agentao"],
  ["command (refused)", "that is written wrongly", "agentao", "agentao"],
  ["command (shell)", "allows and is killed", "autohand", "autohand"],
  ["http", "answers with status 500", "autohand", "autohand"],
  ["command (refused)", "whose matcher cannot be read", "autohand", "autohand"],
  ["command (shell)", "prints broken JSON", "hookbox", "openclaw"],
  ["function", "rejects with nothing", "hookbox", "openclaw"],
  ["wasm", "traps", "hookbox", "openclaw"],
];

const TITLE = `%s that %s (%s, asked by %s) lets the agent end, ${TIMES} times in a row`;
// Each test spends most of its time waiting for one process or socket after another.
test.concurrent.each(STUBBORN)(TITLE, async (type, name, ruleDialect, eventDialect) => {
  const fault = FAULTS.find((one) => one.type === type && one.name === name);
  if (fault === undefined) throw new Error("no such fault");
  const engine = await runner.open(fault, ruleDialect, eventDialect, ["Stop"], WANTS_NO[ruleDialect] ?? {});
  const verdicts: Verdict[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    verdicts.push(await engine.dispatch("Stop", { ...payloadOf("Stop"), stop_hook_active: time > 0 }));
  }
  const kinds = verdicts.map(({ rules: [report] }) => report?.failure?.kind);
  expect(new Set(kinds)).toEqual(new Set([fault.kind]));
  const stuck = verdicts.filter((verdict) => {
    const { decision, continue: goesOn } = verdict;
    return decision !== "none" || !goesOn || heard(replyOf(verdict, eventDialect), "Stop", eventDialect) !== "nothing";
  });
  expect(stuck).toEqual([]);
});

test.each(["claude-code", "patterns", "agentao", "openclaw"] as const)(
  "a missing script's exit code 2 at Stop is a failure and not a block for %s",
  (dialect) => {
    const stderr = "sh: 0: cannot open ./gone.sh: No such file\n";
    const event = makeEvent("Stop", payloadOf("Stop"), dialect);
    const read = dialectNamed(dialect)?.codec.decodeReply({ exitCode: 2, stdout: "", stderr }, event);
    expect(read).toMatchObject({ ok: false, failure: { kind: "exit", value: 2 } });
  },
);

/** For agents whose hooks can set what their failures mean. */
const WANTS_NO: Partial<Readonly<Record<FaultDialect, HookEntry>>> = {
  hookbox: { onFailure: "block" },
  "claude-code": { onFailure: "block" },
};
