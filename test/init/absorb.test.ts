import { existsSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../../src/index.ts";
import type { JsonObject } from "../../src/json.ts";
import { accountOf } from "../e2e/approve.ts";
import { type CliResult, hookbox } from "../e2e/cli.ts";
import { sampleOf } from "../helpers/tier.ts";
import { askEntry, initWorld, type World } from "./init-world.ts";

const SETTINGS = ".claude/settings.json";
const ABSORBED = ".config/hookbox/absorbed.claude-code.json";

const command = (text: string, more: object = {}): object => ({ type: "command", command: text, ...more });
const denies = (word: string): object =>
  command(`grep -q '"[^"]*${word}' && { echo 'no ${word}' >&2; exit 2; }; exit 0`, { timeout: 50 });

/** Returns settings with twenty hooks of all handler types. Seven of them must stay. */
function twentyHooks(url: string): string {
  const json = (value: unknown): string => `'${JSON.stringify(value)}'`;
  const decides = (permissionDecision: string, more: object = {}): object => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason: "asked", ...more },
  });
  const hooks = {
    PreToolUse: [
      { matcher: "Bash", hooks: [denies("rm -rf"), denies("curl"), command("exit 1", { if: "Bash(git *)" })] },
      {
        matcher: "Write|Edit",
        hooks: [denies("[.]env"), command(`printf %s ${json(decides("ask"))}`, { timeout: 5 })],
      },
      { matcher: "mcp__.*", hooks: [command("exit 2", { onFailure: "block" })] },
      { matcher: "Read", hooks: [{ type: "http", url, timeout: 20 }] },
      { matcher: "WebFetch", hooks: [{ type: "prompt", prompt: "Is this well? $ARGUMENTS" }] },
      { hooks: [command("/bin/sh", { args: ["-c", 'test -n "$HOME"'] }), command("sleep 0", { async: true })] },
      { matcher: "Glob", hooks: [{ type: "mcp_tool", server: "checks", tool: "judge" }] },
    ],
    PostToolUse: [
      { matcher: "Bash", hooks: [command("echo done"), command("true"), { type: "http", url: `${url}/post` }] },
      { matcher: "Bash|Edit", hooks: [command("exit 2")] },
    ],
    UserPromptSubmit: [{ hooks: [denies("password"), { type: "prompt", prompt: "Polite? $ARGUMENTS" }] }],
    Stop: [{ hooks: [{ type: "agent", prompt: "Are the tests green? $ARGUMENTS" }, command("true", { once: true })] }],
    WorktreeCreate: [{ hooks: [command("echo /tmp/somewhere")] }],
  };
  return `{\n  // the user's\n  "model": "x",\n  "hooks": ${JSON.stringify(hooks, null, 2).replaceAll("\n", "\n  ")}\n}\n`;
}

const STAYING = ["async", "once", "prompt", "agent", "mcp_tool"];

/** Returns the groups without the hooks that stay, in the form of a settings file. */
function onlyMoving(settings: string): string {
  type Groups = Record<string, { readonly hooks: readonly Record<string, unknown>[] }[]>;
  const { hooks } = JSON.parse(settings.replace("// the user's", "")) as { readonly hooks: Groups };
  const stays = (hook: Record<string, unknown>): boolean =>
    STAYING.includes(hook["type"] as string) || STAYING.some((key) => hook[key] === true);
  const kept = Object.entries(hooks)
    .filter(([event]) => event !== "WorktreeCreate")
    .map(([event, groups]) => [
      event,
      groups.map((group) => ({ ...group, hooks: group.hooks.filter((hook) => !stays(hook)) })),
    ]);
  return JSON.stringify({ hooks: Object.fromEntries(kept) });
}

