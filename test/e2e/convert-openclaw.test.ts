import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { inProcess } from "./in-process.ts";

/** Loads and asks the plugin that is written for OpenClaw as OpenClaw does. Shell scripts replace hookbox. */

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

type Handler = (event: object, ctx: object) => unknown;

interface Loaded {
  readonly hooks: ReadonlyMap<string, { readonly handler: Handler; readonly timeoutMs: number }>;
  /** The arguments and the input that hookbox was started with. */
  asked(): { readonly args: string[]; readonly input: object };
  readonly exitCode: number | null;
  readonly report: string;
  readonly folder: string;
  /** Reads a JSON file of the plugin's folder. */
  read(name: string): unknown;
}

/** `program`: the script that answers instead of hookbox. */
async function plugin(
  config: object,
  program: string,
  from = "claude-code",
  { options = [], api = {} }: { readonly options?: readonly string[]; readonly api?: object } = {},
): Promise<Loaded> {
  const cwd = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
  folders.push(cwd);
  writeFileSync(join(cwd, "settings.json"), JSON.stringify(config));
  const entry = join(cwd, "node_modules/openclaw/plugin-sdk");
  mkdirSync(entry, { recursive: true });
  writeFileSync(join(entry, "plugin-entry.js"), "export const definePluginEntry = (entry) => entry;\n");
  const exports = { "./plugin-sdk/plugin-entry": "./plugin-sdk/plugin-entry.js" };
  writeFileSync(join(entry, "../package.json"), JSON.stringify({ name: "openclaw", type: "module", exports }));
  const fake = join(cwd, "fake-hookbox");
  writeFileSync(fake, `#!/bin/sh\nprintf '%s\\n' "$@" > '${cwd}/args'\ncat > '${cwd}/input'\n${program}\n`);
  chmodSync(fake, 0o755);
  const args = ["convert", "--from", from, "--to", "openclaw", "settings.json", "--out", "plugin", ...options];
  const { exitCode, stderr } = await inProcess(args, { cwd });
  const file = join(cwd, "plugin/index.js");
  // The module reads when it is loaded which program it starts.
  const text = readFileSync(file, "utf8").replace('process.env.HOOKBOX_PROGRAM ?? "hookbox"', JSON.stringify(fake));
  writeFileSync(file, text);
  const { default: loaded } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    default: { register(api: object): void };
  };
  const hooks = new Map<string, { handler: Handler; timeoutMs: number }>();
  loaded.register({
    ...api,
    on: (name: string, handler: Handler, { timeoutMs }: { timeoutMs: number }) =>
      hooks.set(name, { handler, timeoutMs }),
  });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(cwd, "plugin", name), "utf8"));
  const asked = () => ({
    args: readFileSync(join(cwd, "args"), "utf8").trim().split("\n"),
    input: JSON.parse(readFileSync(join(cwd, "input"), "utf8")) as object,
  });
  return { hooks, asked, exitCode, report: stderr, folder: join(cwd, "plugin"), read };
}

const at = (event: string, timeout = 2) => ({
  hooks: { [event]: [{ hooks: [{ type: "command", command: "x", timeout }] }] },
});
const call = { toolName: "exec", params: { command: "ls" } };

async function ask(loaded: Loaded, hook: string): Promise<unknown> {
  const registered = loaded.hooks.get(hook);
  if (registered === undefined) throw new Error(`not registered: ${hook}`);
  return registered.handler(call, { runId: "r", log: () => {} });
}

