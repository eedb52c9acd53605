import { describe, expect, test } from "vitest";
import { FORMATS, parseHandler } from "./parse.ts";

/** What a hook says that means nothing at its event is told, and costs the hook nothing. */

const command = { type: "command", command: "a" };

describe("the preempt lane", () => {
  test("is what a hook at PreToolUse may be in", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, lane: "preempt" });
    expect({ lane: rule?.lane, problems }).toEqual({ lane: "preempt", problems: [] });
  });

  test.each(["PermissionRequest", "PostToolUse", "Stop"])("means nothing at %s", async (event) => {
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

  test.each(["SessionEnd", "PermissionRequest", "Notification"])("has nowhere to add it at %s", async (event) => {
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

  test("makes another hook of the same words", async () => {
    const identities = await Promise.all(
      [{ ...command, filter }, command].map(async (hook) => (await parseHandler("hookbox", hook)).rule?.identity),
    );
    expect(new Set(identities).size).toBe(2);
  });

  test("with a pattern that cannot be used leaves a broken rule", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: { paths: ["src/[a"] } });
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_FILTER", place: { pointer: "/hooks/PreToolUse/0/hooks/0/filter" } },
    ]);
    expect(rule?.handler.type).toBe("broken");
  });

  test.each([{ tool: ["a"] }, { tools: "a" }, { paths: [""] }, "src/**"])("is refused as %j", async (other) => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: other });
    expect(problems[0]?.severity).toBe("error");
    expect(rule?.handler.type).toBe("broken");
  });

  test("for tools never fits where the event is about none", async () => {
    const { rule, problems } = await parseHandler("hookbox", { ...command, filter: { tools: ["Write"] } }, "Stop");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect(rule?.handler.type).toBe("command");
  });

  test("for tools does not lose a guard that could only refuse", async () => {
    const hook = { ...command, filter: { tools: ["Write"] }, may: ["deny"] };
    const { rule, problems } = await parseHandler("hookbox", hook, "UserPromptSubmit");
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_INERT" }]);
    expect(rule?.handler.type).toBe("broken");
  });

  test("for files may stand at events about files", async () => {
    const { problems } = await parseHandler("hookbox", { ...command, filter: { paths: ["*.md"] } }, "FileChanged");
    expect(problems).toEqual([]);
  });
});

test("a hook that may say nothing is another one than a hook that may say all", async () => {
  const identities = await Promise.all(
    [command, { ...command, may: [] }].map(async (hook) => (await parseHandler("hookbox", hook)).rule?.identity),
  );
  expect(new Set(identities).size).toBe(2);
});

test("what is not set is warned of in no format", async () => {
  for (const format of FORMATS) expect((await parseHandler(format, command, "Stop")).problems).toEqual([]);
});
