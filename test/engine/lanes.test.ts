import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type JsonObject } from "../../src/index.ts";
import type { Reply } from "../../src/outcome.ts";
import { bash, engineOf, type FakeRule, failure } from "./fake-hooks.ts";

const AGENTS = ["claude-code", "docker-agent", "agentao", "autohand", "openclaw", "patterns", "hookbox"];

const preempt = { lane: "preempt" } as const;
const decides = (decision: NonNullable<Reply["decision"]>): Reply => ({ decision, reason: decision });

/** Returns a rule that records its name when it runs. */
function noting(runs: string[], name: string, reply: Reply = {}, more: Partial<FakeRule> = {}): FakeRule {
  return {
    name,
    hook: () => {
      runs.push(name);
      return reply;
    },
    ...more,
  };
}

describe.each(AGENTS)("an event of %s without a lane", (dialect) => {
  test("asks the preempt lane first, whatever rules come before it", async () => {
    const runs: string[] = [];
    const engine = engineOf([noting(runs, "usual"), noting(runs, "ahead", {}, preempt)], { dialect });
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(runs).toEqual(["ahead", "usual"]);
    expect(verdict.rules.map(({ rule }) => rule)).toEqual(["ahead", "usual"]);
  });

  test("asks no rule after a refusal of the preempt lane", async () => {
    for (const reply of [decides("deny"), { continue: false }]) {
      const runs: string[] = [];
      const engine = engineOf([noting(runs, "usual"), noting(runs, "ahead", reply, preempt)], { dialect });
      expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny" });
      expect(runs).toEqual(["ahead"]);
    }
  });

  test("sends async rules a call that the preempt lane refuses", async () => {
    const runs: string[] = [];
    const rules = [noting(runs, "audit", {}, { async: true }), noting(runs, "ahead", decides("deny"), preempt)];
    const engine = engineOf(rules, { dialect });
    expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny", reason: "ahead: deny" });
    await engine.close();
    expect(runs.sort()).toEqual(["ahead", "audit"]);
  });

  test("treats a permission of the preempt lane as advice", async () => {
    const engine = engineOf([noting([], "ahead", decides("allow"), preempt)], { dialect });
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "none", reason: null });
    expect(verdict.rules[0]?.dropped).toEqual(['decision "allow": a permission of the preempt lane is advice']);
  });

  test("counts a refusal after a question of the preempt lane", async () => {
    const ahead = noting([], "ahead", decides("ask"), preempt);
    const denies = engineOf([ahead, noting([], "usual", decides("deny"))], { dialect });
    expect(await denies.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny", reason: "usual: deny" });
    const allows = engineOf([ahead, noting([], "usual", decides("allow"))], { dialect });
    expect(await allows.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "ask", reason: "ahead: ask" });
  });

  test("asks the preempt lane again about an input that the default lane has rewritten", async () => {
    const shown: unknown[] = [];
    const ahead: FakeRule = {
      name: "ahead",
      ...preempt,
      hook: ({ payload, lane }) => {
        shown.push([lane, payload["tool_input"]]);
        return JSON.stringify(payload["tool_input"]).includes("rm") ? decides("deny") : {};
      },
    };
    const usual = noting([], "usual", { ...decides("allow"), updatedInput: { command: "rm" } });
    const engine = engineOf([usual, ahead], { dialect });
    expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "deny", updatedInput: null });
    expect(shown).toEqual([
      ["preempt", { command: "ls" }],
      ["preempt", { command: "rm" }],
    ]);
  });
});

test("a failure of the preempt lane that goes on lets the default lane decide", async () => {
  const ahead: FakeRule = { name: "ahead", ...preempt, onFailure: "continue", hook: () => failure("exit") };
  const engine = engineOf([ahead, noting([], "usual", decides("allow"))]);
  expect(await engine.dispatch("PreToolUse", bash("ls"))).toMatchObject({ decision: "allow" });
});

test("an event without lanes asks all its rules together, and a permission there counts", async () => {
  const runs: string[] = [];
  const rules = [noting(runs, "a"), noting(runs, "b", decides("allow"), preempt)];
  const engine = engineOf(rules.map((rule) => ({ ...rule, event: "PermissionRequest" })));
  expect(await engine.dispatch("PermissionRequest", bash("ls"))).toMatchObject({ decision: "allow" });
  expect(runs).toEqual(["a", "b"]);
});

test("a slow rule of a project's in the preempt lane leaves the user's rules their time", async () => {
  let left = 0;
  const rules: FakeRule[] = [
    { name: "slow", ...preempt, layer: "project", hook: () => new Promise<Reply>(() => {}) },
    {
      name: "own",
      layer: "user",
      hook: (_, { timeLeftMs }) => {
        left = timeLeftMs;
        return decides("deny");
      },
    },
  ];
  const engine = engineOf(rules.map((rule) => ({ ...rule, timeoutMs: 60_000, onFailure: "continue" as const })));
  const verdict = await engine.dispatch("PreToolUse", bash("ls"), { patienceMs: 3_000 });
  expect(verdict).toMatchObject({ decision: "deny", reason: "own: deny" });
  expect(left).toBeGreaterThan(200);
});

describe("command hooks", () => {
  const said = (specific: JsonObject): string => `cat >/dev/null; echo '${JSON.stringify(specific)}'`;

  test("of hookbox's own format rewrite nothing in the preempt lane, for any agent", async () => {
    const hook = {
      type: "command",
      lane: "preempt",
      command: said({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "rm" } } }),
    };
    for (const dialect of ["claude-code", "docker-agent"]) {
      const engine = await createEngine({ config: { hooks: { PreToolUse: [{ hooks: [hook] }] } }, dialect });
      onTestFinished(() => engine.close());
      const verdict = await engine.dispatch("PreToolUse", bash("ls"));
      expect(verdict).toMatchObject({ decision: "none", updatedInput: null });
      expect(verdict.rules[0]?.dropped.join()).toContain("updatedInput");
    }
  });

  test("of docker-agent are skipped by a tool call after a question, as on its page", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hookbox-lanes-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const asks = said({ hook_specific_output: { permission_decision: "ask", permission_decision_reason: "look" } });
    const config = {
      hooks: {
        pre_tool_use: [
          { hooks: [{ name: "usual", type: "command", command: "echo never >&2; exit 2" }] },
          { preempt_yolo: true, hooks: [{ name: "ahead", type: "command", command: asks }] },
        ],
      },
    };
    writeFileSync(join(folder, "agent.json"), JSON.stringify(config));
    writeFileSync(join(folder, "hookbox.json"), JSON.stringify({ compat: "faithful" }));
    const outcome = async (files: readonly string[], layer: "user" | "project") => {
      const engine = await createEngine({
        configFiles: [
          ...files.map((file) => ({ file, layer: "user" as const, dialect: "hookbox" })),
          { file: "agent.json", layer, dialect: "docker-agent" },
        ],
        cwd: folder,
        dialect: "docker-agent",
        cacheDir: false,
      });
      onTestFinished(() => engine.close());
      expect(engine.problems).toEqual([]);
      const call = { toolName: "Bash", input: { command: "ls" }, payload: { session_id: "s", cwd: folder } };
      const { source, asked } = await engine.toolCall(call, { execute: () => "done", askUser: () => "allow" });
      return { source, asked };
    };
    expect(await outcome([], "user")).toEqual({ source: "pre_tool_use_hook_deny", asked: false });
    expect(await outcome(["hookbox.json"], "user")).toEqual({ source: "user_allow", asked: true });
  });
});
