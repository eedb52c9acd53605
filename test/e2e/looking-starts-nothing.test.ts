import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEngine } from "../../src/engine.ts";
import { bashCall, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

/** Inspecting what came with a repository must not run it. */

function stranger(): { readonly folder: string; readonly file: string; wasStarted(): boolean } {
  const place = project();
  const trace = join(place.folder, "started");
  const script = `require("node:fs").writeFileSync(${JSON.stringify(trace)}, "")`;
  const config = {
    mcpServers: { theirs: { command: process.execPath, args: ["-e", script] } },
    hooks: { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "theirs", tool: "t" }] }] },
  };
  const file = place.write("hookbox.json", JSON.stringify(config));
  return { folder: place.folder, file, wasStarted: () => existsSync(trace) };
}

test.each([
  ["check", ["check"]],
  ["check of a file that is named", ["check", "hookbox.json"]],
  ["check for machines", ["check", "--json", "--config", "hookbox.json"]],
  ["explain", ["explain"]],
  ["explain of a file that is named", ["explain", "--config", "hookbox.json"]],
  ["lock", ["lock", "--yes"]],
  ["hooks list", ["hooks", "list"]],
  ["hooks disable", ["hooks", "disable", "hookbox.json", "PreToolUse", "1"]],
])("%s starts no server", async (_, args) => {
  const { folder, wasStarted } = stranger();
  const { stderr } = await inProcess(args, { cwd: folder, stdin: bashCall("ls") });
  expect(stderr).toBe("");
  expect(wasStarted()).toBe(false);
});

test("check says that it has started none", async () => {
  const { stdout } = await inProcess(["check"], { cwd: stranger().folder });
  expect(stdout).toContain("No MCP server was started. To check their tools, use --servers.");
});

test("check --servers starts them, and reports a server that does not start", async () => {
  const { folder, wasStarted } = stranger();
  const { stdout, exitCode } = await inProcess(["check", "--servers"], { cwd: folder });
  expect(stdout).toMatch(/warning\s+rule "theirs\/t" cannot call its tool: MCP server "theirs" ended with exit code 0/);
  expect([exitCode, wasStarted()]).toEqual([0, true]);
});

test.each([
  ["project", false],
  ["user", true],
] as const)("an engine with rules of the layer %s has started their servers: %s", async (layer, isStarted) => {
  const { folder, file, wasStarted } = stranger();
  await using engine = await createEngine({ cwd: folder, configFiles: [{ file, layer }] });
  expect(wasStarted()).toBe(isStarted);
  const { decision } = await engine.dispatch("PreToolUse", JSON.parse(bashCall("ls")));
  expect([decision, wasStarted()]).toEqual(["deny", true]);
});

test("an unknown value for which servers are asked is an error", async () => {
  await expect(createEngine({ askServers: "some" as "all" })).rejects.toThrow(
    'askServers must be one of all, own, none, not "some"',
  );
});
