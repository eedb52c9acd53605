import { describe, expect, test } from "vitest";
import type { PolicyAnswer } from "../../src/index.ts";
import {
  approvals,
  decides,
  GRANTED,
  MODE_ALLOWS,
  MODE_ASKS,
  RULE_ALLOWS,
  RULE_DENIES,
  rewrites,
  says,
  shell,
} from "./approved-calls.ts";

const TRANSFORM = "ToolInputTransform";
const GUARD = "ToolGuard";
const PRE = "PreToolUse";
const preempt = { lane: "preempt" };
const rm = { command: "rm -rf /" };
const ls = { command: "ls" };

describe("T1: a transform's change of the input is seen by everything after it", () => {
  const policyFor = ({ input }: { input: { readonly [key: string]: unknown } }): PolicyAnswer =>
    input["command"] === "ls" ? RULE_ALLOWS : RULE_DENIES;

  test("the guard, the policy and the tool", async () => {
    const call = await approvals({ [TRANSFORM]: [rewrites("t", TRANSFORM, ls)], [GUARD]: [shell("g", "true")] });
    const { result, seen, payloadOf } = await call(rm, { policy: policyFor });
    expect(result).toMatchObject({ outcome: "ran", source: "rule_allow", input: ls });
    expect(payloadOf("g")).toMatchObject({ tool_input: ls });
    expect(seen.policy).toMatchObject([{ input: ls, rewritten: false }]);
    expect(seen.executed).toEqual([ls]);
  });

  test("a rule that forbids the changed input", async () => {
    const call = await approvals({ [TRANSFORM]: [rewrites("t", TRANSFORM, rm)] });
    const { result, seen } = await call(ls, { policy: policyFor });
    expect(result).toMatchObject({ outcome: "denied", source: "rule_deny", reason: "a rule forbids it" });
    expect(seen.executed).toEqual([]);
  });

  test("the pre-tool-use rules and the user", async () => {
    const call = await approvals({ [TRANSFORM]: [rewrites("t", TRANSFORM, ls)], [PRE]: [shell("p", "true")] });
    const { result, seen, payloadOf } = await call(rm, { policy: MODE_ASKS, user: "allow" });
    expect(payloadOf("p")).toMatchObject({ tool_input: ls });
    expect(seen.questions).toMatchObject([{ input: ls }]);
    expect(result).toMatchObject({ outcome: "ran", source: "user_allow", asked: true });
  });
});

describe("T2: a transform that blocks", () => {
  test("ends the call before the guard is asked", async () => {
    const call = await approvals({ [TRANSFORM]: [decides("t", TRANSFORM, "deny")], [GUARD]: [shell("g", "true")] });
    const { result, runs } = await call(ls, { policy: MODE_ALLOWS });
    expect(result).toMatchObject({ outcome: "denied", source: "tool_input_transform_deny", reason: "t: t says so" });
    expect(runs).toEqual(["t"]);
  });

  test("lets the call go on if it only crashed, unless it is configured to block", async () => {
    const warns = await approvals({ [TRANSFORM]: [shell("t", "exit 1", { onFailure: "continue" })] });
    const { result } = await warns(ls, { policy: MODE_ALLOWS });
    expect(result).toMatchObject({ outcome: "ran", source: "yolo" });
    expect(result.systemMessages.join()).toContain("t");

    const blocks = await approvals({ [TRANSFORM]: [shell("t", "exit 1", { onFailure: "block" })] });
    expect((await blocks(ls, { policy: MODE_ALLOWS })).result).toMatchObject({
      outcome: "denied",
      source: "tool_input_transform_deny",
    });
  });
});

describe("T3: a guard's refusal overrides every permission", () => {
  const refusals = {
    "a deny": decides("g", GUARD, "deny"),
    "a block": shell("g", `echo '{"decision":"block","reason":"no"}'`),
    "exit code 2": shell("g", "echo no >&2; exit 2"),
    "a crash": shell("g", "exit 1"),
    "an answer that nobody understands": shell("g", `echo '{"decision":"blok"}'`),
  };
  test.each(Object.entries(refusals))("%s", async (_, guard) => {
    const call = await approvals({ [GUARD]: [guard] });
    for (const policy of [MODE_ALLOWS, RULE_ALLOWS]) {
      const { result, seen } = await call(ls, { policy, user: "allow" });
      expect(result).toMatchObject({ outcome: "denied", source: "tool_guard_deny", asked: false });
      expect(seen.executed).toEqual([]);
    }
  });
});

