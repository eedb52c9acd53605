import { describe, expect, test } from "vitest";
import { BUILTIN_DEFAULTS } from "../../src/config/layered-settings.ts";
import { EVENT_NAMES, isEventOf } from "../../src/events/lookup.ts";
import { LAYERS } from "../../src/layer-trust.ts";
import { ANSWERS } from "../../src/rule.ts";
import { FORMATS, parse, parseHandler } from "./parse.ts";

const command = (fields: object = {}) => ({ type: "command", command: "a", ...fields });
const wasm = (fields: object = {}) => ({ type: "wasm", module: "./a.wasm", ...fields });

describe("the timeout of a hook", () => {
  test.each(FORMATS)("is given in seconds by `timeout`, as in Claude Code: %s", async (format) => {
    expect((await parseHandler(format, command({ timeout: 5 }))).rule?.timeoutMs).toBe(5_000);
    expect((await parseHandler(format, command({ timeout: 0.25 }))).rule?.timeoutMs).toBe(250);
    expect((await parseHandler(format, command({ timeout: 86_400 }))).rule?.timeoutMs).toBe(86_400_000);
  });

  test("may be given in milliseconds in hookbox's own format, which overrides seconds", async () => {
    expect((await parseHandler("hookbox", command({ timeoutMs: 40 }))).rule?.timeoutMs).toBe(40);
    expect((await parseHandler("hookbox", command({ timeoutMs: 40, timeout: 5 }))).rule?.timeoutMs).toBe(40);
    expect((await parseHandler("hookbox", wasm({ timeout: 2 }))).rule?.timeoutMs).toBe(2_000);
    expect((await parseHandler("hookbox", wasm({ limits: { timeoutMs: 300 } }))).rule?.timeoutMs).toBe(300);
    expect((await parseHandler("hookbox", wasm({ timeoutMs: 200, limits: { timeoutMs: 300 } }))).rule?.timeoutMs).toBe(
      200,
    );
    expect((await parseHandler("hookbox", wasm({ timeout: 2, limits: { timeoutMs: 300 } }))).rule?.timeoutMs).toBe(300);
  });

  test("is not known as timeoutMs to Claude Code's format", async () => {
    const { rule, problems } = await parseHandler("claude-code", command({ timeoutMs: 40 }));
    expect(rule?.timeoutMs).toBe(600_000);
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_UNKNOWN_KEY" }]);
  });

  test.each([
    { timeoutMs: 0 },
    { timeoutMs: 1.5 },
    { timeoutMs: 86_400_001 },
    { timeoutMs: "40" },
    { timeout: Number.MIN_VALUE * -1 },
  ])("must be more than zero, whole in milliseconds and at most a day: %j", async (fields) => {
    const { rule, problems } = await parseHandler("hookbox", command(fields));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(rule?.handler.type).toBe("broken");
  });

  test("is the default for its type if it is not set", async () => {
    const defaults = { ...BUILTIN_DEFAULTS, commandTimeoutMs: 111, wasmTimeoutMs: 222 };
    expect((await parseHandler("hookbox", command(), "Stop", { defaults })).rule?.timeoutMs).toBe(111);
    expect((await parseHandler("hookbox", wasm(), "PreToolUse", { defaults })).rule?.timeoutMs).toBe(222);
  });

  test("is Claude Code's own default in its format, which depends on the event", async () => {
    const seconds: Record<string, number> = {
      UserPromptSubmit: 30,
      PreModelSwitch: 30,
      PostModelSwitch: 30,
      MessageDisplay: 10,
      SessionEnd: 1.5,
    };
    for (const event of EVENT_NAMES.filter((event) => isEventOf(event, "claude-code"))) {
      const { rule } = await parseHandler("claude-code", command(), event);
      expect([event, rule?.timeoutMs]).toEqual([event, (seconds[event] ?? 600) * 1_000]);
    }
  });
});

