import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { patienceFor } from "../../src/engine/event-deadline.ts";
import { createEngine, type Engine, type EngineOptions } from "../../src/engine.ts";
import type { Layer } from "../../src/layer-trust.ts";
import type { HookFunction, Rule } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";
import { bash } from "./fake-hooks.ts";

/** Rules of a program or of the user, and project files that try to override, silence or starve them. */

type Files = readonly (readonly [layer: Layer, value: object])[];

async function engineWith(files: Files, options: EngineOptions = {}): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-engine-trust-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const configFiles = files.map(([layer, value], index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, JSON.stringify(value));
    return { file, layer };
  });
  const engine = await createEngine({ configFiles, sandbox: { threads: 1 }, cacheDir: false, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

const at = (event: string, ...hooks: readonly object[]): object => ({ hooks: { [event]: [{ hooks }] } });
const says = (event: string, fields: object, more: object = {}): object => ({
  type: "command",
  command: `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`,
  ...more,
});
const deny: HookFunction = () => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" },
});
const registered = { event: "PreToolUse", type: "function", run: deny, name: "mine" } as const;

describe("a rule that a program registers", () => {
  test.each<[string, object]>([
    ["disableAllHooks", { disableAllHooks: true }],
    ["defaults.event.patienceMs", { defaults: { event: { patienceMs: 1 } } }],
    ["defaults.command.timeoutMs", { defaults: { command: { timeoutMs: 1 } } }],
  ])("is not weakened by %s of a project's file, which is reported", async (key, settings) => {
    const engine = await engineWith([["project", settings]]);
    const slow: HookFunction = (event, context) =>
      new Promise((resolve) => setTimeout(() => resolve(deny(event, context) as never), 60));
    const dispose = await engine.register([{ ...registered, run: slow, onFailure: "continue" }]);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");
    const pointer = `/${key.replaceAll(".", "/")}`;
    expect(engine.problems).toMatchObject([{ code: "HOOK_CONFIG_SCOPE", severity: "warning", place: { pointer } }]);
    dispose();
    expect(engine.problems).toEqual([]);
  });

  test("is switched off by files that are as trusted as the program", async () => {
    const engine = await engineWith([["user", { disableAllHooks: true }]]);
    await engine.register([registered]);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("none");
  });
});

describe("the more trusted one of two rewrites counts", () => {
  test("if rules run in parallel", async () => {
    const engine = await engineWith([
      ["user", at("PreToolUse", says("PreToolUse", { updatedInput: { command: "mine" } }, { name: "mine" }))],
      ["project", at("PreToolUse", says("PreToolUse", { updatedInput: { command: "theirs" } }, { priority: 5 }))],
      ["local", at("PreToolUse", says("PreToolUse", { updatedInput: { command: "theirs" } }))],
    ]);
    const { rules } = await engine.dispatch("PreToolUse", bash("ls"));
    const first = rules.filter(({ look }) => look === "first").map(({ rule, dropped }) => [rule, dropped]);
    expect(first.find(([rule]) => rule === "mine")).toEqual(["mine", []]);
    expect(first.flatMap(([, dropped]) => dropped)).toEqual(
      Array(2).fill('updatedInput: the value of "mine" counts instead'),
    );
  });

  test("for an output without a second look", async () => {
    const output = (text: string) => says("PostToolUse", { updatedToolOutput: text });
    const engine = await engineWith([
      ["user", at("PostToolUse", output("redacted"))],
      ["project", at("PostToolUse", output("the secret"))],
    ]);
    const event = { ...bash("ls"), tool_response: "all" };
    expect((await engine.dispatch("PostToolUse", event)).updatedOutput).toBe("redacted");
  });

  test("if rules run one after another", async () => {
    const output = (text: string) => says("ToolResponseTransform", { updatedToolOutput: text });
    const engine = await engineWith([
      ["project", at("ToolResponseTransform", { ...output("theirs, first"), priority: 5 }, output("theirs, last"))],
      ["user", at("ToolResponseTransform", output("redacted"))],
    ]);
    const event = { ...bash("ls"), tool_response: "all" };
    const { updatedOutput, rules } = await engine.dispatch("ToolResponseTransform", event);
    expect(updatedOutput).toBe("redacted");
    expect(rules.at(-1)?.dropped).toEqual([expect.stringMatching(/^updatedOutput: the value of ".*" counts instead$/)]);
  });
});

