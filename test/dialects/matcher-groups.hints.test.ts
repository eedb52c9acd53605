import { expect, test } from "vitest";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { open } from "../config/config-files.ts";
import { FORMATS, parse, parseHandler } from "./parse.ts";

test.each(FORMATS)("a hook in place of a group is reported with its correct place, in a %s file", async (format) => {
  const { problems } = await parse(format, { hooks: { PreToolUse: [{ type: "command", command: "a" }] } });
  expect(problems).toMatchObject([
    { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: expect.stringContaining('the list "hooks"') },
  ]);
});

test.each([
  ["agents: { root: {} }", "docker-agent"],
  ["hooks_config: {}", "patterns"],
])("a file of another dialect, %s, is reported with the format that reads it", async (text, format) => {
  const configFormat = await dialectNamed("hookbox")?.configFormat();
  const { problems } = configFormat?.parseSettings(await open(text, "file.yaml"), {
    layer: "user",
    baseDir: "/base",
  }) ?? { problems: [] };
  expect(problems).toMatchObject([
    { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: expect.stringContaining(`pass it as ${format}:FILE`) },
  ]);
});

test.each<[object, string, string]>([
  [{ timeout: "5s" }, "timeout", "seconds, as a number: 5"],
  [{ timeoutMs: "500ms" }, "timeoutMs", "milliseconds, as a number: 5000"],
])("a time that is written as a text is reported with its unit: %j", async (fields, key, hint) => {
  const { problems } = await parseHandler("hookbox", { type: "command", command: "a", ...fields });
  expect(problems).toMatchObject([
    { severity: "error", code: "HOOK_CONFIG_TYPE", hint, place: { pointer: `/hooks/PreToolUse/0/hooks/0/${key}` } },
  ]);
});

test("the ignored one of two timeouts is reported", async () => {
  const { rule, problems } = await parseHandler("hookbox", {
    type: "command",
    command: "a",
    timeout: 60,
    timeoutMs: 200,
  });
  expect(rule?.timeoutMs).toBe(200);
  expect(problems).toMatchObject([
    { severity: "warning", code: "HOOK_CONFIG_INERT", place: { pointer: "/hooks/PreToolUse/0/hooks/0/timeout" } },
  ]);
  expect(problems[0]?.message).toContain('because "timeoutMs" is set');
});