describe("T4: a guard's question is put to the user at each call", () => {
  test("whatever was granted, and whatever a permission rule would answer", async () => {
    const call = await approvals({
      [GUARD]: [decides("g", GUARD, "ask")],
      PermissionRequest: [
        shell(
          "pr",
          `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`,
        ),
      ],
    });
    for (const policy of [GRANTED, MODE_ALLOWS, MODE_ASKS]) {
      const { result, seen, runs } = await call(ls, { policy, user: "allow-always" });
      expect(seen.questions).toMatchObject([{ reasons: ["g: g says so"], canBeRemembered: false }]);
      expect(result).toMatchObject({ outcome: "ran", source: "user_allow_always" });
      expect(runs).toEqual(["g"]);
    }
  });
});

describe("T5: a guard's question is put to the user if the mode considers the call safe", () => {
  test("and is a refusal if no user can answer", async () => {
    const call = await approvals({ [GUARD]: [decides("g", GUARD, "ask")] });
    const { result } = await call(ls, { policy: { decision: "allow", source: "mode", label: "mode_balanced" } });
    expect(result).toMatchObject({ outcome: "denied", source: "non_interactive_deny" });
    expect(result.reason).toContain("g says so");
  });
});

describe("T6: a guard's permission is advice", () => {
  test("that overrides no rule", async () => {
    const call = await approvals({ [GUARD]: [decides("g", GUARD, "allow")] });
    expect((await call(ls, { policy: RULE_DENIES })).result).toMatchObject({ outcome: "denied", source: "rule_deny" });
  });

  test("that answers no question of the mode", async () => {
    const call = await approvals({ [GUARD]: [decides("g", GUARD, "allow")] });
    const { result, seen } = await call(ls, { policy: MODE_ASKS, user: "deny" });
    expect(seen.questions).toHaveLength(1);
    expect(result).toMatchObject({ outcome: "denied", source: "user_deny" });
  });
});

describe("T7: a guard's question", () => {
  test("does not override an explicit denial", async () => {
    const call = await approvals({ [GUARD]: [decides("g", GUARD, "ask")] });
    const { result, seen } = await call(ls, { policy: RULE_DENIES, user: "allow" });
    expect(result).toMatchObject({ outcome: "denied", source: "rule_deny" });
    expect(seen.questions).toEqual([]);
  });
});

describe("T8: a rule of the preempt lane", () => {
  test.each(["exit 1", "echo no >&2; exit 2", `echo '{"decision":"block","reason":"no"}'`])(
    "refuses with %s what everything else allows",
    async (text) => {
      const call = await approvals({ [PRE]: [shell("p", text, preempt)] });
      const { result, seen } = await call(ls, { policy: RULE_ALLOWS });
      expect(result).toMatchObject({ outcome: "denied", source: "pre_tool_use_hook_deny" });
      expect(seen.executed).toEqual([]);
    },
  );

  test("asks, and is silenced only by a grant of the session", async () => {
    const call = await approvals({ [PRE]: [decides("p", PRE, "ask", preempt)] });
    const granted = await call(ls, { policy: GRANTED, user: "deny" });
    expect(granted.result).toMatchObject({ outcome: "ran", source: "grant_allow", asked: false });
    for (const policy of [RULE_ALLOWS, MODE_ALLOWS]) {
      const { result, seen } = await call(ls, { policy, user: "allow-always" });
      expect(result).toMatchObject({ outcome: "ran", source: "user_allow_always" });
      expect(seen.questions).toMatchObject([{ canBeRemembered: true }]);
      expect(seen.grants).toMatchObject([{ toolName: "Bash", by: "user", input: ls }]);
    }
  });

  test("rewrites nothing", async () => {
    const call = await approvals({ [PRE]: [rewrites("p", PRE, rm, preempt)] });
    expect((await call(ls, { policy: RULE_ALLOWS })).seen.executed).toEqual([ls]);
  });
});

