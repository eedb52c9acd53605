import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const added = (cwd: string, file: string, event: string, word: string) =>
  inProcess(["hooks", "add", file, event, "--command", "./guard.sh", "--on-failure", word], { cwd });

test.each([
  ["hookbox.json", "PreToolUse", "block", '"onFailure": "block"'],
  ["hookbox.json", "PreToolUse", "ignore", '"onFailure": "ignore"'],
  ["claude-code:settings.json", "PreToolUse", "block", '"onFailure": "block"'],
  ["docker-agent:agent.yaml", "pre_tool_use", "block", "on_error: block"],
  ["docker-agent:agent.yaml", "pre_tool_use", "continue", "on_error: warn"],
])("adds to %s at %s a hook whose failure means %s, in the format of the file", async (file, event, word, text) => {
  const { folder } = project();
  const { exitCode, stderr } = await added(folder, file, event, word);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(readFileSync(join(folder, file.replace(/^.*:/, "")), "utf8")).toContain(text);
  const checked = await inProcess(["check", "--json", file], { cwd: folder });
  const { rules } = JSON.parse(checked.stdout) as { readonly rules: readonly { readonly onFailure: string }[] };
  expect(rules.map(({ onFailure }) => onFailure)).toEqual([word]);
});

test.each([
  ["claude-code:settings.json", "ignore", "use block or continue"],
  ["autohand:config.json", "block", "leave out --on-failure"],
  ["agentao:hooks.json", "block", "leave out --on-failure"],
  ["hookbox.json", "blok", 'did you mean "block"?'],
])("refuses for %s what its files cannot express: %s", async (file, word, hint) => {
  const { exitCode, stderr } = await added(project().folder, file, "PreToolUse", word);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
});
