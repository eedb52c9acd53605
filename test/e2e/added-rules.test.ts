import { expect, test } from "vitest";
import { folderWith } from "../config/config-files.ts";
import { inProcess } from "./in-process.ts";

/** Rules that no file contains: docker-agent shortens long results, whatever its files configure. */

const check = (cwd: string, ...args: readonly string[]) =>
  inProcess(["check", "agent.yaml", "--format", "docker-agent", ...args], { cwd });

test("are shown as the agent's own, and do not make an unguarded event guarded", async () => {
  const cwd = folderWith({ "agent.yaml": "agents:\n  root:\n    model: a/b\n" });
  const { exitCode, stdout } = await check(cwd);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/ToolResponseTransform +\* +builtin +limit_large_tool_results .*added by docker-agent/);
  expect(stdout).toContain("2 rules, 0 errors, 0 warnings. Without a rule, nothing is ever refused");
  const { rules } = JSON.parse((await check(cwd, "--json")).stdout) as { rules: object[] };
  expect(rules).toMatchObject([
    { rule: "limit_large_tool_results", type: "builtin", implied: true, place: { line: 3 } },
    { rule: "limit_large_tool_results", event: "SessionEnd", implied: true },
  ]);
});

test("are not reported for a hook from a file", async () => {
  const hook = "{ type: command, command: 'true' }";
  const cwd = folderWith({ "agent.yaml": `agents:\n  root:\n    hooks: { stop: ${hook} }\n` });
  const { stdout } = await check(cwd);
  expect(stdout).toContain("3 rules, 0 errors, 0 warnings\n");
  const { rules } = JSON.parse((await check(cwd, "--json")).stdout) as { rules: object[] };
  expect(rules.find((rule) => !("implied" in rule))).toMatchObject({ rule: "agent.yaml stop #1" });
});
