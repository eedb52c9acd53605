import { expect, test } from "vitest";
import { convertFile } from "../../src/cli/convert/convert-file.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { read } from "../dialects/writing/conversions.ts";

/** Agents name their MCP servers in files that hookbox does not read. */

const tool = { type: "mcp_tool", server: "policy", tool: "judge" };

const lossesOf = async (from: string, to: string, value: object) => {
  const named = (name: string) => dialectNamed(name) as Dialect;
  const source = await read(from, JSON.stringify(value));
  const { losses } = await convertFile(source, {
    file: "/base/x.json",
    from: named(from),
    to: named(to),
    out: undefined,
  });
  return losses.map(({ what, consequence }) => [what, consequence]);
};

test("a hook that calls a tool is reported to need its server in hookbox's own format", async () => {
  const hooks = { PreToolUse: [{ hooks: [tool] }], FileChanged: [{ hooks: [tool] }] };
  expect(await lossesOf("claude-code", "hookbox", { hooks })).toEqual([
    ["server policy", "stricter"],
    ["server policy", "changed"],
  ]);
  expect(await lossesOf("claude-code", "claude-code", { hooks })).toEqual([]);
});

test("a file in hookbox's own format has its servers in it, and keeps them", async () => {
  const value = { mcpServers: { policy: { command: "x" } }, hooks: { PreToolUse: [{ hooks: [tool] }] } };
  expect(await lossesOf("hookbox", "hookbox", value)).toEqual([]);
});
