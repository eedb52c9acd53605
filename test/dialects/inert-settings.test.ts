import { describe, expect, test } from "vitest";
import { FORMATS, parseHandler } from "./parse.ts";

/** Settings without an effect at their event are reported, and the hook still works. */

const command = { type: "command", command: "a" };

describe("the preempt lane", () => {
  test("is allowed for a hook at PreToolUse", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, lane: "preempt" });
    expect({ lane: rule?.lane, problems }).toEqual({ lane: "preempt", problems: [] });
  });

  test.each(["PermissionRequest", "PostToolUse", "Stop"])("has no effect at %s", async (event) => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, lane: "preempt" }, event);
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect(problems[0]?.message).toContain(event);
    expect(rule?.handler.type).toBe("command");
  });
});

describe("a context hook", () => {
  const hook = { type: "context", text: "be brief" };

  test.each(["PreToolUse", "UserPromptSubmit", "SessionStart", "TurnStart"])("adds its text at %s", async (event) => {
    expect((await parseHandler("hookbox", hook, event)).problems).toEqual([]);
  });

  test.each(["SessionEnd", "PermissionRequest", "Notification"])("has no place for its text at %s", async (event) => {
    const { rule, problems } = await parseHandler("hookbox", hook, event);
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect(rule?.handler.type).toBe("context");
  });
});

describe("a filter", () => {
  const filter = { tools: ["Write", "Edit"], paths: ["src/**"] };

  test("is part of its rule", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter });
    expect({ filter: rule?.filter, problems }).toEqual({ filter, problems: [] });
  });

  test("makes two otherwise equal hooks different", async () => {
    const identities = await Promise.all(
      [{ ...command, filter }, command].map(async (hook) => (await parseHandler("hookbox", hook)).rule?.identity),
    );
    expect(new Set(identities).size).toBe(2);
  });

  test("with an invalid pattern leaves a broken rule", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: { paths: ["src/[a"] } });
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_FILTER", place: { pointer: "/hooks/PreToolUse/0/hooks/0/filter" } },
    ]);
    expect(rule?.handler.type).toBe("broken");
  });

  test.each([
    ["filter", { filter: { paths: ["src/*", "app/(auth)/**"] } }],
    ["if", { if: "Edit(app/(auth)/**)" }],
  ])("with a pattern in %s that has another meaning than before is reported", async (key, parts) => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, ...parts });
    const pointer = `/hooks/PreToolUse/0/hooks/0/${key}`;
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_PATTERN", place: { pointer } }]);
    expect(rule?.handler.type).toBe("command");
  });

  test.each(["(", "[", "{", "{,", "a(", "x{**"])(
    "with a pattern of a million characters is refused: %s",
    async (unit) => {
      const paths = [unit.repeat(1_000_000 / unit.length)];
      const { problems } = await parseHandler("hookbox", { ...command, filter: { paths } });
      expect(problems).toMatchObject([
        { code: "HOOK_CONFIG_FILTER", message: expect.stringContaining("the limit is 500") },
      ]);
    },
  );

  test("with a negated pattern leaves a broken rule", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: { paths: ["!a"] } });
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_FILTER" }]);
    expect(rule?.handler.type).toBe("broken");
  });

  test.each([{ tool: ["a"] }, { tools: "a" }, { paths: [""] }, "src/**"])("is refused as %j", async (other) => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: other });
    expect(problems[0]?.severity).toBe("error");
    expect(rule?.handler.type).toBe("broken");
  });

  test("for tools never matches at events without a tool", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: { tools: ["Write"] } }, "Stop");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect(rule?.handler.type).toBe("command");
  });

  test("for tools does not remove a guard that could only refuse", async () => {
    const hook = { ...command, filter: { tools: ["Write"] }, may: ["deny"] };
    const { rule, problems } = await parseHandler("hookbox", hook, "UserPromptSubmit");
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_INERT" }]);
    expect(rule?.handler.type).toBe("broken");
  });

  test("for files is allowed at events about files", async () => {
    const { problems } = await parseHandler("hookbox", { ...command, filter: { paths: ["*.md"] } }, "FileChanged");
    expect(problems).toEqual([]);
  });
});

describe("a hook whose answer has no effect at its event", () => {
  test.each<[object, string, string]>([
    [{ ...command, args: [], shell: "bash" }, "PreToolUse", "shell"],
    [{ type: "context", text: "a", may: ["deny"] }, "PreToolUse", "may"],
    [{ ...command, async: true, onFailure: "block" }, "PreToolUse", "onFailure"],
    [{ ...command, asyncRewake: true, onFailure: "block" }, "PreToolUse", "onFailure"],
    [{ ...command, async: true, may: ["deny", "ask"] }, "PreToolUse", "may"],
    [{ type: "wasm", module: "builtin:shell-guard", async: true }, "PreToolUse", "may"],
    [{ ...command, onFailure: "block" }, "Stop", "onFailure"],
    [{ ...command, onFailure: "block" }, "SessionEnd", "onFailure"],
  ])("gets a warning, and runs: %j at %s", async (hook, event, key) => {
    const { rule, problems } = await parseHandler("hookbox", hook, event);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", place: { pointer: `/hooks/${event}/0/hooks/0/${key}` } },
    ]);
    expect(rule?.handler.type).not.toBe("broken");
  });

  test.each([
    [{ ...command, onFailure: "block" }, "PreToolUse"],
    [{ ...command, onFailure: "block" }, "PreCompact"],
    [{ ...command, async: true, onFailure: "continue" }, "PreToolUse"],
    [{ ...command, async: true }, "PreToolUse"],
    [{ ...command, args: [] }, "PreToolUse"],
  ])("is not this: %j at %s", async (hook, event) => {
    expect((await parseHandler("hookbox", hook, event)).problems).toEqual([]);
  });
});

test("a hook that may give no answer differs from a hook that may give all", async () => {
  const identities = await Promise.all(
    [command, { ...command, may: [] }].map(async (hook) => (await parseHandler("hookbox", hook)).rule?.identity),
  );
  expect(new Set(identities).size).toBe(2);
});

test("an unset variable is reported in no format", async () => {
  for (const format of FORMATS) expect((await parseHandler(format, command, "Stop")).problems).toEqual([]);
});
