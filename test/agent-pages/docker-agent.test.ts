import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test as each, expect, describe as group, onTestFinished, vi } from "vitest";
import type { Rule } from "../../src/rule.ts";
import { writtenIn } from "../config/config-files.ts";
import { example, exampleJson, hasJq, openShop, shell, specific } from "./docker-agent-examples.ts";

/** Skipped without jq, because half of the examples need it; `.ci/run` installs it. */
const [describe, test] = hasJq ? [group, each] : [group.skip, each.skip];

/** Each example of docker-agent's page has one of ours here, with the same structure, which does what the page says. */

test("an agent's file with hooks at seven events asks each at its own", async () => {
  const shop = await openShop("configuration.yaml");
  expect(shop.engine.problems).toEqual([]);
  expect(writtenIn(shop.engine.rules).map(({ event, matcher, timeoutMs }) => [event, matcher, timeoutMs])).toEqual([
    ["PreToolUse", "shell|edit_file", 20_000],
    ["PostToolUse", "*", 60_000],
    ["SessionStart", undefined, 60_000],
    ["SessionEnd", undefined, 60_000],
    ["UserInput", undefined, 60_000],
    ["Stop", undefined, 60_000],
    ["Notification", undefined, 60_000],
  ]);
  for (const name of ["session_start", "on_user_input", "stop", "notification", "session_end"]) await shop.fire(name);
  expect(shop.read("notes.txt")).toBe("opened\nwaiting\nanswered\ntrouble\nclosed\n");
});

test("a script that validates refuses what it is for, and allows the rest", async () => {
  const shop = await openShop("configuration.yaml");
  // Exit code 2 counts, and the printed reason with it.
  const refused = await shop.fire("pre_tool_use", exampleJson("input.json"));
  expect(refused.verdict.decision).toBe("deny");
  expect(specific(refused)).toMatchObject({ hook_event_name: "pre_tool_use", permission_decision: "deny" });
  const { reason } = JSON.parse(/{.*"reason".*}/.exec(shop.read("scripts/validate-command.sh"))?.[0] ?? "");
  expect(refused.verdict.reason).toBe(`configuration.yaml pre_tool_use #1: ${reason}`);
  for (const cmd of ["ls", "echo doas"]) {
    expect(await shop.fire("pre_tool_use", shell(cmd))).toMatchObject({ exitCode: 0, json: undefined });
  }
  expect((await shop.fire("pre_tool_use", shell("doas reboot"))).verdict.decision).toBe("deny");
  const edit = { tool_name: "edit_file", tool_input: { path: "a", cmd: "doas" } };
  expect((await shop.fire("pre_tool_use", edit)).json).toBeUndefined();
});

test("a script that logs writes a line for each call, and stops nothing", async () => {
  const shop = await openShop("configuration.yaml");
  const call = { ...shell("ls"), tool_response: "a b", tool_error: false };
  for (const tool_name of ["shell", "mcp__stock_count"]) {
    expect(await shop.fire("post_tool_use", { ...call, tool_name })).toMatchObject({ exitCode: 0, json: undefined });
  }
  expect(shop.read("calls.txt").replaceAll(/^.{16} /gm, "")).toBe("till-4 used shell\ntill-4 used mcp__stock_count\n");
});

/** Files with hooks that are not commands: each with its event, its type, and the function or model that it names. */
const OTHERS: Readonly<Record<string, readonly (readonly [event: string, type: string, name: string])[]>> = {
  "builtins.yaml": [
    ["TurnStart", "builtin", "add_date"],
    ["TurnStart", "builtin", "add_prompt_files STOCK.md STYLE.md"],
    ["SessionStart", "builtin", "add_environment_info"],
    ["BeforeModelCall", "builtin", "max_iterations 12"],
  ],
  "snapshot-hooks.yaml": ["TurnStart", "TurnEnd", "SessionEnd"].map((event) => [event, "builtin", "snapshot"] as const),
  "snapshot-setting.yaml": ["SessionStart", "TurnStart", "TurnEnd", "SessionEnd"].map(
    (event) => [event, "builtin", "snapshot"] as const,
  ),
  "judge.yaml": [["PreToolUse", "model", "openai/gpt-4o-mini"]],
};

