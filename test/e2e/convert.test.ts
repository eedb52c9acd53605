import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderWith } from "../config/config-files.ts";
import { inProcess } from "./in-process.ts";

const hooksAt = (event: string, ...hooks: object[]) => ({ hooks: { [event]: [{ hooks }] } });
const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });

interface Loss {
  readonly rule: string | null;
  readonly place: { readonly line?: number } | null;
  readonly what: string;
  readonly why: string;
  readonly consequence: string;
}

/** Returns the `--json` output of a conversion, and the exit code. */
async function converted(config: object, from: string, to: string, ...more: readonly string[]) {
  const cwd = folderWith({ "in.json": JSON.stringify(config) });
  const args = ["convert", "--from", from, "--to", to, "in.json", "--json", ...more];
  const { exitCode, stdout } = await inProcess(args, { cwd });
  return { exitCode, ...(JSON.parse(stdout) as { ok: boolean; losses: Loss[]; result: string; carried: number }) };
}

describe("hookbox convert", () => {
  test("writes the result to standard output and the report to standard error", async () => {
    const cwd = folderWith({
      "settings.json": JSON.stringify(hooksAt("PreToolUse", command("./look.sh", { timeout: 5 }))),
    });
    const { exitCode, stdout, stderr } = await inProcess(
      ["convert", "--from", "claude-code", "--to", "hookbox", "settings.json"],
      { cwd },
    );
    expect(JSON.parse(stdout)).toEqual({
      hooks: {
        PreToolUse: [{ hooks: [{ type: "command", command: "./look.sh", speaks: "claude-code", timeoutMs: 5_000 }] }],
      },
    });
    expect(stderr).toBe("  settings.json: 1 of 1 hook from claude-code to hookbox; nothing lost\n");
    expect(exitCode).toBe(0);
  });

  test("names a looser gate with its rule, place and reason, and exits with 1", async () => {
    const cwd = folderWith({
      "hookbox.json": `{
  "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [
    { "type": "wasm", "name": "shell-guard", "module": "builtin:shell-guard" }
  ] } ] }
}`,
    });
    const { exitCode, stdout, stderr } = await inProcess(
      ["convert", "--from", "hookbox", "--to", "claude-code", "hookbox.json"],
      { cwd },
    );
    expect(JSON.parse(stdout)).toEqual({ hooks: {} });
    expect(stderr).toBe(`  looser: a gate lets more through than before
    PreToolUse  shell-guard  hookbox.json:3:5
      the whole hook: claude-code has no guards; use a command hook that runs \`hookbox run --config FILE\`

  hookbox.json: 0 of 1 hook from hookbox to claude-code; 1 hook is looser
`);
    expect(exitCode).toBe(1);
  });

  test("keeps a gate of hookbox shut in the format of an agent that goes on after failures", async () => {
    const claude = await converted(hooksAt("PreToolUse", command("x")), "hookbox", "claude-code");
    expect(JSON.parse(claude.result).hooks.PreToolUse[0].hooks[0]).toMatchObject({ onFailure: "block" });
    expect(claude.exitCode).toBe(0);
    const patterns = await converted(hooksAt("PreToolUse", command("x")), "hookbox", "patterns");
    expect(patterns.losses).toContainEqual(expect.objectContaining({ what: "failures", consequence: "looser" }));
    expect(patterns.exitCode).toBe(1);
  });

  test("uses each agent's names for tools, and reports tools without one", async () => {
    const config = { hooks: { PreToolUse: [{ matcher: "Bash|KillShell", hooks: [command("x")] }] } };
    const { result, losses } = await converted(config, "claude-code", "docker-agent");
    expect(result).toContain("matcher: shell|run_background_job|KillShell");
    expect(losses).toContainEqual(expect.objectContaining({ what: 'matcher "KillShell"', consequence: "looser" }));
  });

  test("names what an agent cannot express, each with its effect", async () => {
    const hook = command("x", { if: "Bash(git *)", async: true, asyncRewake: true });
    const { losses } = await converted(hooksAt("PreToolUse", hook), "claude-code", "docker-agent");
    expect(losses.map(({ what }) => what)).toEqual(["if Bash(git *)", "async", "asyncRewake", "language"]);
    expect(losses.at(-1)).toMatchObject({
      rule: "in.json PreToolUse #1",
      place: { line: 1 },
      consequence: "other-words",
    });
  });

  test("names a hook that could not be read, and never drops it silently", async () => {
    const { losses, exitCode, carried } = await converted(
      hooksAt("PreToolUse", { type: "prompt", prompt: "" }, command("x")),
      "claude-code",
      "patterns",
    );
    expect(carried).toBe(1);
    expect(losses[0]).toMatchObject({ what: "the whole hook", consequence: "looser" });
    expect(losses[0]?.why).toContain("prompt has 0 characters");
    expect(exitCode).toBe(1);
  });

  test("puts hooks in the order in which they count, if the agent has no priorities", async () => {
    const config = hooksAt(
      "Stop",
      command("last", { priority: -1 }),
      command("first", { priority: 9 }),
      command("second"),
    );
    const { result, losses } = await converted(config, "hookbox", "claude-code");
    const commands = JSON.parse(result).hooks.Stop[0].hooks.map((hook: { command: string }) => hook.command);
    expect(commands).toEqual(["first", "second", "last"]);
    expect(losses.filter(({ what }) => what.startsWith("priority"))).toHaveLength(2);
  });

  test("does not let a hook that only records begin to count", async () => {
    const { result, losses, exitCode } = await converted(
      hooksAt("PreToolUse", command("x", { mode: "monitor" })),
      "hookbox",
      "claude-code",
    );
    expect(JSON.parse(result)).toEqual({ hooks: {} });
    expect(losses).toMatchObject([{ what: "the whole hook", consequence: "gone" }]);
    expect(exitCode).toBe(0);
  });

  test("rounds a deadline up to whole seconds for an agent that has only those", async () => {
    const cwd = folderWith({
      "settings.json": JSON.stringify({
        hooks: { PreToolUse: [{ matcher: "Bash|Edit", hooks: [command("x", { timeout: 1.5 })] }] },
      }),
    });
    const args = ["convert", "--from", "claude-code", "--to", "docker-agent", "settings.json", "--json"];
    const { losses } = JSON.parse((await inProcess(args, { cwd })).stdout) as { losses: Loss[] };
    expect(losses).toContainEqual(expect.objectContaining({ what: "timeout", why: "1500 ms become 2000 ms" }));
  });
});