describe("T9: a rewrite by a pre-tool-use rule", () => {
  const approvesChange = says("p", PRE, { permissionDecision: "allow", updatedInput: rm });
  const refusesRm = (event: string): string =>
    `grep -q 'rm -rf' "$KEPT" && echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, permissionDecision: "deny" } })}' || true`;

  test("is judged once more by guard, preempt lane and policy", async () => {
    const call = await approvals({
      [GUARD]: [shell("g", "true")],
      [PRE]: [shell("early", "true", preempt), approvesChange],
    });
    const { result, seen, runs } = await call(ls, { policy: MODE_ASKS });
    expect(runs).toEqual(["g", "early", "p", "g", "early"]);
    expect(seen.policy).toMatchObject([
      { input: ls, rewritten: false },
      { input: rm, rewritten: true },
    ]);
    expect(result).toMatchObject({ outcome: "ran", source: "pre_tool_use_hook_allow", input: rm });
    expect(result.verdicts.filter(({ recheck }) => recheck).map(({ phase }) => phase)).toEqual(["guard", "preempt"]);
  });

  test.each([
    ["guard", { [GUARD]: [shell("late", refusesRm(GUARD))], [PRE]: [approvesChange] }, "tool_guard_deny"],
    ["preempt lane", { [PRE]: [shell("late", refusesRm(PRE), preempt), approvesChange] }, "pre_tool_use_hook_deny"],
  ] as const)("is refused by the %s that sees it then", async (_, hooks, source) => {
    const call = await approvals(hooks);
    const { result, seen, runs } = await call(ls, { policy: MODE_ASKS, user: "allow" });
    expect(result).toMatchObject({ outcome: "denied", source, asked: false });
    expect(runs).toEqual(["late", "p", "late"]);
    expect(seen.executed).toEqual([]);
  });

  test("is refused by the policy that sees it then, which also overrides a question", async () => {
    const call = await approvals({ [GUARD]: [decides("g", GUARD, "ask")], [PRE]: [approvesChange] });
    const { result } = await call(ls, { policy: (_, times) => (times === 1 ? MODE_ASKS : RULE_DENIES), user: "allow" });
    expect(result).toMatchObject({ outcome: "denied", source: "rule_deny", asked: false });
  });

  test("gains nothing from a policy that would have allowed it", async () => {
    const call = await approvals({ [PRE]: [rewrites("p", PRE, rm)] });
    const { result, seen } = await call(ls, {
      policy: (_, times) => (times === 1 ? MODE_ASKS : RULE_ALLOWS),
      user: "deny",
    });
    expect(result).toMatchObject({ outcome: "denied", source: "user_deny" });
    expect(seen.questions).toMatchObject([{ input: rm, rewritten: true }]);
  });

  test("is not sent again to async rules", async () => {
    const call = await approvals({
      [GUARD]: [shell("audit", "true", { async: true }), shell("g", "true")],
      [PRE]: [approvesChange],
    });
    const { runs } = await call(ls, { policy: MODE_ASKS });
    expect(runs.filter((name) => name !== "audit")).toEqual(["g", "p", "g"]);
    expect(runs.filter((name) => name === "audit").length).toBeLessThan(2);
  });

  test("that changes nothing is no rewrite", async () => {
    const call = await approvals({
      [GUARD]: [shell("g", "true")],
      [PRE]: [says("p", PRE, { permissionDecision: "allow", updatedInput: ls })],
    });
    const { runs, seen } = await call(ls, { policy: MODE_ASKS });
    expect(runs).toEqual(["g", "p"]);
    expect(seen.policy).toHaveLength(1);
  });
});

describe("T10: rules of the default lane are asked only if the mode asks", () => {
  test.each<[PolicyAnswer, boolean]>([
    [MODE_ASKS, true],
    [{ decision: "allow", source: "read-only" }, true],
    [MODE_ALLOWS, false],
    [{ decision: "allow", source: "mode", label: "mode_balanced" }, false],
    [RULE_ALLOWS, false],
    [GRANTED, false],
    [{ decision: "ask", source: "rule" }, false],
  ])("%j", async (policy, isAsked) => {
    const call = await approvals({ [PRE]: [shell("p", "true")] });
    const { result, runs } = await call(ls, { policy, user: "allow" });
    expect(runs).toEqual(isAsked ? ["p"] : []);
    expect(result.outcome).toBe("ran");
  });
});

describe("T11: redacted text", () => {
  test("is redacted in the input and in the response, under a mode that allows everything", async () => {
    const call = await approvals({
      [TRANSFORM]: [rewrites("in", TRANSFORM, { command: "echo [REDACTED]" })],
      ToolResponseTransform: [says("out", "ToolResponseTransform", { updatedToolOutput: "[REDACTED]" })],
      PostToolUse: [shell("after", "true")],
    });
    const { result, seen, payloadOf } = await call(
      { command: "echo hunter2" },
      { policy: MODE_ALLOWS, output: "hunter2" },
    );
    expect(seen.executed).toEqual([{ command: "echo [REDACTED]" }]);
    expect(result).toMatchObject({ outcome: "ran", source: "yolo", output: "[REDACTED]" });
    expect(JSON.stringify(payloadOf("after"))).not.toContain("hunter2");
  });
});

describe("T12: a question about a rewritten call", () => {
  test("is not answered by an earlier grant", async () => {
    const call = await approvals({
      [PRE]: [decides("early", PRE, "ask", preempt), says("p", PRE, { permissionDecision: "allow", updatedInput: rm })],
    });
    const { result, seen } = await call(ls, {
      policy: (_, times) => (times === 1 ? MODE_ASKS : GRANTED),
      user: "deny",
    });
    expect(seen.questions).toMatchObject([{ input: rm, rewritten: true }]);
    expect(result).toMatchObject({ outcome: "denied", source: "user_deny" });
  });
});