test("asks hookbox at each hooked event, with the original file next to the plugin", async () => {
  const loaded = await plugin(at("PreToolUse"), `echo '{"block":true,"blockReason":"no"}'`);
  expect([...loaded.hooks.keys()]).toEqual(["before_tool_call"]);
  expect(await ask(loaded, "before_tool_call")).toEqual({ block: true, blockReason: "no" });
  const { args, input } = loaded.asked();
  expect(args.slice(0, 4)).toEqual(["run", "--dialect", "openclaw", "--config"]);
  expect(args[4]).toMatch(/settings\.json$/);
  expect(readFileSync(args[4] as string, "utf8")).toBe(JSON.stringify(at("PreToolUse")));
  expect(args.slice(5)).toEqual(["--format", "claude-code", "--patience", expect.stringMatching(/^\d+ms$/)]);
  expect(input).toEqual({ hook: "before_tool_call", event: call, ctx: { runId: "r" } });
  expect(loaded).toMatchObject({ exitCode: 0 });
  expect(loaded.report).toContain("nothing lost");
});

test("OC-34: is a folder that OpenClaw loads, and the user's further steps are printed", async () => {
  const { read, folder, report } = await plugin(at("PreToolUse"), "echo '{}'");
  expect(read("package.json")).toMatchObject({ type: "module", openclaw: { extensions: ["./index.js"] } });
  expect(read("openclaw.plugin.json")).toMatchObject({
    id: "hookbox",
    activation: { onStartup: true },
    configSchema: { type: "object" },
  });
  const settings = JSON.parse(/openclaw\.json\):\n([\s\S]*?)\n {2}If plugins/.exec(report)?.[1] ?? "") as object;
  expect(settings).toEqual({ plugins: { load: { paths: [folder] }, entries: { hookbox: { enabled: true } } } });
  expect(report).toContain("openclaw plugins inspect hookbox --runtime\n");
  expect(report).toContain('Under "Typed hooks" it must list before_tool_call.');
});

describe("a gate at which OpenClaw needs leave to ask a plugin", () => {
  const LEAVE = { plugins: { entries: { hookbox: { hooks: { allowConversationAccess: true } } } } };
  const converted = async (event: string, settings?: object): Promise<{ code: number | null; data: Converted }> => {
    const cwd = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
    folders.push(cwd);
    writeFileSync(join(cwd, "hookbox.json"), JSON.stringify(at(event)));
    if (settings !== undefined) writeFileSync(join(cwd, "openclaw.json"), JSON.stringify(settings));
    const given = settings === undefined ? [] : ["--settings", "openclaw.json"];
    const args = ["convert", "--from", "hookbox", "--to", "openclaw", "hookbox.json", "--out", "plugin", "--json"];
    const { exitCode, stdout } = await inProcess([...args, ...given], { cwd });
    return { code: exitCode, data: JSON.parse(stdout) as Converted };
  };
  interface Converted {
    readonly losses: readonly { readonly what: string; readonly consequence: string; readonly why: string }[];
    readonly settings: { readonly plugins: { readonly entries: object; readonly allow?: readonly string[] } };
    readonly hooks: number;
    readonly asked: readonly string[];
    readonly proof: string;
  }

  test.each([
    ["BeforeAgentRun", "before_agent_run"],
    ["Stop", "before_agent_finalize"],
  ])("OC-35: is reported as looser at %s, and the setting is printed", async (event, hook) => {
    const { code, data } = await converted(event);
    expect(code).toBe(1);
    expect(data.losses).toMatchObject([
      { what: "permission", consequence: "looser", why: expect.stringContaining(hook) },
    ]);
    expect(data.losses[0]?.why).toContain("plugins.entries.hookbox.hooks.allowConversationAccess: true");
    expect(data.settings.plugins.entries).toEqual({
      hookbox: { enabled: true, hooks: { allowConversationAccess: true } },
    });
    expect(data).toMatchObject({ hooks: 1, asked: [hook], proof: "openclaw plugins inspect hookbox --runtime" });
  });

  test("is not looser if the settings give leave", async () => {
    expect(await converted("BeforeAgentRun", LEAVE)).toMatchObject({ code: 0, data: { losses: [] } });
  });

  test.each(["BeforePromptBuild", "AgentTurnPrepare", "BeforeModelResolve", "ModelInput", "AfterModelCall", "TurnEnd"])(
    "is reported at %s, where no hook is a guard",
    async (event) => {
      const { code, data } = await converted(event);
      expect({ code, losses: data.losses }).toMatchObject({
        code: 0,
        losses: [{ what: "permission", consequence: "gone" }],
      });
    },
  );

  test.each([
    ["autohand", { hooks: { hooks: [{ event: "stop", command: "x" }] } }],
    ["claude-code", { hooks: { Stop: [{ hooks: [{ type: "command", command: "x", async: true }] }] } }],
  ])("is no gate for a hook of %s that could refuse nothing at its own event", async (from, config) => {
    const { report, exitCode } = await plugin(config, "echo '{}'", from);
    expect(report).toContain("gone: hooks that cannot refuse anything");
    expect(report).toContain("no gate is looser");
    expect(exitCode).toBe(0);
  });

  test("is lost where newer versions have no such hook, whatever the settings are", async () => {
    const { code, data } = await converted("SubagentSpawning", LEAVE);
    expect({ code, losses: data.losses }).toMatchObject({ code: 1, losses: [{ consequence: "looser" }] });
  });

  test("is lost if the settings forbid changing prompts", async () => {
    const hooks = { allowConversationAccess: true, allowPromptInjection: false };
    const { data } = await converted("BeforePromptBuild", { plugins: { entries: { hookbox: { hooks } } } });
    expect(data.losses).toMatchObject([{ why: expect.stringContaining("allowPromptInjection") }]);
  });

  test("is added to a list of allowed plugins", async () => {
    const { data } = await converted("PreToolUse", { plugins: { allow: ["telegram"] } });
    expect(data.settings.plugins.allow).toEqual(["telegram", "hookbox"]);
  });
});

