import { describe, expect, test } from "vitest";
import { aggregate } from "../../src/aggregate/aggregate.ts";
import type { Compat } from "../../src/codec.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import type { HookOutcome } from "../../src/outcome.ts";
import type { Verdict } from "../../src/verdict.ts";
import fc from "../helpers/fc.ts";
import { makeEvent, makeRule } from "../helpers/rules.ts";
import { DOCUMENTED_ALLOW, type Printed } from "./documented-allow.ts";
import { FAULT_DIALECTS, type FaultDialect } from "./expected-meaning.ts";
import { allowOf, anyPrinted } from "./near-replies.ts";

/** Whatever a command hook prints and its exit code, it permits only what the agent's documentation says. */

/** Found by random tests, and kept. */
const FOUND: readonly Printed[] = [
  { decision: "approve" },
  { decision: "allow", hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
  { decision: "approve", hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
  { decision: "approve", hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "approve" } },
].map((reply) => ({ exitCode: 0, stdout: JSON.stringify(reply), stderr: "" }));
const COMPATS: readonly Compat[] = ["safer", "faithful"];
const RUNS = 300;

function judged(printed: Printed, dialect: FaultDialect, compat: Compat): Verdict {
  const codec = dialectNamed(dialect)?.codec;
  if (codec === undefined) throw new Error(`no dialect ${dialect}`);
  const event = makeEvent("PreToolUse", { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } }, dialect);
  const rule = makeRule({ codec, compat });
  const read = codec.decodeReply(printed, event, { failsClosed: false, compat });
  const receipt = { micros: 1 };
  const outcome: HookOutcome = read.ok
    ? { status: "decided", reply: read.reply, receipt }
    : { status: "failed", failure: read.failure, receipt };
  return aggregate(event, [{ rule, outcome, look: "first" }]);
}

describe.each(FAULT_DIALECTS)("%s", (dialect) => {
  const isDocumented = DOCUMENTED_ALLOW[dialect] as (printed: Printed) => boolean;

  test("permits what is documented to permit, and nothing that is close to it", () => {
    const allows = { exitCode: 0, stdout: JSON.stringify(allowOf(dialect)), stderr: "" };
    const word = isDocumented(allows) ? "allow" : "none";
    for (const compat of COMPATS) expect(judged(allows, dialect, compat).decision).toBe(word);
    for (const printed of FOUND)
      if (!isDocumented(printed)) expect(judged(printed, dialect, "safer").decision).not.toBe("allow");
    const seen = { allow: 0, other: 0 };
    fc.assert(
      fc.property(anyPrinted(dialect), fc.constantFrom(...COMPATS), (printed, compat) => {
        const { decision } = judged(printed, dialect, compat);
        seen[decision === "allow" ? "allow" : "other"] += 1;
        if (decision === "allow")
          expect({ printed, isDocumented: isDocumented(printed) }).toMatchObject({ isDocumented: true });
      }),
      { numRuns: RUNS },
    );
    // Otherwise the property would have tested refusals only.
    const tried = seen.allow + seen.other;
    if (word === "allow") expect(seen.allow).toBeGreaterThan(tried / 50);
    expect(seen.other).toBeGreaterThan(tried / 10);
  });

  test("treats exit code 2 as a refusal, whatever else is printed", () => {
    fc.assert(
      fc.property(anyPrinted(dialect), (printed) => {
        expect(judged({ ...printed, exitCode: 2 }, dialect, "safer").decision).toBe("deny");
      }),
      { numRuns: RUNS },
    );
  });
});
