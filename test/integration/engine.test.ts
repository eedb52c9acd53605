import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import {
  createEngine,
  type Engine,
  type EngineOptions,
  HookError,
  type JsonObject,
  type Verdict,
} from "../../src/index.ts";
import { ABSENT } from "../helpers/folders.ts";

const engines: Engine[] = [];

async function engineFor(hooks: unknown, options: EngineOptions = {}): Promise<Engine> {
  const engine = await createEngine({ config: { hooks }, sandbox: { threads: 1 }, ...options });
  engines.push(engine);
  return engine;
}

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

const bash = (command: string): JsonObject => ({ session_id: "s", tool_name: "Bash", tool_input: { command } });
const says = (specific: object): string =>
  `cat >/dev/null; echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...specific } })}'`;
const command = (line: string, more: object = {}): object => ({ type: "command", command: line, ...more });
const pre = (...hooks: object[]): object => ({ PreToolUse: [{ matcher: "Bash", hooks }] });
const statuses = (verdict: Verdict): string[] =>
  verdict.rules.map((rule) => `${rule.rule} ${rule.look} ${rule.status}`);

describe("an engine", () => {
  test("answers with no opinion if no rule applies", async () => {
    const engine = await engineFor(pre(command("exit 2")));
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Read", tool_input: {} });
    expect(verdict).toMatchObject({ event: "PreToolUse", decision: "none", continue: true, rules: [], problems: [] });
  });

  test("lets a denial override permissions, with all reasons in the order of the rules", async () => {
    const engine = await engineFor(
      pre(
        command(`sleep 0.2; ${says({ permissionDecision: "deny", permissionDecisionReason: "slow no" })}`, {
          name: "slow",
        }),
        command(says({ permissionDecision: "allow" }), { name: "yes" }),
        command("echo 'quick no' >&2; exit 2", { name: "quick" }),
      ),
    );
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "deny", reason: "slow: slow no\nquick: quick no" });
  });

  test("runs rules by priority first and configuration order second", async () => {
    const engine = await engineFor(
      pre(command("true", { name: "c" }), command("true", { name: "a", priority: 5 }), command("true", { name: "d" })),
    );
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict.rules.map(({ rule }) => rule)).toEqual(["a", "c", "d"]);
  });

  test("records what a rule in monitor mode would have answered, without any effect", async () => {
    const engine = await engineFor(pre(command("echo no >&2; exit 2", { name: "watcher", mode: "monitor" })));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe("none");
    expect(verdict.rules[0]).toMatchObject({ mode: "monitor", decision: "deny", reason: "watcher: no" });
  });

  test("treats an imported hook's exit code 1 as its agent does, and its own rule's as a refusal", async () => {
    const own = await engineFor(pre(command("exit 1")));
    expect((await own.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");

    const folder = mkdtempSync(join(tmpdir(), "hookbox-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const settings = join(folder, "settings.json");
    writeFileSync(settings, JSON.stringify({ hooks: pre(command("exit 1")) }));
    const imported = await engineFor({}, { configFiles: [settings] });
    const verdict = await imported.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "none", rules: [{ status: "failed", onFailure: "continue" }] });
  });

  test("does not wait for an async rule, and ends it when it closes", async () => {
    const engine = await engineFor(pre(command("sleep 0.3; exit 2", { async: true })));
    const begun = performance.now();
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    const answered = performance.now() - begun;
    await engine.close();
    expect(verdict.decision).toBe("none");
    expect(answered).toBeLessThan(performance.now() - begun);
    expect(verdict.rules[0]).toMatchObject({ status: "abstained" });
  });

  test("reports a cancelled dispatch as cancelled, which is neither a denial nor a permission", async () => {
    const engine = await engineFor(
      pre(command("sleep 5", { name: "slow" }), command(says({ permissionDecision: "allow" }))),
    );
    const verdict = await engine.dispatch("PreToolUse", bash("ls"), { signal: AbortSignal.timeout(300) });
    expect(verdict).toMatchObject({ decision: "none", cancelled: true });
    expect(verdict.rules[0]?.failure?.kind).toBe("cancelled");
  });

  test("counts patience from the given start, and a rule's timeoutMs from the rule's own start", async () => {
    const engine = await engineFor(pre(command("sleep 1", { timeoutMs: 20_000 })));
    const startedAt = performance.now() - 30_000;
    expect((await engine.dispatch("PreToolUse", bash("ls"), { startedAt })).rules[0]?.failure).toBeNull();
    const verdict = await engine.dispatch("PreToolUse", bash("ls"), {
      startedAt: performance.now() - 8_900,
      patienceMs: 10_000,
    });
    expect(verdict.rules[0]?.failure).toMatchObject({ kind: "timeout", phase: "work", limit: 9_000 });
  });
});

