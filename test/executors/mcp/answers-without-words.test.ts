import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { meaningOfFailure } from "../../../src/aggregate/failure-policy.ts";
import type { Compat } from "../../../src/codec.ts";
import { contractOf } from "../../../src/events/lookup.ts";
import { McpToolExecutor } from "../../../src/executors/mcp/mcp-tool-executor.ts";
import type { JsonObject } from "../../../src/json.ts";
import type { RunResult } from "../../../src/outcome.ts";
import { type LoggedServer, mcpRule, newServer, run } from "./mcp-rule.ts";

/** One server for all tests, so that each test costs one call. */
let executor: McpToolExecutor;
let server: LoggedServer;
beforeAll(() => {
  executor = new McpToolExecutor({ killGraceMs: 100 });
  const { workingDir: _, ...lasting } = newServer("", { env: {} });
  server = { ...lasting, workingDir: process.cwd() };
});
afterAll(() => executor.close());

const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
const sound = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
const link = { type: "resource_link", uri: "file:///a", name: "a" };
const file = { type: "resource", resource: { uri: "file:///a", text: '{"decision":"block","reason":"unread"}' } };
const blank = { type: "text", text: " \n" };

const ruleOf = (content: readonly JsonObject[], compat: Compat = "safer") =>
  mcpRule(server, "result", { result: { content } }, { dialect: "claude-code", compat });

function meaningAt(event: string, result: RunResult, compat: Compat): string {
  const contract = contractOf(event, "claude-code");
  if (result.ok || contract === undefined) return "no failure";
  return meaningOfFailure(result.failure.kind, { ...ruleOf([], compat), event }, contract);
}

describe("an answer that has content and no readable part", () => {
  test.each([
    ["a picture", [picture]],
    ["a sound", [sound]],
    ["a link", [link]],
    ["a file, whatever that says", [file]],
    ["a picture beside an empty text", [picture, { type: "text", text: "" }]],
    ["a picture beside blanks", [blank, picture]],
  ])("cannot be understood: %s", async (_, content) => {
    const result = await run(executor, ruleOf(content));
    expect(result).toMatchObject({ ok: false, failure: { kind: "invalid-output" } });
  });

  test("shuts a gate, and leaves it open only if the agent's page is followed to the letter", async () => {
    const result = await run(executor, ruleOf([picture]));
    for (const event of ["PreToolUse", "UserPromptSubmit", "PermissionRequest", "WorktreeCreate"]) {
      expect([event, meaningAt(event, result, "safer"), meaningAt(event, result, "faithful")]).toEqual([
        event,
        "deny",
        "continue",
      ]);
    }
  });
});

test("of only white space is no opinion, as from a command", async () => {
  expect(await run(executor, ruleOf([blank]))).toMatchObject({ ok: true, reply: {} });
});