function fiveHundredEvents(cwd: string): readonly (readonly [string, JsonObject])[] {
  const texts = [
    "ls",
    "rm -rf x",
    "git push",
    "curl x.test",
    "echo '.env'",
    "cat password",
    "make",
    "git status; rm -rf .",
  ];
  const tools = ["Bash", "Write", "Edit", "Read", "mcp__a__b", "Grep"];
  const made: (readonly [string, JsonObject])[] = [];
  for (let index = 0; made.length < 500; index++) {
    const tool_name = tools[index % tools.length] as string;
    const text = `${texts[Math.floor(index / tools.length) % texts.length]} ${index % 7}`;
    const input = tool_name === "Bash" ? { command: text } : { file_path: `${cwd}/${text}`, content: text };
    if (index % 10 === 9) made.push(["UserPromptSubmit", { prompt: text, cwd }]);
    else if (index % 10 === 8) made.push(["PostToolUse", { tool_name, tool_input: input, tool_response: {}, cwd }]);
    else made.push(["PreToolUse", { tool_name, tool_input: input, cwd }]);
  }
  return made;
}

test("the hooks that move give the same verdicts as before, for 500 events (npm test: 50), behind one entry", {
  timeout: 600_000,
}, async () => {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(body.includes(".env") ? '{"decision":"block","reason":"not this file"}' : "{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const before = twentyHooks(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  const world = initWorld({ [SETTINGS]: before });
  const done = await world.run("init", "claude-code", "--absorb", "--yes", "--json");
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  const { absorbed, stayed } = JSON.parse(done.stdout) as {
    readonly absorbed: number;
    readonly stayed: readonly object[];
  };
  expect([absorbed, stayed.length]).toEqual([13, 7]);
  const after = world.read(SETTINGS) ?? "";
  expect(after).toContain("the user's");
  expect(after.match(/"--event", "PreToolUse"/g)).toHaveLength(1);
  expect(after).not.toContain("grep -q");
  const engineOf = (file: string, text: string): Promise<Engine> =>
    createEngine({
      configFiles: [{ file: join(world.home, file), text, dialect: "claude-code", layer: "command-line" }],
    });
  const [old, now] = await Promise.all([
    engineOf(SETTINGS, onlyMoving(before)),
    engineOf(ABSORBED, world.read(ABSORBED) ?? ""),
  ]);
  onTestFinished(async () => void (await Promise.all([old.close(), now.close()])));
  const decided: Record<string, number> = {};
  const kindOf = ([event, payload]: readonly [string, JsonObject]): string => `${event} ${payload["tool_name"]}`;
  for (const [event, payload] of sampleOf(fiveHundredEvents(world.project), 10, kindOf)) {
    const [first, second] = await Promise.all([old.dispatch(event, payload), now.dispatch(event, payload)]);
    const said = ({ decision, reason, additionalContext }: typeof first): object => ({
      decision,
      reason,
      additionalContext,
    });
    const unnamed = (verdict: object): string =>
      JSON.stringify(verdict).replaceAll(/(settings|absorbed\.claude-code)\.json/g, "FILE");
    expect([event, payload, unnamed(said(second))]).toEqual([event, payload, unnamed(said(first))]);
    decided[first.decision] = (decided[first.decision] ?? 0) + 1;
  }
  expect(Object.keys(decided).length).toBeGreaterThanOrEqual(3);
  expect(await world.run("init", "claude-code", "--yes")).toMatchObject({
    stdout: expect.stringContaining("Nothing to do"),
  });
  await world.run("init", "claude-code", "--remove", "--yes");
  expect([world.read(SETTINGS), world.read(ABSORBED)]).toEqual([before, undefined]);
});

test("hooks that moved come back if the settings were changed after init", async () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [command("exit 2")] }], Stop: [{ hooks: [command("true")] }] };
  const world = initWorld({ [SETTINGS]: JSON.stringify({ hooks }) });
  await world.run("init", "claude-code", "--absorb", "--yes");
  world.write(SETTINGS, (world.read(SETTINGS) ?? "").replace("{", '{ "model": "y",'));
  await world.run("init", "claude-code", "--remove", "--yes");
  expect(JSON.parse(world.read(SETTINGS) ?? "")).toEqual({ model: "y", hooks });
});

