import { afterAll, beforeAll, expect, test } from "vitest";
import type { Verdict } from "../../src/verdict.ts";
import { heard, replyOf } from "./agent-words.ts";
import type { FaultDialect } from "./expected-meaning.ts";
import { FAULTS } from "./faults.ts";
import { FaultRunner, payloadOf } from "./induced-faults.ts";

/** A hook that fails each time, and wants that to count as a "no", must not keep an agent going for ever. */

const TIMES = 50;

let runner: FaultRunner;
beforeAll(async () => {
  runner = await FaultRunner.open();
});
afterAll(() => runner?.close());

const STUBBORN: readonly (readonly [type: string, name: string, FaultDialect])[] = [
  ["command (shell)", "ends with 1", "claude-code"],
  ["command (shell)", "is killed", "hookbox"],
  ["command (exec)", "is not there", "claude-code"],
  ["http", "answers with status 500", "claude-code"],
  ["http", "answers with text", "hookbox"],
  ["http", "is at http://10.0.0.1/", "hookbox"],
  ["function", "throws", "hookbox"],
  ["wasm", "traps", "hookbox"],
  ["wasm", "is not there", "hookbox"],
  ["mcp_tool (refused)", "of a later version", "claude-code"],
];

test.each(STUBBORN)(`%s that %s (%s) lets the agent end, ${TIMES} times in a row`, async (type, name, dialect) => {
  const fault = FAULTS.find((one) => one.type === type && one.name === name);
  if (fault === undefined) throw new Error("no such fault");
  const engine = await runner.open(fault, dialect, "claude-code", ["Stop"], { onFailure: "block" });
  const verdicts: Verdict[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    verdicts.push(await engine.dispatch("Stop", { ...payloadOf("Stop"), stop_hook_active: time > 0 }));
  }
  const kinds = verdicts.map(({ rules: [report] }) => report?.failure?.kind);
  expect(new Set(kinds)).toEqual(new Set([fault.kind]));
  const stuck = verdicts.filter((verdict) => {
    const { decision, continue: goesOn } = verdict;
    return (
      decision !== "none" || !goesOn || heard(replyOf(verdict, "claude-code"), "Stop", "claude-code") !== "nothing"
    );
  });
  expect(stuck).toEqual([]);
});
