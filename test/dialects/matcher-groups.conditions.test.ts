import { describe, expect, test } from "vitest";
import { configText, FORMATS, outcomeOf, parse, parseHandler } from "./parse.ts";

describe.each(FORMATS)("an `if` in a %s file", (format) => {
  test("is part of its rule", async () => {
    const { rule, problems } = await parseHandler(format, { type: "command", command: "a", if: "Bash(git push *)" });
    expect(problems).toEqual([]);
    expect(rule).toMatchObject({ condition: "Bash(git push *)", handler: { type: "command" } });
  });

  test.each(["Bash(rm", "", "!Bash", "Bash(a) || Bash(b)", "Edit(src/[a)"])(
    "that is invalid leaves a broken rule without a condition: %j",
    async (condition) => {
      const entry = `{ "type": "command", "command": "a",\n "if": ${JSON.stringify(condition)} }`;
      const { othersLoaded, broken, loaded, problems } = await outcomeOf(format, configText.handler(entry));
      expect(problems).toMatchObject([
        {
          severity: "error",
          code: "HOOK_CONFIG_CONDITION",
          place: { line: 7, pointer: "/hooks/PreToolUse/0/hooks/1/if" },
        },
      ]);
      expect(broken).toEqual([
        { event: "PreToolUse", matcher: "Bash", code: "HOOK_CONFIG_CONDITION", type: "command" },
      ]);
      expect({ othersLoaded, loaded }).toEqual({ othersLoaded: true, loaded: [] });
    },
  );

  test("is reported with the correct form", async () => {
    const { problems } = await parseHandler(format, { type: "command", command: "a", if: "!Bash(rm *)" });
    expect(problems[0]?.hint).toContain("use several hooks");
  });

  test("at an event without a tool gets a warning, and its rule never runs", async () => {
    const hook = { type: "command", command: "a", if: "Bash" };
    const { rule, problems } = await parseHandler(format, hook, "UserPromptSubmit");
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_INERT" }]);
    expect(rule).toMatchObject({ condition: "Bash", handler: { type: "command" } });
  });
});

describe.each(FORMATS)("an `if` for another tool than the matcher's, in a %s file,", (format) => {
  const group = (matcher: string | undefined, condition: string) => ({
    hooks: {
      PreToolUse: [
        { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: "command", command: "a", if: condition }] },
      ],
    },
  });

  test.each([
    ["Bash", "bash(git push *)", 'did you mean "Bash"?'],
    ["Bash|Read", "Edit(src/**)", "name the same tool in both"],
  ])("gets a warning: %s and %s", async (matcher, condition, hint) => {
    const { rules, problems } = await parse(format, group(matcher, condition));
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", hint, place: { pointer: "/hooks/PreToolUse/0/hooks/0/if" } },
    ]);
    expect(problems[0]?.message).toContain(`the matcher "${matcher}"`);
    expect(rules).toMatchObject([{ condition, handler: { type: "command" } }]);
  });

  test.each([
    ["Bash", "Bash(git push *)"],
    ["Edit|Write", "Write(*.ts)"],
    ["MultiEdit", "Edit(*.ts)"],
    ["mcp__db__query", "mcp__db"],
    ["mcp__db__.*", "mcp__files"],
    [undefined, "Edit"],
    ["*", "Edit"],
  ])("is not reported if a call may match both: %s and %s", async (matcher, condition) => {
    expect((await parse(format, group(matcher, condition))).problems).toEqual([]);
  });
});

test("a guard that could only refuse is kept at such an event", async () => {
  const hook = { type: "command", command: "a", if: "Bash", may: ["deny"] };
  const { rule, problems } = await parseHandler("hookbox", hook, "UserPromptSubmit");
  expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_INERT" }]);
  expect(rule?.handler.type).toBe("broken");
});