test("an absorbed hook denies through the entry, with the variables of its settings", async () => {
  const hook = command('test "$MINE" = yes && test -d ~ && { echo "not $MINE" >&2; exit 2; }');
  const world = initWorld({
    [SETTINGS]: JSON.stringify({ env: { MINE: "yes" }, hooks: { PreToolUse: [{ hooks: [hook] }] } }),
  });
  await world.run("init", "claude-code", "--absorb", "--yes");
  const answer = await askEntry(world, world.read(SETTINGS) ?? "", "PreToolUse", "ls", { MINE: "yes" });
  expect(answer.stdout + answer.stderr).toContain("not yes");
});

const PLUGIN = ".claude/plugins/cache/market/gate/1.0.0";

/** A plugin of the user with one hook, whose script finds the plugin's folder by its variable. */
function withPlugin(hook: object = {}, source: object = { source: "github", repo: "a/b" }): World {
  const run = { type: "command", command: 'sh "$' + '{CLAUDE_PLUGIN_ROOT}/hooks/check.sh"', ...hook };
  const world = initWorld({
    [SETTINGS]: '{\n  "enabledPlugins": { "gate@market": true, "other@market": false },\n  "model": "x"\n}\n',
    [`${PLUGIN}/hooks/hooks.json`]: JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [run] }] } }),
    [`${PLUGIN}/hooks/check.sh`]: 'echo "no, says $(cat "$CLAUDE_PLUGIN_ROOT/word.txt")" >&2; exit 2\n',
    [`${PLUGIN}/word.txt`]: "the plugin",
    [`${PLUGIN}/.claude-plugin/plugin.json`]: '{ "name": "gate" }',
    ".claude/plugins/known_marketplaces.json": JSON.stringify({ market: { source } }),
  });
  const place = { scope: "user", installPath: join(world.home, PLUGIN) };
  world.write(".claude/plugins/installed_plugins.json", JSON.stringify({ plugins: { "gate@market": [place] } }));
  return world;
}

test("hooks of a plugin stay, and init says that --plugins moves them", async () => {
  const world = withPlugin();
  const { stdout } = await world.run("init", "claude-code", "--absorb", "--yes");
  expect(stdout).toContain("Stays in the settings: plugin gate@market (with --plugins its hooks move");
  expect(world.read(SETTINGS)).toContain('"gate@market": true');
});

test("--plugins moves the hooks of a plugin, which is switched off until --remove", async () => {
  const world = withPlugin();
  const before = world.read(SETTINGS) ?? "";
  const { stdout } = await world.run("init", "claude-code", "--absorb", "--plugins", "--yes");
  expect(stdout).toContain("Switches the plugin gate@market off: its hooks move");
  expect(world.read(SETTINGS)).toContain('"gate@market": false, "other@market": false');
  expect((await world.run("init", "claude-code", "--yes")).stdout).toContain("Nothing to do");
  // Claude Code may remove the folder of a plugin that it does not use.
  rmSync(join(world.home, ".claude/plugins/cache"), { recursive: true });
  const answer = await askEntry(world, world.read(SETTINGS) ?? "", "PreToolUse", "ls");
  expect(answer.stdout + answer.stderr).toContain("no, says the plugin");
  await world.run("init", "claude-code", "--remove", "--yes");
  expect([world.read(SETTINGS), existsSync(join(world.home, ".config/hookbox/plugins/gate@market"))]).toEqual([
    before,
    false,
  ]);
});

test("--remove switches a plugin on again if the settings were changed after init", async () => {
  const world = withPlugin();
  await world.run("init", "claude-code", "--absorb", "--plugins", "--yes");
  world.write(SETTINGS, (world.read(SETTINGS) ?? "").replace('"x"', '"y"'));
  await world.run("init", "claude-code", "--remove", "--yes");
  expect(JSON.parse(world.read(SETTINGS) ?? "")).toEqual({
    enabledPlugins: { "gate@market": true, "other@market": false },
    model: "y",
  });
});