describe("the name of a rule", () => {
  test.each([
    [command({ name: "audit" }), "audit"],
    // Commands and addresses may contain secrets, and names are shown to models.
    [command({ command: "curl -H 'Authorization: Bearer secret' example.org" }), "hookbox.json PreToolUse #1"],
    [command({ args: ["--token", "secret"] }), "hookbox.json PreToolUse #1"],
    [{ type: "http", url: "https://hooks.example.org/services/secret" }, "hookbox.json PreToolUse #1"],
    [wasm(), "a"],
    [wasm({ module: "builtin:shell-guard" }), "shell-guard"],
    [wasm({ module: "third-party\\no-prod.wasm" }), "no-prod"],
    [wasm({ name: "mine" }), "mine"],
  ])("is the given one, that of what it names, or its place: %j is %j", async (handler, name) => {
    const { rule, problems } = await parseHandler("hookbox", handler);
    expect(problems).toEqual([]);
    expect(rule?.name).toBe(name);
  });

  test.each(["", "n".repeat(101), 7, null])("is refused if it is %j", async (name) => {
    expect((await parseHandler("hookbox", command({ name }))).problems).toMatchObject([{ code: "HOOK_CONFIG_TYPE" }]);
  });
});

describe("the answers that a rule may give", () => {
  test("are all for a command", async () => {
    for (const format of FORMATS) expect((await parseHandler(format, command())).rule?.may).toEqual(ANSWERS);
    expect((await parseHandler("hookbox", command(), "Stop")).rule?.may).toEqual(ANSWERS);
  });

  test("are deny and ask for a guard that does not set them", async () => {
    for (const event of ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "PostToolUse", "TaskCreated"])
      expect((await parseHandler("hookbox", wasm(), event)).rule?.may).toEqual(["deny", "ask"]);
  });

  test("are none for a guard that does not set them, at events where a denial would keep the agent going", async () => {
    for (const event of ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"])
      expect((await parseHandler("hookbox", wasm(), event)).rule?.may).toEqual([]);
  });

  test("are the given ones otherwise", async () => {
    expect((await parseHandler("hookbox", wasm({ may: ["allow"] }))).rule?.may).toEqual(["allow"]);
    expect((await parseHandler("hookbox", wasm({ may: ["deny"] }), "Stop")).rule?.may).toEqual(["deny"]);
    expect((await parseHandler("hookbox", command({ may: [] }))).rule?.may).toEqual([]);
  });

  test.each([[["denied"]], ["deny"], [[null]]])("are refused if they are %j", async (may) => {
    const { rule, problems } = await parseHandler("hookbox", wasm({ may }));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(rule?.handler.type).toBe("broken");
  });
});