test.each([
  ["--out", "plugin/index.mjs"],
  ["--out", "plugin.ts"],
])("refuses %s %s: OpenClaw takes the id of a single module from its name", async (...out) => {
  const cwd = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
  folders.push(cwd);
  writeFileSync(join(cwd, "settings.json"), JSON.stringify(at("PreToolUse")));
  const args = ["convert", "--from", "claude-code", "--to", "openclaw", "settings.json", ...out];
  const { exitCode, stderr } = await inProcess(args, { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("name a folder with --out") });
});

test("overwrites an existing plugin only with --force", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "hookbox-openclaw-"));
  folders.push(cwd);
  writeFileSync(join(cwd, "settings.json"), JSON.stringify(at("PreToolUse")));
  const args = ["convert", "--from", "claude-code", "--to", "openclaw", "settings.json", "--out", "plugin"];
  expect((await inProcess(args, { cwd })).exitCode).toBe(0);
  const again = await inProcess(args, { cwd });
  expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("plugin/index.js already exists") });
  expect((await inProcess([...args, "--force"], { cwd })).exitCode).toBe(0);
});

describe("the working directory of a tool call", () => {
  const runtime = { agent: { resolveAgentWorkspaceDir: (_: object, agentId: string) => `/workspaces/${agentId}` } };
  const told = async (event: object, ctx: object, api: object = { runtime, config: {} }): Promise<object> => {
    const loaded = await plugin(at("PreToolUse"), "echo '{}'", "claude-code", { api });
    await loaded.hooks.get("before_tool_call")?.handler(event, ctx);
    return (loaded.asked().input as { ctx: object }).ctx;
  };

  test("is the workspace of its agent, if OpenClaw sends none", async () => {
    expect(await told(call, { agentId: "main" })).toEqual({ agentId: "main", workspaceDir: "/workspaces/main" });
  });

  test.each([
    ["OpenClaw says it", call, { agentId: "main", workspaceDir: "/w" }, undefined],
    ["nobody knows the agent", call, { runId: "r" }, undefined],
    [
      "it runs on another machine",
      { ...call, params: { command: "ls", host: "node" } },
      { agentId: "main" },
      undefined,
    ],
    ["OpenClaw cannot tell", call, { agentId: "main" }, {}],
  ])("is not changed if %s", async (_, event, ctx, api) => {
    expect(await told(event, ctx, api)).toEqual(ctx);
  });
});

