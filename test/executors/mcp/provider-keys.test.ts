import { afterEach, expect, test, vi } from "vitest";
import type { Rule } from "../../../src/rule.ts";
import { mcpRule, newExecutor, newServer, run } from "./mcp-rule.ts";

afterEach(() => vi.unstubAllEnvs());

test("a server of an imported hook does not inherit a variable that the configuration names as a model provider's key", async () => {
  vi.stubEnv("TEAM_MODEL_KEY", "secret");
  const executor = newExecutor();
  const server = newServer();
  const environmentOf = async (parts: Partial<Rule>): Promise<Record<string, string>> => {
    const { output } = await run(executor, mcpRule(server, "environment", {}, { layer: "user", ...parts }));
    return JSON.parse(output ?? "");
  };
  expect(await environmentOf({})).toHaveProperty("TEAM_MODEL_KEY");
  expect(await environmentOf({ keyVariables: ["TEAM_MODEL_KEY"] })).not.toHaveProperty("TEAM_MODEL_KEY");
});