describe("a hook that is switched off", () => {
  test("leaves no rule and no problem, and the others load", async () => {
    const hooks = [command({ enabled: false }), wasm({ enabled: false }), command({ enabled: true })];
    const { rules, problems } = await parse("hookbox", { hooks: { PreToolUse: [{ hooks }] } });
    expect(problems).toEqual([]);
    expect(rules.map(({ place }) => place?.pointer)).toEqual(["/hooks/PreToolUse/0/hooks/2"]);
  });

  test.each([
    { type: "http", url: "https://example.org" },
    { type: "prompt", prompt: "?" },
    command({ if: "Bash(git *)" }),
    command({ once: true }),
  ])("shuts no gate, even if this version could not run it: %j", async (handler) => {
    const { rule, problems } = await parseHandler("hookbox", { ...handler, enabled: false });
    expect(rule).toBeUndefined();
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("is still checked", async () => {
    const { rule, problems } = await parseHandler("hookbox", command({ enabled: false, tiemout: 1 }));
    expect(problems).toMatchObject([{ severity: "error", hint: 'did you mean "timeout"?' }]);
    expect(rule?.handler.type).toBe("broken");
  });

  test("cannot be switched off in Claude Code's format, which does not know the key", async () => {
    const { rule, problems } = await parseHandler("claude-code", command({ enabled: false }));
    expect(rule?.handler.type).toBe("command");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_UNKNOWN_KEY" }]);
  });
});

describe("the other terms of a rule", () => {
  test("have defaults", async () => {
    for (const format of FORMATS) {
      expect((await parseHandler(format, command(), "PreToolUse", { layer: "user" })).rule).toMatchObject({
        id: "hookbox.json#/hooks/PreToolUse/0/hooks/0",
        event: "PreToolUse",
        matcher: undefined,
        handler: { type: "command", command: "a" },
        onFailure: undefined,
        mode: "enforce",
        priority: 0,
        async: false,
        dialect: format,
        layer: "user",
        baseDir: "/base",
        place: { file: "hookbox.json", line: 1 },
      });
    }
  });

  test("are what the hook sets", async () => {
    const terms = { onFailure: "continue", mode: "monitor", priority: -3, async: true } as const;
    expect((await parseHandler("hookbox", command(terms))).rule).toMatchObject(terms);
    expect((await parseHandler("hookbox", wasm(terms))).rule).toMatchObject(terms);
    const imported = { onFailure: "block", async: true } as const;
    expect((await parseHandler("claude-code", command(imported))).rule).toMatchObject(imported);
  });

  test.each(LAYERS)("include the layer of their file: %s", async (layer) => {
    expect((await parseHandler("hookbox", command(), "Stop", { layer })).rule?.layer).toBe(layer);
  });

  test.each([
    { priority: 1.5 },
    { priority: "high" },
    { mode: "watch" },
    { onFailure: "allow" },
    { async: 1 },
    { enabled: "no" },
    { env: { "1A": "b" } },
    { env: { A: 1 } },
    { description: 1 },
  ])("are refused if they are invalid: %j", async (fields) => {
    const { rule, problems } = await parseHandler("hookbox", command(fields));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(rule?.handler).toMatchObject({ type: "broken", declaredType: "command" });
  });
});

describe("what a rule runs", () => {
  test("is a command with its arguments, shell and variables", async () => {
    const fields = { command: "a", args: [], shell: "bash", env: { A_1: "b" } };
    expect((await parseHandler("hookbox", command(fields))).rule?.handler).toEqual({ type: "command", ...fields });
    expect((await parseHandler("claude-code", command({ shell: "bash" }))).rule?.handler).toEqual(
      command({ shell: "bash" }),
    );
  });

  test("is a guard with its defaults", async () => {
    const defaults = { ...BUILTIN_DEFAULTS, wasmMemoryBytes: 3 * 1_048_576, wasmFuel: 20_000, wasmFuelPerInputByte: 7 };
    expect((await parseHandler("hookbox", wasm(), "PreToolUse", { defaults })).rule?.handler).toEqual({
      type: "wasm",
      module: "./a.wasm",
      function: "handle",
      config: {},
      limits: { memoryBytes: 3 * 1_048_576, outputBytes: 65_536, fuel: 20_000, fuelPerInputByte: 7, depth: 262_144 },
    });
  });

  test("is a guard as it is configured", async () => {
    const sha256 = "0123456789abcdefABCDEF".padEnd(64, "0");
    const fields = { sha256, function: "judge", config: { paths: ["/etc"], deep: { a: null } } };
    const others = { outputBytes: 100, fuel: 10_000, fuelPerInputByte: 0, depth: 5 };
    const { rule } = await parseHandler("hookbox", wasm({ ...fields, limits: { memoryMiB: 2, ...others } }));
    expect(rule?.handler).toEqual(wasm({ ...fields, limits: { memoryBytes: 2 * 1_048_576, ...others } }));
  });

  test.each([
    { sha256: "abc" },
    { sha256: "g".repeat(64) },
    { module: "" },
    { config: [] },
    { limits: { memoryMiB: 0 } },
    { limits: { memoryMiB: 1_025 } },
    { limits: { outputBytes: 1 } },
    { limits: { fuel: 9_999 } },
    { limits: { fuelPerInputByte: -1 } },
    { limits: { depth: 0 } },
    { limits: null },
  ])("is no guard if it is configured like this: %j", async (fields) => {
    const { rule, problems } = await parseHandler("hookbox", wasm(fields));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(rule?.handler).toMatchObject({ type: "broken", declaredType: "wasm" });
  });
});
