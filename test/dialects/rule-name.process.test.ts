import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { createEngine } from "../../src/engine.ts";
import { folderWith } from "../config/config-files.ts";
import { liveIn } from "../helpers/account.ts";

/** A rule without a name is named by its place, and never by what it runs, because models read the name. */

const hook = (more: object = {}) => ({ type: "command", command: "curl --header secret example.org", ...more });

async function namesIn(file: string, dialect: string, value: unknown): Promise<readonly string[]> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const folder = folderWith({ [file]: text });
  const { rules, problems } = await loadConfig([{ file, layer: "command-line", dialect }], [], folder);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  return rules.filter(({ implied }) => implied !== true).map(({ name }) => name);
}

describe("the place of a hook is its file, its event as written, and its number among the event's hooks", () => {
  test("in groups, counting hooks that are named, switched off, or in other groups", async () => {
    const groups = [
      { matcher: "Bash", hooks: [hook({ name: "mine" }), hook({ enabled: false }), hook()] },
      { hooks: [] },
      { matcher: "Edit", hooks: [hook({ priority: 9 }), { type: "context", text: "x" }] },
    ];
    expect(
      await namesIn("hookbox.json", "hookbox", { hooks: { PreToolUse: groups, Stop: [{ hooks: [hook()] }] } }),
    ).toEqual([
      ...["mine", "hookbox.json PreToolUse #3", "hookbox.json PreToolUse #4", "context"],
      "hookbox.json Stop #1",
    ]);
  });

  test("in files of agents", async () => {
    const yaml = `agents: { root: { model: a/b, hooks: { pre_tool_use: [{ hooks: [{ type: command, command: a }, { type: command, command: b }] }], stop: [{ type: command, command: c }, { type: command, command: d }] } } }`;
    expect(await namesIn("agent.yaml", "docker-agent", yaml)).toEqual([
      ...["agent.yaml pre_tool_use #1", "agent.yaml pre_tool_use #2"],
      ...["agent.yaml stop #1", "agent.yaml stop #2"],
    ]);
    const flat = [
      { event: "pre-tool", command: "a" },
      { event: "stop", command: "b" },
      { event: "pre-tool", command: "c" },
    ];
    expect(await namesIn("config.json", "autohand", { hooks: { hooks: flat } })).toEqual([
      ...["config.json pre-tool #1", "config.json stop #1", "config.json pre-tool #2"],
    ]);
    const rules = [hook(), { hooks: [hook(), hook({ command: "b" })] }, hook({ command: "c" })];
    expect(await namesIn("hooks.json", "agentao", { hooks: { PreToolUse: rules } })).toEqual(
      [1, 2, 3, 4].map((number) => `hooks.json PreToolUse #${number}`),
    );
    expect(
      await namesIn("hooks.yaml", "patterns", {
        hooks_config: { Stop: [{ hooks: [hook()] }, { hooks: [hook({ name: "n" }), hook()] }] },
      }),
    ).toEqual(["hooks.yaml Stop #1", "n", "hooks.yaml Stop #3"]);
  });
});

test("the user's own file and a project's file of the same name give different names", async () => {
  const folder = folderWith();
  liveIn(join(folder, "home"));
  const files = ["home/.config/hookbox/hookbox.json", "project/hookbox.json"].map((path) => join(folder, path));
  for (const [index, file] of files.entries()) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ hooks: [hook({ command: `exit ${index}` })] }] } }));
  }
  const layers = ["user", "project"] as const;
  await using engine = await createEngine({
    configFiles: files.map((file, index) => ({ file, layer: layers[index] as "user" })),
    cacheDir: false,
  });
  expect(engine.rules.map(({ name }) => name)).toEqual([
    "~/.config/hookbox/hookbox.json Stop #1",
    "hookbox.json Stop #1",
  ]);
});

test.each([
  [hook({ command: ": secret; echo no >&2; exit 2" })],
  [hook({ command: "exit 3 # secret" })],
  [hook({ command: "sleep 5 # secret", timeoutMs: 50 })],
  [{ type: "http", url: "https://hooks.invalid/services/secret?secret" }],
])("a verdict contains nothing of what %j runs or asks", async (one) => {
  await using engine = await createEngine({ config: { hooks: { PreToolUse: [{ hooks: [one] }] } }, cacheDir: false });
  const verdict = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
  expect(verdict).toMatchObject({ decision: "deny", reason: expect.stringMatching(/^config PreToolUse #1/) });
  expect(JSON.stringify(verdict)).not.toContain("secret");
});
