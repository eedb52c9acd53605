import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../../src/engine.ts";
import type { JsonObject } from "../../src/json.ts";

let folder: string;
let engine: Engine;

const CONFIG = `
hooks:
  tool_guard:
    - matcher: "shell|edit_.*"
      hooks:
        - type: command
          command: >-
            cat > seen.json; echo "$MARK" > mark;
            echo '{"hook_specific_output": {"permission_decision": "ask", "permission_decision_reason": "unsure"}}'
          env: { MARK: "home is \${env.HOME}" }
          strict_output: true
        - { type: command, command: "echo again >> twice; exit 0" }
    - matcher: "*"
      hooks:
        - { type: command, command: "echo again >> twice; exit 0" }
  tool_input_transform:
    hooks: { name: flaky, type: command, command: "exit 127", on_error: ignore }
  pre_tool_use:
    hooks: { name: flaky, type: command, command: "exit 127", on_error: ignore }
  stop: { type: command, command: "echo no >&2; exit 2" }
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-docker-agent-"));
  writeFileSync(join(folder, "agent.yaml"), CONFIG);
  engine = await createEngine({
    configFiles: [{ file: join(folder, "agent.yaml"), dialect: "docker-agent", layer: "user" }],
    cwd: folder,
    dialect: "docker-agent",
    cacheDir: false,
  });
});

afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

const call = (event: string, parts: JsonObject = {}) =>
  engine.dispatch(event, { cwd: folder, tool_name: "shell", tool_input: { cmd: "ls" }, ...parts });
const read = async (name: string) => (await import("node:fs")).readFileSync(join(folder, name), "utf8");

test("a guard receives docker-agent's payload, and is asked as configured; a hook that is configured twice runs once", async () => {
  expect(engine.problems).toEqual([]);
  expect(await call("ToolGuard")).toMatchObject({ decision: "ask", reason: expect.stringContaining("unsure") });
  expect(JSON.parse(await read("seen.json"))).toMatchObject({ hook_event_name: "tool_guard", tool_name: "shell" });
  expect(await read("mark")).toBe(`home is ${process.env["HOME"] ?? ""}\n`);
  expect(await read("twice")).toBe("again\n");
});

test("a hook ignores other tools", async () => {
  expect(await call("ToolGuard", { tool_name: "my_shell" })).toMatchObject({ decision: "none", rules: [{}] });
});

test("a crash closes a gate that fails closed, and is ignored otherwise", async () => {
  expect(await call("PreToolUse")).toMatchObject({ decision: "deny", rules: [{ outcome: "blocking" }] });
  expect(await call("ToolInputTransform")).toMatchObject({
    decision: "none",
    systemMessage: null,
    rules: [{ outcome: "non_blocking_error" }],
  });
});

test("a refusal to stop is only reported", async () => {
  expect(await call("Stop")).toMatchObject({
    decision: "none",
    systemMessage: expect.stringContaining("stop cannot block: no"),
  });
});

describe("elide_repeated_tool_results at the event of results alone", () => {
  const FILES = {
    "docker-agent": `
hooks:
  tool_response_transform:
    hooks: { type: builtin, command: elide_repeated_tool_results }
`,
    hookbox: `
hooks:
  ToolResponseTransform:
    - hooks: [{ type: function, run: "builtin:elide_repeated_tool_results" }]
`,
  };

  test.each(Object.entries(FILES))("of a %s file is notified of what the model has lost", async (dialect, text) => {
    writeFileSync(join(folder, `${dialect}.yaml`), text);
    const own = await createEngine({
      configFiles: [{ file: `${dialect}.yaml`, dialect, layer: "user" }],
      cwd: folder,
      dialect: "docker-agent",
      cacheDir: false,
    });
    onTestFinished(() => own.close());
    expect(own.problems).toEqual([]);
    const session = { session_id: "s1", cwd: folder };
    const read = async () => {
      const call = {
        tool_name: "Read",
        tool_input: { file_path: "a" },
        tool_category: "filesystem",
        tool_read_only: true,
      };
      const payload = { ...session, ...call, tool_response: "the same\n".repeat(100), tool_use_id: "t1" };
      return (await own.dispatch("ToolResponseTransform", payload)).updatedOutput;
    };
    for (const event of ["AfterCompaction", "SessionStart", "SessionEnd"]) {
      expect(await read()).toBeNull();
      expect(await read()).toContain("read_file has run");
      expect(await read()).toBeNull();
      await own.dispatch(event, session);
    }
    expect(await read()).toBeNull();
  });
});