test("treats an empty answer as no opinion", async () => {
  expect(await ask(await plugin(at("PreToolUse"), "echo '{}'"), "before_tool_call")).toBeUndefined();
});

test.each([
  ["dies", "exit 3", "exit code 3"],
  ["refuses to work with its configuration", "echo broken >&2; exit 2", "exit code 2: broken"],
  ["is killed", "kill -KILL $$", "SIGKILL"],
  ["says nothing", "true", "JSON"],
  ["says nonsense", "echo '{\"block\": fal'", "JSON"],
  ["says something that is no answer", "echo '[]'", "not an object"],
])("blocks the tool call when hookbox %s", async (_, program, why) => {
  const result = await ask(await plugin(at("PreToolUse"), program), "before_tool_call");
  expect(result).toMatchObject({ block: true });
  expect((result as { blockReason: string }).blockReason).toContain(why);
});

test("passes on what hookbox prints together with its own refusal", async () => {
  const loaded = await plugin(at("PreToolUse"), `echo '{"block":true,"blockReason":"no such file"}'; exit 2`);
  expect(await ask(loaded, "before_tool_call")).toEqual({ block: true, blockReason: "no such file" });
});

test.each(["MessageSending", "BeforeMessageWrite", "BeforeAgentRun", "BeforeInstall", "SubagentSpawning"])(
  "shuts %s when hookbox cannot be asked, if a rule of hookbox guards it",
  async (event) => {
    const loaded = await plugin(at(event), "exit 3", "hookbox");
    const [hook = ""] = loaded.hooks.keys();
    const refusal = (await ask(loaded, hook)) as Record<string, unknown>;
    expect([
      refusal["cancel"],
      refusal["block"],
      refusal["outcome"] === "block",
      refusal["status"] === "error",
    ]).toContain(true);
  },
);

test("goes on there if the rule is configured to fail open", async () => {
  const hooks = { MessageSending: [{ hooks: [{ type: "command", command: "x", onFailure: "continue" }] }] };
  const loaded = await plugin({ hooks }, "exit 3", "hookbox");
  expect(await ask(loaded, "message_sending")).toBeUndefined();
});

test("blocks the tool call when hookbox is late, and gives OpenClaw a longer deadline than hookbox", async () => {
  const loaded = await plugin(at("PreToolUse", 0.001), "exec sleep 30");
  const begun = performance.now();
  expect(await ask(loaded, "before_tool_call")).toMatchObject({
    block: true,
    blockReason: expect.stringContaining("3335 ms"),
  });
  expect(performance.now() - begun).toBeLessThan(5_000);
  expect(loaded.hooks.get("before_tool_call")?.timeoutMs).toBe(4_335);
});

test("blocks a tool call that cannot be encoded", async () => {
  const loaded = await plugin(at("PreToolUse"), "echo '{}'");
  const event = { ...call, params: { run: () => {} } };
  const result = await loaded.hooks.get("before_tool_call")?.handler(event, {});
  expect(result).toMatchObject({ block: true, blockReason: expect.stringContaining("run is a function") });
});

test("goes on without an answer if nothing is guarded, and names hooks that are never asked", async () => {
  const config = { hooks: { ...at("Stop").hooks, ...at("UserPromptSubmit").hooks } };
  const loaded = await plugin(config, "exit 3");
  expect([...loaded.hooks.keys()]).toEqual(["before_agent_finalize"]);
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  expect(await ask(loaded, "before_agent_finalize")).toBeUndefined();
  expect(said.mock.calls).toEqual([["hookbox: before_agent_finalize: ended with exit code 3"]]);
  said.mockRestore();
  expect(loaded.exitCode).toBe(1);
  expect(loaded.report).toContain("openclaw has no event UserPromptSubmit");
});
