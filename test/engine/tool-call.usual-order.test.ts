import { describe, expect, test } from "vitest";
import type { JsonObject, PolicyAnswer } from "../../src/index.ts";
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

const PRE = "PreToolUse";
const ls = { command: "ls" };
const rm = { command: "rm -rf /" };
const RULE_ASKS: PolicyAnswer = { decision: "ask", source: "rule", reason: "a rule wants a person" };
const permission = (decision: JsonObject): string =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } })}'`;

describe("a tool call of an agent that asks its hooks first", () => {
  test.each<[string | null, PolicyAnswer, string]>([
    ["deny", RULE_ALLOWS, "denied pre_tool_use_hook_deny"],
    ["allow", RULE_DENIES, "denied rule_deny"],
    ["ask", RULE_DENIES, "denied rule_deny"],
    ["allow", RULE_ASKS, "ran user_allow"],
    ["ask", RULE_ALLOWS, "ran user_allow"],
    ["ask", MODE_ALLOWS, "ran user_allow"],
    ["ask", GRANTED, "ran user_allow"],
    ["defer", MODE_ALLOWS, "ran user_allow"],
    ["allow", MODE_ASKS, "ran pre_tool_use_hook_allow"],
    [null, MODE_ASKS, "ran user_allow"],
    [null, MODE_ALLOWS, "ran yolo"],
    [null, RULE_ALLOWS, "ran rule_allow"],
  ])("whose hook answers %s, with the policy %j: %s", async (said, policy, expected) => {
    const call = await approvals(
      { [PRE]: [said === null ? shell("p", "true") : decides("p", PRE, said)] },
      "claude-code",
    );
    const { result, seen, runs } = await call(ls, { policy, user: "allow" });
    expect(`${result.outcome} ${result.source}`).toBe(expected);
    expect(result.asked).toBe(expected.endsWith("user_allow"));
    expect(seen.executed).toEqual(result.outcome === "ran" ? [ls] : []);
    expect(runs).toEqual(["p"]);
  });

  test("has its rewritten input judged by the guard again and by the policy once", async () => {
    const call = await approvals(
      { ToolGuard: [shell("g", "true")], [PRE]: [says("p", PRE, { permissionDecision: "allow", updatedInput: rm })] },
      "claude-code",
    );
    const { runs, seen } = await call(ls, { policy: RULE_DENIES });
    expect(runs).toEqual(["g", "p", "g"]);
    expect(seen.policy).toMatchObject([{ input: rm, rewritten: true }]);
    expect(seen.executed).toEqual([]);
  });

  test("asks transform, guard, preempt lane and rules before the policy, and once more after a rewrite", async () => {
    const [t, g, e, p] = [
      shell("t", "true"),
      shell("g", "true"),
      shell("e", "true", { lane: "preempt" }),
      shell("p", "true"),
    ];
    const changes = shell("pr", permission({ behavior: "allow", updatedInput: rm }));
    const hooks = { ToolInputTransform: [t], ToolGuard: [g], [PRE]: [e, p], PermissionRequest: [changes] };
    const { result, runs, seen } = await (await approvals(hooks, "claude-code"))(ls, { policy: MODE_ASKS });
    expect(runs).toEqual(["t", "g", "e", "p", "pr", "g", "e", "p"]);
    expect(seen.policy.map(({ rewritten }) => rewritten)).toEqual([false, true]);
    expect(result.outcome).toBe("ran");
  });

  test("is refused by the first in this order that refuses, and later ones are not asked", async () => {
    const refusing = (name: string, more: JsonObject = {}) => shell(name, "exit 2", more);
    const guard = refusing("g");
    const early = refusing("e", { lane: "preempt" });
    for (const [hooks, runs] of [
      [{ ToolGuard: [guard], [PRE]: [early] }, ["g"]],
      [{ [PRE]: [early, refusing("p")] }, ["e"]],
    ] as const) {
      const outcome = await (await approvals(hooks, "claude-code"))(ls, { policy: RULE_DENIES });
      expect(outcome.runs).toEqual(runs);
      expect(outcome.seen.policy).toEqual([]);
    }
  });

  test.each([
    ["as it was granted", shell("p", "true"), "ran grant_allow"],
    ["with another input", rewrites("p", PRE, rm), "denied user_deny"],
  ])("about which the preempt lane has doubts, %s: %s", async (_, hook, expected) => {
    const doubt = decides("e", PRE, "ask", { lane: "preempt" });
    const { result } = await (await approvals({ [PRE]: [doubt, hook] }, "claude-code"))(ls, {
      policy: GRANTED,
      user: "deny",
    });
    expect(`${result.outcome} ${result.source}`).toBe(expected);
  });

  test("whose rewrite guard and policy would both refuse is refused by the guard", async () => {
    const guard = shell("g", `grep -q 'rm -rf' "$KEPT" && exit 2 || true`);
    const changes = shell("pr", permission({ behavior: "allow", updatedInput: rm }));
    const call = await approvals({ ToolGuard: [guard], PermissionRequest: [changes] }, "claude-code");
    const { result, seen } = await call(ls, { policy: (_, times) => (times === 1 ? MODE_ASKS : RULE_DENIES) });
    expect(result).toMatchObject({ outcome: "denied", source: "tool_guard_deny" });
    expect(seen.policy).toHaveLength(1);
  });

  test("may be permitted by a permission rule instead of the user", async () => {
    const allows = shell(
      "pr",
      permission({ behavior: "allow", updatedPermissions: [{ type: "setMode", mode: "plan" }] }),
    );
    const call = await approvals({ PermissionRequest: [allows] }, "claude-code");
    const { result, seen } = await call(ls, { policy: MODE_ASKS, user: "deny" });
    expect(result).toMatchObject({ outcome: "ran", source: "permission_request_hook_allow", asked: false });
    expect(seen.grants).toMatchObject([{ by: "permission-request", updatedPermissions: [{ type: "setMode" }] }]);
  });

  test("may be refused by a permission rule", async () => {
    const call = await approvals(
      { PermissionRequest: [shell("pr", permission({ behavior: "deny", message: "not now" }))] },
      "claude-code",
    );
    expect((await call(ls, { policy: MODE_ASKS, user: "allow" })).result).toMatchObject({
      outcome: "denied",
      source: "permission_request_hook_deny",
      reason: "pr: not now",
    });
  });

  test.each<[PolicyAnswer, string]>([
    [RULE_DENIES, "rule_deny"],
    [RULE_ASKS, "user_deny"],
    [MODE_ASKS, "permission_request_hook_allow"],
  ])("is judged by the policy again if a permission rule changes it: %j", async (second, source) => {
    const call = await approvals(
      { PermissionRequest: [shell("pr", permission({ behavior: "allow", updatedInput: rm }))] },
      "claude-code",
    );
    const { result, seen } = await call(ls, { policy: (_, times) => (times === 1 ? MODE_ASKS : second), user: "deny" });
    expect(result.source).toBe(source);
    expect(seen.executed).toEqual(source.endsWith("allow") ? [rm] : []);
  });

  describe("whose input a permission rule has changed", () => {
    const changes = shell("pr", permission({ behavior: "allow", updatedInput: rm }));
    const whereChanged = (specific: JsonObject): string =>
      `grep -q 'rm -rf' "$KEPT" && echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: PRE, ...specific } })}' || true`;

    test("is refused if a rule that judged it before refuses it now", async () => {
      const guard = shell("p", whereChanged({ permissionDecision: "deny", permissionDecisionReason: "no rm" }));
      const call = await approvals({ [PRE]: [guard], PermissionRequest: [changes] }, "claude-code");
      const { result, seen, runs } = await call(ls, { policy: MODE_ASKS, user: "allow" });
      expect(result).toMatchObject({ outcome: "denied", source: "pre_tool_use_hook_deny", reason: "p: no rm" });
      expect(seen.executed).toEqual([]);
      expect(runs).toEqual(["p", "pr", "p"]);
    });

    test("is put to the user if such a rule has doubts", async () => {
      const guard = shell("p", whereChanged({ permissionDecision: "ask" }));
      const call = await approvals({ [PRE]: [guard], PermissionRequest: [changes] }, "claude-code");
      const { result } = await call(ls, { policy: MODE_ASKS, user: "deny" });
      expect(result).toMatchObject({ outcome: "denied", source: "user_deny", asked: true });
    });

    test("is refused if such a rule would change it once more", async () => {
      const guard = shell("p", whereChanged({ updatedInput: ls }));
      const call = await approvals({ [PRE]: [guard], PermissionRequest: [changes] }, "claude-code");
      const { result, seen } = await call(ls, { policy: MODE_ASKS, user: "allow" });
      expect(result).toMatchObject({ outcome: "denied", source: "pre_tool_use_hook_deny" });
      expect(seen.executed).toEqual([]);
    });

    test("runs with the permission rule's label if such a rule permits it, too", async () => {
      const guard = shell("p", whereChanged({ permissionDecision: "allow" }));
      const call = await approvals({ [PRE]: [guard], PermissionRequest: [changes] }, "claude-code");
      const { result, seen } = await call(ls, { policy: MODE_ASKS, user: "deny" });
      expect(result).toMatchObject({ outcome: "ran", source: "permission_request_hook_allow" });
      expect(seen.executed).toEqual([rm]);
    });
  });

  test("is not asked about if no permission is open", async () => {
    const call = await approvals({ PermissionRequest: [shell("pr", "exit 2")] }, "claude-code");
    const { runs } = await call(ls, { policy: RULE_ALLOWS });
    expect(runs).toEqual([]);
  });

  test("passes the response through rules that change it, and then to observers", async () => {
    const call = await approvals(
      {
        ToolResponseTransform: [says("out", "ToolResponseTransform", { updatedToolOutput: "shorter" })],
        PostToolUse: [says("after", "PostToolUse", { additionalContext: "mind the tests" })],
        PostToolUseFailure: [shell("failed", "true")],
        ToolApprovalDecision: [shell("decided", "true")],
      },
      "claude-code",
    );
    const { result, runs, payloadOf } = await call(ls, { policy: MODE_ALLOWS, output: "a long text" });
    expect(runs).toEqual(["decided", "out", "after"]);
    expect(result).toMatchObject({ output: "shorter", contexts: ["mind the tests"] });
    expect(payloadOf("after")).toMatchObject({ tool_response: "shorter", tool_input: ls, tool_use_id: "t1" });
    expect(payloadOf("decided")).toMatchObject({ approval_decision: "allow", approval_source: "yolo" });
  });

  test("reports the tool's exception to observers of failures", async () => {
    const call = await approvals(
      { PostToolUse: [shell("after", "true")], PostToolUseFailure: [shell("failed", "true")] },
      "claude-code",
    );
    const execute = (): never => {
      throw new Error("disk full");
    };
    const { result, runs, payloadOf } = await call(ls, { policy: MODE_ALLOWS, host: { execute } });
    expect(result).toMatchObject({ outcome: "failed", executed: true, error: "disk full", output: null });
    expect(runs).toEqual(["failed"]);
    expect(payloadOf("failed")).toMatchObject({ error: "disk full" });
  });

  test("ends if a rule stops the agent", async () => {
    const call = await approvals(
      { [PRE]: [shell("p", `echo '{"continue":false,"stopReason":"enough"}'`)] },
      "claude-code",
    );
    const { result } = await call(ls, { policy: MODE_ALLOWS });
    expect(result).toMatchObject({ outcome: "denied", continue: false, stopReason: "p: enough" });
  });

  test("is decided before the tool receives it, with a transform's changes", async () => {
    const call = await approvals({ ToolInputTransform: [rewrites("t", "ToolInputTransform", ls)] }, "claude-code");
    const { result } = await call(rm, { policy: MODE_ALLOWS });
    expect(result.input).toEqual(ls);
  });
});
