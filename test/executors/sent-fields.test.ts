import { describe, expect, test } from "vitest";
import { sentFieldsOf } from "../../src/executors/sent-fields.ts";
import type { Handler, ModelProvider } from "../../src/rule.ts";
import { makeRule } from "../helpers/rules.ts";
import { type ModelHandler, modelRule } from "./model/model-kit.ts";

const provider = (parts: Partial<ModelProvider & { kind: "anthropic" | "openai" }>): ModelProvider => ({
  kind: "anthropic",
  name: "anthropic",
  keyVariable: null,
  streams: false,
  structured: true,
  network: "public",
  ...parts,
});
const of = (parts: Partial<ModelHandler>) => sentFieldsOf(modelRule(parts));
const to = (one: ModelProvider) => of({ choice: { provider: one, model: "m" } })?.to;
const disclosed = (handler: Handler) => sentFieldsOf(makeRule({ handler }));

describe("what a rule sends to another party", () => {
  test("is, for a model, the whole event, or the fields that its template uses", () => {
    expect(of({ redacts: true })).toEqual({
      to: "stub (a function of this program)",
      shows: "the whole event",
      redacted: true,
    });
    const go = (prompt: string) => of({ template: "go", prompt })?.shows;
    expect(go("{{ .ToolName }} {{ .ToolInput | toJSON }}")).toEqual(["ToolName", "ToolInput"]);
    expect(go("{{ . | toJSON }}")).toBe("the whole event");
    expect(go("{{ .Nope }}")).toBe("the whole event");
    expect(go("nothing")).toEqual([]);
  });

  test("is reported for a built-in hook as well", () => {
    const of = (name: string, more: object = {}) =>
      disclosed({ type: "builtin", name, args: [], network: "public", ...more });
    const choice = { provider: provider({}), model: "m" };
    expect(of("smart-commit", { choice })).toMatchObject({
      to: "anthropic (api.anthropic.com, or where ANTHROPIC_BASE_URL says)",
      redacted: true,
    });
    expect(of("slack-notify")).toMatchObject({ to: expect.stringContaining("SLACK_WEBHOOK_URL"), redacted: true });
    expect(of("http_post", { args: ["https://a.example/x?key=1", "{}"] })?.to).toBe("a.example");
    expect(of("add_date")).toBeUndefined();
  });

  test("names the host, without the other parts of its address", () => {
    expect(to(provider({}))).toBe("anthropic (api.anthropic.com, or where ANTHROPIC_BASE_URL says)");
    expect(to(provider({ kind: "openai", name: "mine", baseUrl: "http://u:p@localhost:8080/v1?key=k" }))).toBe(
      "mine (localhost:8080)",
    );
    expect(to(provider({ baseUrl: "no address" }))).toBe("anthropic (an address that cannot be read)");
    const { choice: _, ...handler } = modelRule().handler as ModelHandler;
    expect(disclosed(handler)?.to).toBe("an unknown provider");
  });

  test("is, for an agent's model, more than the event", () => {
    const { choice } = modelRule().handler as ModelHandler;
    const agent = { type: "agent", model: "stub/x", choice: choice!, prompt: "", redacts: false } as const;
    expect(disclosed({ ...agent, maxTurns: 1, maxTokens: 1 })).toMatchObject({
      shows: "the whole event and what the model reads in the working directory",
      redacted: false,
    });
  });

  test("is, for a web hook, the whole event unchanged", () => {
    const http = { headers: {}, allowedEnvVars: [], network: "public" } as const;
    expect(disclosed({ type: "http", url: "https://hooks.example/a?k=1", ...http })).toEqual({
      to: "hooks.example",
      shows: "the whole event",
      redacted: false,
    });
  });

  test("is, for an MCP server, what its input names, if the server is not on this machine", () => {
    const tool = { type: "mcp_tool", server: "audit", tool: "t" } as const;
    const input = { text: "${tool_name} at ${cwd}", more: [{ deep: "${tool_name}" }, 3, null] };
    const http = { kind: "http", url: "https://mcp.example/x", headers: {}, network: "public" } as const;
    expect(disclosed({ ...tool, input, found: http })).toEqual({
      to: "audit (mcp.example)",
      shows: ["tool_name", "cwd"],
      redacted: false,
    });
    const stdio = { kind: "stdio", command: "x", args: [], env: {}, workingDir: "/" } as const;
    expect(disclosed({ ...tool, input, found: stdio })).toBeUndefined();
    expect(disclosed({ ...tool, input })).toBeUndefined();
  });

  test("is nothing for any other rule", () => {
    expect(disclosed({ type: "command", command: "true" })).toBeUndefined();
  });
});