test.each([
  ["an async hook", { async: true }, undefined, "no call waits for it"],
  [
    "a hook that needs the plugin's data",
    { command: 'test -d "$CLAUDE_PLUGIN_DATA"' },
    undefined,
    "only the agent has",
  ],
  ["a marketplace that is a folder", {}, { source: "directory", path: "/x" }, "its marketplace is a folder"],
])("a plugin with %s stays as a whole", async (_, hook, source, why) => {
  const world = withPlugin(hook, source);
  const { stdout } = await world.run("init", "claude-code", "--absorb", "--plugins", "--yes");
  expect(stdout).toMatch(new RegExp(`Stays in the settings: plugin gate@market \\(.*${why}`));
  expect(world.read(SETTINGS)).toContain('"gate@market": true');
});

test("a plugin whose hooks cannot be read stays, and does not stop the move of the other hooks", async () => {
  const world = withPlugin();
  world.write(`${PLUGIN}/hooks/hooks.json`, '{ "hooks": ');
  const { exitCode, stdout } = await world.run("init", "claude-code", "--absorb", "--plugins", "--yes");
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining("plugin gate@market (its hooks cannot be read)")]);
});

test("hooks run only with --try, which refuses a move after which a hook answers differently", async () => {
  const world = initWorld();
  const marker = join(world.home, "ran");
  const script = world.write(
    "check.sh",
    `echo >>${marker}; test "$MINE" = yes && exit 0; echo "MINE is not set" >&2; exit 2\n`,
  );
  const settings = (text: string): string =>
    JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [command(text)] }] } });
  const absorb = (...more: readonly string[]): Promise<CliResult> =>
    hookbox(["init", "claude-code", "--absorb", "--yes", ...more], {
      cwd: world.project,
      env: { ...world.env, MINE: "yes" },
      main: world.main,
    });
  world.write(SETTINGS, settings(`sh ${script}`));
  expect(await absorb("--try")).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/HOOK_INIT_ABSORB: the hooks at PreToolUse answer differently.*MINE is not set/),
  });
  expect([existsSync(marker), world.read(SETTINGS), world.read(ABSORBED)]).toEqual([
    true,
    settings(`sh ${script}`),
    undefined,
  ]);
  rmSync(marker);
  expect((await absorb()).exitCode).toBe(0);
  expect(existsSync(marker)).toBe(false);
  await world.run("init", "claude-code", "--remove", "--yes");
  world.write(SETTINGS, settings(`MINE=$MINE sh ${script}`));
  expect((await absorb("--try")).exitCode).toBe(0);
  expect(existsSync(marker)).toBe(true);
});

test("the user's settings can move from the home folder too", async () => {
  const hooks = { PreToolUse: [{ matcher: "Bash", hooks: [command("exit 2")] }] };
  const world = initWorld({ [SETTINGS]: JSON.stringify({ hooks }) });
  const env = { ...world.env, ...accountOf(world.home) };
  const args = ["init", "claude-code", "--absorb", "--dry-run"];
  expect(await hookbox(args, { cwd: world.home, env, main: world.main })).toMatchObject({ exitCode: 0, stderr: "" });
});

test("--absorb takes neither a project's hooks nor those of other agents, and no hooks that are switched off", async () => {
  const world = initWorld({ [SETTINGS]: '{ "disableAllHooks": true, "hooks": {} }' });
  for (const args of [["claude-code", "--project"], ["codex"], ["claude-code"]]) {
    const { exitCode, stderr } = await world.run("init", ...args, "--absorb", "--yes");
    expect([args, exitCode, stderr]).toEqual([args, 2, expect.stringContaining("HOOK_INIT_ABSORB")]);
  }
});

test("a hook whose program depends on the folder of the settings stays there", async () => {
  const hooks = [
    command("./hooks/check", { args: ["--fast"] }),
    command("hooks/check", { args: [] }),
    command("/bin/sh", { args: ["-c", "true"] }),
    command("./hooks/check --fast"),
  ];
  const world = initWorld({ [SETTINGS]: JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } }) });
  const { stdout } = await world.run("init", "claude-code", "--absorb", "--yes", "--json");
  const { absorbed, stayed } = JSON.parse(stdout) as { readonly absorbed: number; readonly stayed: readonly object[] };
  expect([absorbed, stayed.length]).toEqual([2, 2]);
  expect(JSON.stringify(stayed)).toContain("depends on the folder of the file");
});