function namedBy({ handler }: Rule): string {
  if (handler.type === "builtin") return [handler.name, ...handler.args].join(" ");
  return handler.type === "model" ? (handler.model ?? "") : handler.type;
}

describe("an example of hooks that are not commands", () => {
  test.each(Object.entries(OTHERS))("is read as %s has it", async (file, hooks) => {
    vi.stubEnv("OPENAI_API_KEY", "a-key");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { engine } = await openShop(file);
    expect(engine.rules.map((rule) => [rule.event, rule.handler.type, namedBy(rule)])).toEqual(hooks);
    expect(engine.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("has a judge with the page's fields, its prompt and its timeout", async () => {
    const { engine } = await openShop("judge.yaml");
    expect(engine.rules).toMatchObject([{ matcher: "shell|edit_file|mcp:.*", timeoutMs: 12_000 }]);
    expect(engine.rules[0]?.handler).toMatchObject({
      answer: "decision",
      template: "go",
      prompt: expect.stringContaining("With: {{ .ToolInput | toJSON }}\n"),
    });
  });

  test("asks its guard before the permissions, and keeps its gates shut while no model is available", async () => {
    const guard = await openShop("preempt.yaml");
    expect(guard.engine.problems).toEqual([]);
    const verdictOn = async (command: string) => (await guard.fire("pre_tool_use", shell(command), "preempt")).verdict;
    expect(await verdictOn("ls")).toMatchObject({ decision: "none" });
    for (const command of ["rm -rf build", "docker volume rm a", "mkfs /dev/sda1", "make"])
      expect(await verdictOn(command)).toMatchObject({
        decision: "ask",
        reason: expect.stringContaining("safer_shell"),
      });
    vi.stubEnv("OPENAI_API_KEY", "");
    onTestFinished(() => void vi.unstubAllEnvs());
    const judge = await openShop("judge.yaml");
    for (const tool_name of ["shell", "edit_file", "mcp:stock"]) {
      const { verdict } = await judge.fire("pre_tool_use", { ...shell("ls"), tool_name });
      expect(verdict).toMatchObject({ decision: "deny", rules: [{ failure: { kind: "unavailable" } }] });
    }
    expect((await judge.fire("pre_tool_use", { ...shell("ls"), tool_name: "think" })).verdict.decision).toBe("none");
  });

  test("reads the hooks of the named agent, if two have some", async () => {
    for (const agent of ["counter", "storeroom"]) {
      const { engine, fire } = await openShop("unload.yaml", { agent });
      expect(writtenIn(engine.rules)).toMatchObject([{ event: "AgentSwitch", handler: { name: "unload" } }]);
      const fields = { from_agent: "counter", to_agent: "storeroom", agent_switch_kind: "handoff" };
      expect((await fire("on_agent_switch", fields)).verdict).toMatchObject({ decision: "none" });
    }
    const both = await openShop("unload.yaml");
    expect(both.engine.problems).toEqual([]);
    for (const from of ["counter", "storeroom"]) {
      const { verdict } = await both.fire("on_agent_switch", { from_agent: from, agent_switch_kind: "handoff" });
      expect(verdict.rules).toMatchObject([{ rule: "unload", outcome: "success" }]);
    }
  });
});

test("cutting long results is added to an agent's file, at the two events of the page, without being configured", async () => {
  const { engine } = await openShop("configuration.yaml");
  const added = engine.rules.filter(({ implied }) => implied === true);
  expect(added.map((rule) => [rule.event, namedBy(rule)])).toEqual([
    ["ToolResponseTransform", "limit_large_tool_results"],
    ["SessionEnd", "limit_large_tool_results"],
  ]);
});

test("the payload of the page reaches a hook unchanged, with the fields of its event", async () => {
  const shop = await openShop("hooks:\n  pre_tool_use:\n    hooks: { type: command, command: cat > seen.json }\n");
  await shop.fire("pre_tool_use", { ...exampleJson("input.json"), cwd: shop.folder });
  expect(JSON.parse(shop.read("seen.json"))).toEqual({ ...exampleJson("input.json"), cwd: shop.folder });
});

test("the whole output object is read: a refusal overrides a permission, and every text is kept", async () => {
  const shop = await openShop("hooks:\n  pre_tool_use:\n    hooks: { type: command, command: cat output.json }\n");
  const { verdict } = await shop.fire("pre_tool_use", shell("cat orders.csv"));
  expect(verdict).toMatchObject({
    decision: "deny",
    reason: expect.stringMatching(/ pre_tool_use #1: Ask at the counter$/),
    systemMessage: "Somebody is at the till",
  });
  const { decision: _, reason: __, ...permits } = exampleJson("output.json");
  writeFileSync(join(shop.folder, "output.json"), JSON.stringify(permits));
  const allowed = await shop.fire("pre_tool_use", shell("cat orders.csv"));
  expect(specific(allowed)).toEqual({
    hook_event_name: "pre_tool_use",
    permission_decision: "allow",
    permission_decision_reason: expect.stringMatching(/Only looks$/),
    updated_input: { cmd: "ls data", cwd: "." },
  });
});

test("a summary that a hook gives is used; a veto is one too", async () => {
  const at = (command: string) => `hooks:\n  before_compaction:\n    - { type: command, command: ${command} }\n`;
  const fields = { input_tokens: 9, output_tokens: 1, context_limit: 0, compaction_reason: "threshold" };
  const given = await (await openShop(at("cat compaction-summary.json"))).fire("before_compaction", fields);
  expect(given.json).toEqual(exampleJson("compaction-summary.json"));
  for (const veto of [`'echo "{\\"decision\\":\\"block\\"}"'`, "exit 2"]) {
    expect((await (await openShop(at(veto))).fire("before_compaction", fields)).json).toMatchObject({
      decision: "block",
    });
  }
});

test("a hook before the permissions denies, asks with its annotations, advises, has no opinion, and fails closed", async () => {
  const shop = await openShop("preempt-command.yaml");
  const said = async (cmd: string) => (await shop.fire("pre_tool_use", shell(cmd), "preempt")).verdict;
  expect(await said("shred x")).toMatchObject({ decision: "deny", reason: expect.stringContaining("never shredded") });
  expect(await said("mv a b")).toMatchObject({
    decision: "ask",
    metadata: { blast_radius: "medium", category: "fs-modify", reason: "moves stock" },
  });
  expect((await said("ls")).decision).toBe("allow");
  expect((await said("make")).decision).toBe("none");
  expect((await said("crash")).decision).toBe("deny");
});

test("a hook has its name, timeout, folder and variables, and only warns if it fails", async () => {
  const shop = await openShop("options.yaml");
  expect(shop.engine.rules).toMatchObject([{ name: "weigh the output", timeoutMs: 90_000, onFailure: "continue" }]);
  mkdirSync(join(shop.folder, "scales"));
  writeFileSync(join(shop.folder, "scales/weigh.sh"), "#!/bin/sh\ncat >/dev/null; echo $UNIT > weighed\n", {
    mode: 0o755,
  });
  const call = { ...shell("ls"), tool_response: "a", tool_error: false };
  expect((await shop.fire("post_tool_use", call)).json).toBeUndefined();
  expect(shop.read("scales/weighed")).toBe("bytes\n");
  writeFileSync(join(shop.folder, "scales/weigh.sh"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
  const failed = await shop.fire("post_tool_use", call);
  expect(failed.verdict).toMatchObject({ decision: "none", continue: true });
  expect(failed.json?.["system_message"]).toContain("weigh the output");
});

test("a session's start adds text that stays, and its end is logged with its reason", async () => {
  const shop = await openShop("session.yaml");
  const { json } = await shop.fire("session_start", { source: "startup" });
  expect(json).toMatchObject({ hook_specific_output: { additional_context: "The shop is open." } });
  expect((await shop.fire("session_end", { reason: "logout" })).json).toBeUndefined();
  const told = shop.read("doorbell.txt").replaceAll(/\d\d:\d\d/g, "noon");
  expect(told).toBe("till-4 came in at noon\ntill-4 went out (logout) at noon\n");
});

test("the model's answer is measured at stop", async () => {
  const shop = await openShop("responses.yaml");
  await shop.fire("stop", { agent_name: "root", stop_response: "All counted", last_user_message: "Count" });
  expect(shop.read("talk.txt")).toBe("till-4 was told 12 letters\n");
});

test("errors are logged with their kind", async () => {
  const shop = await openShop("notifications.yaml");
  await shop.fire("notification", { notification_level: "error", notification_message: "no model answers" });
  await shop.fire("notification", { notification_level: "warning", notification_message: "20 rounds" });
  // Separate events, which do not run this hook.
  await shop.fire("on_error", { notification_level: "error", notification_message: "no model answers" });
  expect(shop.read("bell.txt")).toBe("[error] no model answers\n[warning] 20 rounds\n");
});

test("a new worktree is prepared in its own folder, or the run is cancelled", async () => {
  const shop = await openShop("worktree.yaml");
  const source = join(shop.folder, "source");
  const tree = join(shop.folder, "tree");
  for (const folder of [source, tree]) mkdirSync(folder);
  writeFileSync(join(source, "till.key"), "secret");
  const fields = { cwd: tree, worktree_path: tree, worktree_branch: "b", worktree_source_dir: source };
  const ready = await shop.fire("worktree_create", fields);
  expect(shop.read("tree/till.key")).toBe("secret");
  expect(ready.verdict).toMatchObject({ decision: "none", additionalContext: "The key is on its hook" });
  expect(shop.engine.rules.map(({ name, timeoutMs }) => [name, timeoutMs])).toEqual([
    ["bring the key", 60_000],
    ["put up the shelves", 300_000],
  ]);
  writeFileSync(join(tree, "shelves.sh"), "exit 1\n");
  expect((await shop.fire("worktree_create", fields)).json).toMatchObject({ decision: "block" });
});

test("messages while the agent works are logged, and answered with a text to the model", async () => {
  const shop = await openShop("steering.yaml");
  const { json } = await shop.fire("user_steering_messages_submit", { steering_messages: ["Wait", "Count twice"] });
  expect(shop.read("counter.txt")).toBe("Wait\nCount twice\n");
  expect(json).toMatchObject({ hook_specific_output: { additional_context: "A customer spoke up: listen first." } });
  expect((await shop.fire("user_steering_messages_submit", { steering_messages: [] })).json).toBeUndefined();
});

test("a message that was stored for later is logged when it is used", async () => {
  const shop = await openShop("followup.yaml");
  expect((await shop.fire("user_followup_submit", { prompt: "Then the cellar" })).json).toBeUndefined();
  expect(shop.read("errands.txt")).toBe("Then the cellar\n");
});

test("a permission is given to calls that only read, and anything else is left to the user", async () => {
  const shop = await openShop("permission.yaml");
  expect(specific(await shop.fire("permission_request", shell("wc -l a")))).toEqual({
    hook_event_name: "permission_request",
    permission_decision: "allow",
    permission_decision_reason: expect.stringMatching(/only counts$/),
  });
  expect((await shop.fire("permission_request", shell("mv a b"))).json).toBeUndefined();
});

test("a question to the user contains a hook's text about the call", async () => {
  const shop = await openShop("permission-metadata.yaml");
  expect(specific(await shop.fire("permission_request", shell("mv a b")))).toEqual({
    hook_event_name: "permission_request",
    metadata: { care: "some", tip: "moves stock about" },
  });
  const other =
    '\n        - type: command\n          command: echo \'{"hook_specific_output":{"metadata":{"care":"much"}}}\'\n';
  const both = await openShop(example("permission-metadata.yaml").trimEnd() + other);
  expect((await both.fire("permission_request", shell("mv a b"))).verdict.metadata).toEqual({
    care: "much",
    tip: "moves stock about",
  });
});
