import { expect, test } from "vitest";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { open } from "../config/config-files.ts";
import { FORMATS, parse, parseHandler } from "./parse.ts";

test.each(FORMATS)("a hook that stands where a group should is told where it belongs, in a %s file", async (format) => {
  const { problems } = await parse(format, { hooks: { PreToolUse: [{ type: "command", command: "a" }] } });
  expect(problems).toMatchObject([
    { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: expect.stringContaining('the list "hooks"') },
  ]);
});

test.each(FORMATS)("a hook of a type that cannot run says what to do, in a %s file", async (format) => {
  const { problems } = await parseHandler(format, { type: "prompt", prompt: "Is it safe?" });
  expect(problems).toMatchObject([
    { code: "HOOK_CONFIG_UNSUPPORTED", hint: expect.stringContaining("leave it to the agent") },
  ]);
});

test.each([
  ["agents: { root: {} }", "docker-agent"],
  ["hooks_config: {}", "patterns"],
])("a file of another dialect, %s, names the format that reads it", async (text, format) => {
  const configFormat = await dialectNamed("hookbox")?.configFormat();
  const { problems } = configFormat?.parseSettings(await open(text, "file.yaml")) ?? { problems: [] };
  expect(problems).toMatchObject([
    { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: expect.stringContaining(`--format ${format}`) },
  ]);
});