describe("a hook after a tool", () => {
  const POST_TOOL = { hooks: { hooks: [{ event: "post-tool", command: "x" }] } };

  test.each(["claude-code", "agentao", "patterns"])(
    "is reported when %s has a separate event for failed tools",
    async (to) => {
      const { losses } = await converted(POST_TOOL, "autohand", to);
      expect(losses).toContainEqual(expect.objectContaining({ what: "tools that failed", consequence: "changed" }));
    },
  );

  test.each(["docker-agent", "autohand", "openclaw"])(
    "is reported when %s asks it after failed tools as well",
    async (to) => {
      const out = to === "openclaw" ? ["--out", "plugin"] : [];
      const { losses } = await converted(hooksAt("PostToolUse", command("x")), "claude-code", to, ...out);
      expect(losses).toContainEqual(
        expect.objectContaining({ what: "tools that failed", why: expect.stringContaining("also asked after them") }),
      );
    },
  );

  test("is looser if it could refuse after a failed tool and is no longer asked then", async () => {
    const config = { agents: { root: { hooks: { post_tool_use: [{ hooks: [command("x")] }] } } } };
    const { losses } = await converted(config, "docker-agent", "claude-code");
    expect(losses).toContainEqual(expect.objectContaining({ what: "tools that failed", consequence: "looser" }));
  });

  test.each([
    ["autohand", "docker-agent"],
    ["claude-code", "patterns"],
  ])("is not reported between %s and %s, which agree about failed tools", async (from, to) => {
    const config = from === "autohand" ? POST_TOOL : hooksAt("PostToolUse", command("x"));
    const { losses } = await converted(config, from, to);
    expect(losses.map(({ what }) => what)).not.toContain("tools that failed");
  });
});

