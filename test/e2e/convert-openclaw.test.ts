import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import { inProcess } from "./in-process.ts";

/** The plugin that is written for OpenClaw, loaded and asked as OpenClaw would; in hookbox's place stand programs for `sh`. */

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

type Handler = (event: object, ctx: object) => unknown;

interface Loaded {
  readonly hooks: ReadonlyMap<string, { readonly handler: Handler; readonly timeoutMs: number }>;
  /** What hookbox was started with, and given. */
  asked(): { readonly args: string[]; readonly input: object };
  readonly exitCode: number | null;
  readonly report: string;
}

/** `program`: the script that answers for hookbox. */
async function plugin(config: object, program: string, from = "claude-code"): Promise<Loaded> {
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
  const args = ["convert", "--from", from, "--to", "openclaw", "settings.json", "--out", "plugin/index.mjs"];
  const { exitCode, stderr } = await inProcess(args, { cwd });
  const file = join(cwd, "plugin/index.mjs");
  // Which program is asked is read when the module is loaded.
  const text = readFileSync(file, "utf8").replace('process.env.HOOKBOX_PROGRAM ?? "hookbox"', JSON.stringify(fake));
  writeFileSync(file, text);
  const { default: loaded } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    default: { register(api: object): void };
  };
  const hooks = new Map<string, { handler: Handler; timeoutMs: number }>();
  loaded.register({
    on: (name: string, handler: Handler, { timeoutMs }: { timeoutMs: number }) =>
      hooks.set(name, { handler, timeoutMs }),
  });
  const asked = () => ({
    args: readFileSync(join(cwd, "args"), "utf8").trim().split("\n"),
    input: JSON.parse(readFileSync(join(cwd, "input"), "utf8")) as object,
  });
  return { hooks, asked, exitCode, report: stderr };
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

test("asks hookbox about each hooked moment, with the original file beside it", async () => {
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

test("takes an empty answer for no opinion", async () => {
  expect(await ask(await plugin(at("PreToolUse"), "echo '{}'"), "before_tool_call")).toBeUndefined();
});

test.each([
  ["dies", "exit 3", "exit code 3"],
  ["refuses to work with its configuration", "echo broken >&2; exit 2", "exit code 2: broken"],
  ["is killed", "kill -KILL $$", "SIGKILL"],
  ["says nothing", "true", "JSON"],
  ["says nonsense", "echo '{\"block\": fal'", "JSON"],
  ["says something that is no answer", "echo '[]'", "no object"],
])("blocks the tool call when hookbox %s", async (_, program, why) => {
  const result = await ask(await plugin(at("PreToolUse"), program), "before_tool_call");
  expect(result).toMatchObject({ block: true });
  expect((result as { blockReason: string }).blockReason).toContain(why);
});

test("hands on what hookbox prints beside a refusal of its own", async () => {
  const loaded = await plugin(at("PreToolUse"), `echo '{"block":true,"blockReason":"no such file"}'; exit 2`);
  expect(await ask(loaded, "before_tool_call")).toEqual({ block: true, blockReason: "no such file" });
});

test.each(["MessageSending", "BeforeMessageWrite", "BeforeAgentRun", "BeforeInstall", "SubagentSpawning"])(
  "shuts %s when hookbox cannot be asked, where a rule of our own guards it",
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

test("goes on there when that is how the rule wants it", async () => {
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

test("blocks a tool call that cannot be told", async () => {
  const loaded = await plugin(at("PreToolUse"), "echo '{}'");
  const event = { ...call, params: { run: () => {} } };
  const result = await loaded.hooks.get("before_tool_call")?.handler(event, {});
  expect(result).toMatchObject({ block: true, blockReason: expect.stringContaining("run is a function") });
});

test("goes on without an answer where nothing is guarded, and names what is never asked", async () => {
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