describe("a rewrite", () => {
  const rewriter = (to: string): object => command(says({ updatedInput: { command: to } }), { name: "rewriter" });
  const refuses = (word: string, name: string): object =>
    command(`if grep -q '"command":"${word}'; then echo 'no ${word}' >&2; exit 2; fi`, { name });

  test("cannot move anything past a rule that judged the original", async () => {
    const engine = await engineFor(pre(refuses("rm", "no-rm"), rewriter("rm -rf x")));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "deny", updatedInput: null });
    expect(statuses(verdict)).toEqual(["no-rm first abstained", "rewriter first decided", "no-rm second decided"]);
  });

  test("without an objection is passed on", async () => {
    const engine = await engineFor(pre(refuses("rm", "no-rm"), rewriter("ls -l")));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "none", updatedInput: { command: "ls -l" } });
  });

  test("that changes nothing is not judged again", async () => {
    const engine = await engineFor(pre(refuses("rm", "no-rm"), rewriter("ls")));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(statuses(verdict)).toEqual(["no-rm first abstained", "rewriter first decided"]);
  });

  test("of a rewrite is a failure, and a failing rule of hookbox's own format denies", async () => {
    const other = command(says({ updatedInput: { command: "two" } }), { name: "other" });
    const engine = await engineFor(pre(other, rewriter("one")));
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict.decision).toBe("deny");
    expect(verdict.rules.at(-1)).toMatchObject({ rule: "other", look: "second", status: "failed" });
  });
});

describe("an invalid configuration", () => {
  test("does not reject, is listed, and closes the gate that it is for", async () => {
    const engine = await engineFor({
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "comand", command: "true" }, command("true")] }],
    });
    expect(engine.problems).toHaveLength(1);
    const verdict = await engine.dispatch("PreToolUse", bash("ls"));
    expect(verdict).toMatchObject({ decision: "deny", problems: [{ code: "HOOK_CONFIG_HANDLER" }] });
    expect(verdict.rules.map(({ status }) => status)).toEqual(["failed", "abstained"]);
    const elsewhere = await engine.dispatch("PreToolUse", { tool_name: "Read", tool_input: {} });
    expect(elsewhere.decision).toBe("none");
  });

  test("does not keep an agent from stopping", async () => {
    const engine = await engineFor({ Stop: [{ hooks: [{ type: "comand" }] }] });
    const verdict = await engine.dispatch("Stop", { stop_hook_active: false });
    expect(verdict.decision).toBe("none");
    expect(verdict.systemMessage).toContain("could not be loaded");
  });

  test("in a file that does not exist closes every gate", async () => {
    const engine = await createEngine({ configFiles: [`${ABSENT}/hookbox.json`] });
    engines.push(engine);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");
    expect((await engine.dispatch("UserPromptSubmit", { prompt: "hi" })).decision).toBe("block");
    expect((await engine.dispatch("Stop", {})).decision).toBe("none");
    expect((await engine.dispatch("PostToolUse", bash("ls"))).decision).toBe("none");
  });
});

describe("rules from code", () => {
  test("count until they are removed", async () => {
    const engine = await engineFor({});
    const dispose = await engine.register([
      { event: "PreToolUse", matcher: "Bash", type: "command", command: "exit 2" },
    ]);
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("deny");
    dispose();
    expect((await engine.dispatch("PreToolUse", bash("ls"))).decision).toBe("none");
  });

  test("that are invalid are rejected as a whole, with a code and the place", async () => {
    const engine = await engineFor({});
    const refused = engine.register([
      { event: "PreToolUse", type: "command", command: "true" },
      { event: "PreToolUse", type: "command", command: "true", timeoutMs: "soon" },
    ]);
    await expect(refused).rejects.toMatchObject({
      code: "HOOK_API_MISUSE",
      message: expect.stringContaining("timeoutMs"),
    });
    expect(engine.rules).toEqual([]);
  });
});

describe("misuse", () => {
  test.each([
    ["an unknown event", "PreTolUse", { tool_name: "Bash" }, "HOOK_EVENT_UNKNOWN"],
    ["a payload that is not an object", "PreToolUse", [] as never, "HOOK_PAYLOAD_INVALID"],
    ["a payload without the field that gates are judged by", "PreToolUse", { tool_input: {} }, "HOOK_PAYLOAD_INVALID"],
    [
      "a payload that names another event",
      "PreToolUse",
      { tool_name: "Bash", hook_event_name: "Stop" },
      "HOOK_PAYLOAD_INVALID",
    ],
  ])("%s is an error with a code", async (_, event, payload, code) => {
    const engine = await engineFor({});
    await expect(engine.dispatch(event, payload)).rejects.toThrow(HookError);
    await expect(engine.dispatch(event, payload)).rejects.toMatchObject({ code });
  });

  test("a closed engine answers nothing", async () => {
    const engine = await engineFor({});
    await engine.close();
    await expect(engine.dispatch("Stop", {})).rejects.toMatchObject({ code: "HOOK_ENGINE_CLOSED" });
  });
});