describe("a failure that another agent treats differently", () => {
  const PRE_TOOL = { hooks: { hooks: [{ event: "pre-tool", command: "x" }] } };
  const why = async (to: string): Promise<string | undefined> =>
    (await converted(PRE_TOOL, "autohand", to)).losses.find(({ what }) => what === "failures")?.why;

  test("is reported to go ahead, by the agent's page, where hookbox refuses after it", async () => {
    expect(await why("docker-agent")).toMatch(/^timeout, .*; by autohand's documentation it went ahead$/);
  });

  test("is reported to be refused in hookbox, where the agent's page goes on after it", async () => {
    expect(await why("claude-code")).toMatch(/^exit, .*; in hookbox it was refused$/);
  });
});

describe("a gate is looser, and the exit code says so,", () => {
  const at = (losses: readonly Loss[], what: string) => losses.find((loss) => loss.what === what);

  test.each([
    ["claude-code", "docker-agent"],
    ["claude-code", "autohand"],
    ["claude-code", "agentao"],
    ["hookbox", "docker-agent"],
  ])("if a guard of %s receives the format of %s", async (from, to) => {
    const { exitCode, losses } = await converted(hooksAt("PreToolUse", command("look")), from, to);
    expect(at(losses, "language")).toMatchObject({ consequence: "looser" });
    expect(exitCode).toBe(1);
    const watching = await converted(hooksAt("SessionStart", command("look")), from, to);
    expect(at(watching.losses, "language")).toMatchObject({ consequence: "other-words" });
  });

  test("if a guard of the generic pattern loses the variables that it may depend on", async () => {
    const config = {
      hooks_config: { PreToolUse: [{ hooks: [command('case "$tool_input_command" in rm*) exit 2; esac')] }] },
    };
    const { exitCode, losses } = await converted(config, "patterns", "claude-code");
    expect(at(losses, "language")).toMatchObject({ consequence: "looser" });
    expect(exitCode).toBe(1);
    const web = { hooks_config: { PreToolUse: [{ hooks: [{ type: "http", url: "http://localhost:9/a" }] }] } };
    expect((await converted(web, "patterns", "claude-code")).losses).toMatchObject(
      [{ what: "language", consequence: "other-words" }, { what: "failures" }].slice(0, 1),
    );
  });

  test("if a rewrite that would have made a call harmless is lost", async () => {
    const { losses } = await converted(hooksAt("PreToolUse", command("x")), "claude-code", "agentao");
    expect(at(losses, "rewrites")).toMatchObject({ consequence: "looser" });
    const gone = await converted(
      hooksAt("PreToolUse", { type: "wasm", module: "builtin:shell-guard", may: ["rewrite"] }),
      "hookbox",
      "claude-code",
    );
    expect(gone.losses).toMatchObject([{ what: "the whole hook", consequence: "looser" }]);
  });

  test("if another shell reads a guard's command", async () => {
    const bash = command("[[ $x == y ]] && exit 2", { shell: "bash" });
    const { losses } = await converted(hooksAt("PreToolUse", bash), "claude-code", "patterns");
    expect(at(losses, "shell bash")).toMatchObject({ consequence: "looser" });
    const exec = await converted(hooksAt("PreToolUse", { ...bash, args: [] }), "claude-code", "patterns");
    expect(at(exec.losses, "shell bash")?.consequence).not.toBe("looser");
  });

  test("if a guard's path is resolved in another folder, and the agent goes on without it", async () => {
    const { losses } = await converted(hooksAt("PreToolUse", command("./look.sh")), "hookbox", "patterns");
    expect(at(losses, "working directory")).toMatchObject({ consequence: "looser" });
    const shut = await converted(hooksAt("PreToolUse", command("./look.sh")), "hookbox", "claude-code");
    expect(at(shut.losses, "working directory")).toMatchObject({ consequence: "stricter" });
    const onPath = await converted(hooksAt("PreToolUse", command("look --url http://a/b")), "hookbox", "patterns");
    expect(at(onPath.losses, "working directory")).toMatchObject({ consequence: "changed" });
  });

  test("if a guard's command needs a variable that the other agent does not set", async () => {
    const hook = command('"$CLAUDE_PROJECT_DIR"/look.sh');
    const { losses } = await converted(hooksAt("PreToolUse", hook), "claude-code", "docker-agent");
    expect(at(losses, "CLAUDE_PROJECT_DIR")).toMatchObject({ consequence: "looser" });
    expect((await converted(hooksAt("PreToolUse", hook), "claude-code", "hookbox")).losses).toEqual([]);
  });

  test("if a filter names a tool that the other agent does not have", async () => {
    const hook = command("x", { filter: { tools: ["Bash", "KillShell"] } });
    const { losses } = await converted(hooksAt("PreToolUse", hook), "hookbox", "autohand");
    expect(losses).toContainEqual(expect.objectContaining({ what: 'filter "KillShell"', consequence: "looser" }));
  });

  test("if hooks that were switched off begin to count, and may allow", async () => {
    const config = { ...hooksAt("PreToolUse", command("x")), disableAllHooks: true };
    const { exitCode, losses } = await converted(config, "claude-code", "patterns");
    expect(losses[0]).toMatchObject({ rule: null, consequence: "looser" });
    expect(exitCode).toBe(1);
    const watching = { ...hooksAt("SessionStart", command("x")), disableAllHooks: true };
    expect((await converted(watching, "claude-code", "patterns")).losses[0]).toMatchObject({ consequence: "changed" });
  });
});

test("writes nothing for managed settings about plugins, and says so", async () => {
  const config = { ...hooksAt("PreToolUse", command("x")), strictPluginOnlyCustomization: ["hooks"] };
  for (const to of ["hookbox", "claude-code", "docker-agent"]) {
    const { carried, losses } = await converted(config, "claude-code", to);
    expect(carried).toBe(1);
    if (to !== "claude-code") expect(losses[0]).toMatchObject({ rule: null, consequence: "changed" });
  }
});

test("names the variables of a plugin that a hook loses outside of the plugin", async () => {
  const hook = command("$" + "{CLAUDE_PLUGIN_ROOT}/look.sh");
  const cwd = folderWith({ "hooks.json": JSON.stringify(hooksAt("PreToolUse", hook)) });
  const args = ["convert", "--from", "claude-code", "--to", "hookbox", "hooks.json", "--json"];
  const { exitCode, stdout } = await inProcess(args, { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ losses: [{ what: "CLAUDE_PLUGIN_ROOT", consequence: "looser" }] });
  expect(exitCode).toBe(1);
});

describe("the file that hookbox convert writes", () => {
  const source = { "settings.json": JSON.stringify(hooksAt("Stop", command("x"))) };
  const args = ["convert", "--from", "claude-code", "--to", "docker-agent", "settings.json"];

  test.each(["hooks.yaml", "hooks.json"])("has the format of its name: %s", async (out) => {
    const cwd = folderWith(source);
    mkdirSync(join(cwd, "there"));
    const { stdout } = await inProcess([...args, "--out", `there/${out}`], { cwd });
    expect(stdout).toBe("");
    const text = readFileSync(join(cwd, "there", out), "utf8");
    if (out.endsWith(".json")) expect(JSON.parse(text)).toMatchObject({ hooks: { stop: [{ command: "x" }] } });
    else expect(text).toBe("hooks:\n  stop:\n    - type: command\n      command: x\n      timeout: 600\n");
    const check = await inProcess(["check", "--format", "docker-agent", `there/${out}`], { cwd });
    expect(check.exitCode).toBe(0);
  });

  test("replaces no other file without --force", async () => {
    const cwd = folderWith({ ...source, "out.yaml": "mine" });
    const refused = await inProcess([...args, "--out", "out.yaml"], { cwd });
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("out.yaml already exists");
    expect(readFileSync(join(cwd, "out.yaml"), "utf8")).toBe("mine");
    const forced = await inProcess([...args, "--out", "out.yaml", "--force"], { cwd });
    expect(forced.exitCode).not.toBe(2);
    expect(readFileSync(join(cwd, "out.yaml"), "utf8")).toContain("command: x");
  });

  test("is never the file that was read", async () => {
    const cwd = folderWith(source);
    const same = await inProcess([...args, "--out", "./settings.json", "--force"], { cwd });
    expect(same.exitCode).toBe(2);
    expect(readFileSync(join(cwd, "settings.json"), "utf8")).toBe(source["settings.json"]);
  });
});

test.each([
  [["--to", "hookbox", "f.json"], "--from is needed"],
  [["--from", "hookbox", "f.json"], "--to is needed"],
  [["--from", "hookbox", "--to", "nobody", "f.json"], 'unknown dialect "nobody"'],
  [["--from", "hookbox", "--to", "patterns"], "convert takes one file"],
  [["--from", "openclaw", "--to", "hookbox", "f.json"], "OpenClaw's hooks cannot be read"],
  [["--from", "hookbox", "--to", "patterns", "nowhere.json"], "the file does not exist"],
  [["--from", "hookbox", "--to", "patterns", "f.json"], "HOOK_CONFIG_SYNTAX"],
])("refuses a command line such as convert %j", async (args, message) => {
  const cwd = folderWith({ "f.json": "{" });
  writeFileSync(join(cwd, "other"), "");
  const { exitCode, stdout, stderr } = await inProcess(["convert", ...args], { cwd });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(message);
});
