import { describe, expect, test } from "vitest";
import type { HookEditing, NewHook } from "../../../src/dialects/editing.ts";
import { DIALECT_NAMES, dialectNamed } from "../../../src/dialects/registry.ts";

const editable = async (dialect: string): Promise<HookEditing> =>
  (await dialectNamed(dialect)?.editing()) as HookEditing;

const echo: NewHook = { type: "command", run: "echo" };

test.each(DIALECT_NAMES)("%s says how its files are changed, or why not", async (dialect) => {
  const editing = await dialectNamed(dialect)?.editing();
  expect(editing).toEqual(
    dialect === "openclaw"
      ? { reason: expect.stringContaining("in code"), hint: expect.any(String) }
      : expect.objectContaining({ entries: expect.any(Function), place: expect.any(Function) }),
  );
});

describe("the place of a new hook", () => {
  const command = { type: "command", command: "echo" };
  test.each([
    ["hookbox", {}, "Stop", echo, ["hooks", "Stop", 0], { hooks: [command] }],
    [
      "claude-code",
      {},
      "Stop",
      { ...echo, timeoutSeconds: 3 },
      ["hooks", "Stop", 0],
      { hooks: [{ ...command, timeout: 3 }] },
    ],
    [
      "claude-code",
      {
        hooks: {
          PreToolUse: [
            { matcher: "Bash", hooks: [{}] },
            { matcher: "Write", hooks: [] },
          ],
        },
      },
      "PreToolUse",
      { ...echo, matcher: "Bash" },
      ["hooks", "PreToolUse", 0, "hooks", 1],
      command,
    ],
    [
      "claude-code",
      { hooks: { PreToolUse: [{ matcher: "Bash", description: "of a plugin", hooks: [{}] }] } },
      "PreToolUse",
      { ...echo, matcher: "Bash" },
      ["hooks", "PreToolUse", 1],
      { matcher: "Bash", hooks: [command] },
    ],
    [
      "patterns",
      {},
      "Stop",
      { ...echo, description: "x" },
      ["hooks_config", "Stop", 0],
      { hooks: [{ ...command, name: "x" }] },
    ],
    ["docker-agent", {}, "stop", echo, ["hooks", "stop", 0], command],
    ["docker-agent", { agents: { one: {} } }, "stop", echo, ["agents", "one", "hooks", "stop", 0], command],
    ["docker-agent", {}, "pre_tool_use", echo, ["hooks", "pre_tool_use", 0], { hooks: [command] }],
    ["agentao", {}, "Stop", echo, ["hooks", "Stop", 0], command],
    ["agentao", { PreToolUse: [{}] }, "Stop", echo, ["Stop", 0], command],
    ["agentao", { hooks: { Stop: {} } }, "Stop", echo, ["hooks", "Stop", 1], command],
    [
      "agentao",
      {},
      "PreToolUse",
      { ...echo, matcher: "Bash" },
      ["hooks", "PreToolUse", 0],
      { ...command, matcher: { toolName: "Bash" } },
    ],
    [
      "autohand",
      { hooks: { hooks: [{}] } },
      "pre-tool",
      { ...echo, timeoutSeconds: 1.5, matcher: "^run_" },
      ["hooks", "hooks", 1],
      { event: "pre-tool", command: "echo", enabled: true, matcher: "^run_", timeout: 1_500 },
    ],
  ] as const)("%s %j, %s", async (dialect, value, event, hook, path, placed) => {
    expect((await editable(dialect)).place(value, event, hook)).toEqual({ path, value: placed });
  });

  test.each([
    ["claude-code", "Stop", { ...echo, type: "wasm" }, "no wasm hooks"],
    ["claude-code", "Stop", { ...echo, description: "x" }, "no description"],
    ["docker-agent", "stop", { ...echo, matcher: "x" }, "nothing that a matcher could test"],
    ["docker-agent", "stop", { ...echo, timeoutSeconds: 0.5 }, "whole seconds"],
    ["agentao", "Stop", { ...echo, matcher: "x" }, "nothing that a matcher could test"],
    ["autohand", "stop", { ...echo, type: "wasm" }, "no wasm hooks"],
  ] as const)("%s reports what its file cannot express: %s %j", async (dialect, event, hook, why) => {
    expect((await editable(dialect)).place({}, event, hook)).toMatchObject({ whyNot: expect.stringContaining(why) });
  });

  test("a file of several agents, none of which is the first, has no default place", async () => {
    const placed = (await editable("docker-agent")).place({ agents: { a: {}, b: {} } }, "stop", echo);
    expect(placed).toMatchObject({ whyNot: expect.stringContaining("not clear which one") });
  });
});

describe("the hooks of a file", () => {
  test.each([
    ["hookbox", { hooks: { Stop: [{ hooks: [{ type: "wasm", module: "m", enabled: false }] }] } }, "Stop", "m", false],
    [
      "claude-code",
      { hooks: { Stop: [{ hooks: [{ type: "command", command: "m", enabled: false }] }] } },
      "Stop",
      "m",
      true,
    ],
    ["docker-agent", { hooks: { stop: { type: "command", command: "m", args: ["-a"] } } }, "Stop", "m -a", true],
    ["agentao", { Stop: { type: "command", command: "m" } }, "Stop", "m", true],
    ["autohand", { hooks: { hooks: [{ event: "post-response", command: "m", enabled: false }] } }, "Stop", "m", false],
    ["patterns", { hooks_config: { Stop: [{ hooks: [{ type: "prompt", prompt: "m" }] }] } }, "Stop", "m", true],
    [
      "hookbox",
      { hooks: { Stop: [{ type: "function", run: "builtin:x", args: ["y"] }] } },
      "Stop",
      "builtin:x y",
      true,
    ],
    [
      "claude-code",
      { hooks: { Stop: [{ hooks: [{ type: "mcp_tool", server: "s", tool: "m" }] }] } },
      "Stop",
      "s/m",
      true,
    ],
    ["hookbox", { hooks: { Stop: [{ hooks: [7] }] } }, "Stop", "(not a hook)", true],
    ["autohand", { hooks: { hooks: [{ event: "not-yet", command: "m" }] } }, null, "m", true],
  ])("%s %j", async (dialect, value, canonicalEvent, summary, enabled) => {
    expect((await editable(dialect)).entries(value)).toMatchObject([{ canonicalEvent, summary, enabled }]);
  });

  test.each(DIALECT_NAMES.filter((name) => name !== "openclaw"))(
    "%s finds none in a file without hooks",
    async (dialect) => {
      const { entries } = await editable(dialect);
      for (const value of [undefined, null, 7, "x", [], {}, { hooks: 7 }, { hooks: { Stop: 7 } }]) {
        expect(entries(value).filter(({ summary }) => summary !== "(not a hook)")).toEqual([]);
      }
    },
  );
});