describe("a project's rules do not use up the capacity of others", () => {
  test("in the background", async () => {
    const sleeping = (name: string) => ({ type: "command", command: "sleep 5", async: true, name });
    const ends: string[] = [];
    const engine = await engineWith(
      [
        ["project", at("Stop", sleeping("one"), sleeping("two"), sleeping("three"))],
        ["user", at("Stop", { type: "command", command: "true", async: true, name: "mine" })],
      ],
      { maxBackground: 2, onBackgroundEnd: ({ rule, outcome }) => void ends.push(`${rule} ${outcome.status}`) },
    );
    const stop = { session_id: "s", stop_hook_active: false };
    await engine.dispatch("Stop", stop);
    await engine.dispatch("Stop", stop);
    await expect.poll(() => ends.filter((end) => end === "mine abstained").length).toBe(2);
    expect(engine.background).toMatchObject({ running: 2, dropped: 4 });
    expect(new Set(ends)).toEqual(new Set(["mine abstained", "one failed", "two failed", "three failed"]));
    await engine.close({ backgroundMs: 0 });
  });

  test("in the queue for threads", async () => {
    const guard = { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 };
    const many = Array.from({ length: 40 }, (_, index) => ({ ...guard, name: `theirs ${index}`, priority: 1_000 }));
    const engine = await engineWith(
      [
        ["project", at("PreToolUse", ...many)],
        ["user", at("PreToolUse", { ...guard, name: "mine", onFailure: "continue" })],
      ],
      { sandbox: { threads: 1, maxQueue: 2 } },
    );
    const verdicts = await Promise.all([1, 2].map(() => engine.dispatch("PreToolUse", bash("rm -rf /"))));
    for (const { rules } of verdicts)
      expect(rules.find(({ rule }) => rule === "mine")).toMatchObject({ status: "decided", decision: "deny" });
    const theirs = verdicts.flatMap(({ rules }) => rules.filter(({ rule }) => rule !== "mine"));
    expect(theirs.some(({ failure }) => failure?.kind === "unavailable")).toBe(true);
  });

  test("in the time of an event whose rules run one after another", async () => {
    const theirs = [30, 31, 32].map((seconds) => ({ type: "command", command: `sleep ${seconds}`, priority: 9 }));
    const engine = await engineWith([
      ["project", at("ToolInputTransform", ...theirs)],
      ["user", at("ToolInputTransform", { type: "command", name: "mine", command: "true", onFailure: "continue" })],
    ]);
    const { rules } = await engine.dispatch("ToolInputTransform", bash("ls"), { patienceMs: 3_000 });
    expect(rules.map(({ rule, status }) => [rule, status]).at(-1)).toEqual(["mine", "abstained"]);
    expect(rules.slice(0, 3).map(({ failure }) => failure?.kind)).toEqual(["timeout", "timeout", "timeout"]);
    // Half of the 2,500 ms, minus the time to start the event.
    for (const { failure } of rules.slice(0, 3)) {
      const [, delivery, others] =
        /^no answer within the event's patience of 3000 ms less (\d+) ms for delivering the verdict and (\d+) ms for more trusted rules behind it: /.exec(
          failure?.message ?? "",
        ) ?? [];
      expect({ delivery, sum: Number(others) + (failure?.limit ?? 0) }).toEqual({ delivery: "500", sum: 2_500 });
    }
  });
});

test("a project's rule does not lengthen the patience of an event with a more trusted rule", () => {
  const rule = (layer: Layer, timeoutMs: number) => makeRule({ layer, timeoutMs });
  const patience = (...rules: Rule[]) => patienceFor(rules, 0, undefined, 1_000).patienceMs;
  const alone = patience(rule("user", 5_000));
  expect(patience(rule("user", 5_000), rule("project", 80_000_000), rule("local", 80_000_000))).toBe(alone);
  expect(patience(rule("project", 80_000_000))).toBeGreaterThan(80_000_000);
});

test("a field that only one rule can fill is filled by the more trusted one", async () => {
  const watching = (path: string) => says("SessionStart", { watchPaths: [path] });
  const engine = await engineWith([
    ["user", at("SessionStart", watching("/mine"))],
    ["project", at("SessionStart", watching("/theirs"))],
  ]);
  const { specific } = await engine.dispatch("SessionStart", { session_id: "s", source: "startup" });
  expect(specific).toEqual({ watchPaths: ["/mine"] });
});
