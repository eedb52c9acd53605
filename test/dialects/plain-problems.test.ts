import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readDocument } from "../../src/config/document.ts";
import { describeIssue } from "../../src/schema-issue.ts";
import { parse } from "./parse.ts";

/** How problems of a configuration read: one for each mistake, with the actual value and what was expected. */

const COMMAND = { type: "command", command: "true" };
const told = (problems: readonly { severity: string; message: string; hint?: string }[]): string[] =>
  problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`));

describe("describeIssue", () => {
  const schema = z.strictObject({
    choice: z.enum(["block", "continue"]).optional(),
    count: z.number().int().min(1).max(5).optional(),
    text: z.string().min(1).optional(),
    list: z.array(z.string()).min(1).optional(),
    either: z.union([z.string(), z.number()]).optional(),
    deep: z.union([z.string(), z.strictObject({ inner: z.number() })]).optional(),
    one: z.literal(1).optional(),
    needed: z.string().optional(),
    own: z
      .string()
      .refine(() => false, "is no name")
      .optional(),
  });

  test.each<[object, string]>([
    [{ choice: "blck" }, 'choice is "blck"; expected one of "block", "continue"'],
    [{ choice: 7 }, 'choice is 7; expected one of "block", "continue"'],
    [{ count: 0 }, "count is 0; expected at least 1"],
    [{ count: 9 }, "count is 9; expected at most 5"],
    [{ count: 1.5 }, "count is 1.5; expected a whole number"],
    [{ count: "5s" }, "count is a string; expected a number"],
    [{ text: "" }, "text has 0 characters; expected at least 1 character"],
    [{ list: [] }, "list has 0 entries; expected at least 1 entry"],
    [{ list: {} }, "list is an object; expected a list"],
    [{ list: [7] }, "list.0 is 7; expected a string"],
    [{ either: null }, "either is null; expected a string or a number"],
    [{ deep: { inner: "x" } }, "deep.inner is a string; expected a number"],
    [{ one: 2 }, "one is 2; expected 1"],
    [{ own: "x" }, "own: is no name"],
  ])("gives the actual and the expected value in %j", (value, message) => {
    const [issue] = schema.safeParse(value).error?.issues ?? [];
    expect(issue && describeIssue(issue, value)).toBe(message);
  });

  test("says that a value is missing", () => {
    const [issue] = z.object({ command: z.string() }).safeParse({}).error?.issues ?? [];
    expect(issue && describeIssue(issue, {})).toBe("command is missing; expected a string");
  });
});

describe("a misspelt name", () => {
  test.each(["hookbox", "claude-code"] as const)(
    "of a key is the only problem of a hook in a %s file",
    async (format) => {
      const hooks = { PreToolUse: [{ hooks: [{ type: "command", commnd: "true" }] }] };
      const { rules, problems } = await parse(format, { hooks });
      expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_UNKNOWN_KEY" }]);
      expect(told(problems)).toEqual(['unknown key "commnd" in a command hook (did you mean "command"?)']);
      expect(rules).toMatchObject([{ event: "PreToolUse", handler: { type: "broken" } }]);
    },
  );

  test("of a word from a short list brings a suggestion", async () => {
    const hooks = {
      PreToolUse: [
        {
          hooks: [
            { ...COMMAND, onFailure: "dny" },
            { ...COMMAND, onFailure: "blck" },
          ],
        },
      ],
    };
    expect(told((await parse("hookbox", { hooks })).problems)).toEqual([
      'onFailure is "dny"; expected one of "block", "continue", "ignore"',
      'onFailure is "blck"; expected one of "block", "continue", "ignore" (did you mean "block"?)',
    ]);
  });

  test.each<[string, object]>([
    ["a group's key", { PreToolUse: [{ matcher: "Bash", hoks: [{ type: "comand" }] }] }],
    ["another key of a group", { PreToolUse: [{ matchr: "Bash", hooks: [{ type: "comand" }] }] }],
    ["an event", { PreTolUse: [{ matcher: "Bash", hooks: [{ type: "comand" }] }] }],
  ])("of %s does not hide the errors inside, and keeps its gate shut", async (_, hooks) => {
    const { rules, problems } = await parse("hookbox", { hooks });
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      [expect.stringMatching(/UNKNOWN_(KEY|EVENT)/), "error"],
      ["HOOK_CONFIG_HANDLER", "error"],
    ]);
    expect(rules).toMatchObject([{ event: "PreToolUse", handler: { type: "broken" } }]);
  });

  test("of a matcher's pattern does not hide the errors inside", async () => {
    const { problems } = await parse("hookbox", {
      hooks: { PreToolUse: [{ matcher: "a(", hooks: [{ type: "comand" }] }] },
    });
    expect(problems.map(({ code }) => code)).toEqual(["HOOK_CONFIG_MATCHER", "HOOK_CONFIG_HANDLER"]);
  });

  test.each<["docker-agent" | "agentao" | "autohand", object, readonly string[]]>([
    [
      "docker-agent",
      { hooks: { pre_tool_use: [{ matcher: "shell", hoks: [{ type: "command", commnd: "x" }] }] } },
      ['unknown key "hoks" in a matcher group', 'unknown key "commnd" in a command hook'],
    ],
    [
      "docker-agent",
      { hooks: { pre_tol_use: [{ matcher: "shell", hooks: [{ type: "comand" }] }] } },
      ['unknown event "pre_tol_use"', expect.stringContaining('hook type "comand"')],
    ],
    [
      "agentao",
      { hooks: { PreToolUse: [{ matchr: "x", hooks: [{ type: "comand" }] }] } },
      ['unknown key "matchr" in a matcher group', 'unknown hook type "comand"'],
    ],
    ["autohand", { hooks: { hooks: [{ event: "pre-tool", comand: "x" }] } }, ['unknown key "comand" in a hook']],
  ])("hides nothing in a file of %s", async (format, config, messages) => {
    const { rules, problems } = await parse(format, config);
    expect(problems.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual(messages);
    expect(rules).toMatchObject([{ event: "PreToolUse", handler: { type: "broken" } }]);
  });
});

test.each([
  ["  - matcher: *", '"*"'],
  ["  - matcher: *Bash", '"*Bash"'],
  ["  - matcher: @team/x", '"@team/x"'],
  ["  - matcher: `x`", '"`x`"'],
])("YAML's reading of %j is explained, with the value in quotes", async (line, quoted) => {
  const read = await readDocument(`hooks:\n${line}\n`, "hookbox.yaml");
  expect(read.ok).toBe(false);
  expect(read.problems[0]?.hint).toContain(`Write the value in quotes: ${quoted}`);
});
