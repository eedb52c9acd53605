import { expect, test } from "vitest";
import type { Sdk } from "../../../src/executors/mcp/http-transport.ts";
import { MCP_LIMITS } from "../../../src/executors/mcp/limits.ts";
import { Servers } from "../../../src/executors/mcp/servers.ts";

test("equal servers are one for rules of the same trust, and another one for rules of a project's file", async () => {
  // Nothing is started before the first call.
  const servers = new Servers({} as Sdk, MCP_LIMITS);
  const server = { kind: "stdio", command: "policy", args: [], env: {}, workingDir: "/" } as const;
  const find = (trust: number) => servers.find({ ...server }, "listed", trust);
  expect(find(1)).toBe(find(1));
  expect(find(0)).toBe(find(0));
  expect(find(0)).not.toBe(find(1));
  await servers.close();
});
