import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inProcess } from "../e2e/in-process.ts";
import { makeFolder } from "../helpers/folders.ts";

/** One run with files of several agents: every command reads each in its own format. */

const DENIES = { type: "command", command: "echo ours >&2; exit 2" };
const OURS = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [DENIES] }] } });
const AGENTAO = '{"hooks":{"PreToolUse":[{"type":"command","command":"echo theirs >&2; exit 2"}]}}';
const PATTERNS = JSON.stringify({ hooks_config: { PreToolUse: [{ hooks: [DENIES] }] } });
const CLAUDE = JSON.stringify({ hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "exit 0" }] }] } });

const CALL = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: "/" };

interface Checked {
  readonly rules: readonly { readonly place: { readonly file: string }; readonly speaks: string }[];
  readonly problems: readonly { readonly code: string; readonly message: string; readonly hint?: string }[];
}

async function checked(cwd: string, ...args: readonly string[]): Promise<Checked> {
  const { stdout } = await inProcess(["check", "--json", ...args], { cwd });
  return JSON.parse(stdout) as Checked;
}

/** The format in which each file was read. */
const formats = ({ rules }: Checked) =>
  Object.fromEntries(rules.map(({ place, speaks }) => [place.file.replace(/^.*\//, ""), speaks]));

describe("files of several formats", () => {
  test("are each read in their own by their name, their place, or their contents", async () => {
    const cwd = makeFolder({
      "hookbox.json": OURS,
      "rules.yaml": "hooks_config: { PreToolUse: [{ matcher: Bash, hooks: [{ type: command, command: 'true' }] }] }\n",
      "agent.yaml": "agents: { root: { hooks: { stop: [{ type: command, command: 'true' }] } } }\n",
    });
    mkdirSync(join(cwd, ".claude"));
    writeFileSync(join(cwd, ".claude", "settings.json"), CLAUDE);
    const read = await checked(cwd, "hookbox.json", "rules.yaml", "agent.yaml", ".claude/settings.json");
    expect(formats(read)).toEqual({
      "hookbox.json": "hookbox",
      "rules.yaml": "patterns",
      "agent.yaml": "docker-agent",
      "settings.json": "claude-code",
    });
  });

  test("--format is for files that could belong to any agent, and never changes hookbox's own", async () => {
    const cwd = makeFolder({ "hookbox.json": OURS, "hooks.json": AGENTAO });
    const read = await checked(cwd, "hookbox.json", "hooks.json", "--format", "agentao");
    expect(formats(read)).toEqual({ "hookbox.json": "hookbox", "hooks.json": "agentao" });
    expect(read.problems.filter(({ code }) => code !== "HOOK_LOCK_ABSENT")).toEqual([]);
  });

  test("a format before the name overrides everything else", async () => {
    const cwd = makeFolder({ "hookbox.json": AGENTAO, "hooks.json": CLAUDE, "agentao:odd.json": OURS });
    const read = await checked(
      cwd,
      "agentao:hookbox.json",
      "claude-code:hooks.json",
      "hookbox:./agentao:odd.json",
      "--format",
      "patterns",
    );
    expect(formats(read)).toEqual({
      "hookbox.json": "agentao",
      "hooks.json": "claude-code",
      "agentao:odd.json": "hookbox",
    });
  });

  test("decide about one event together", async () => {
    const cwd = makeFolder({ "mine.json": OURS, "hooks.json": AGENTAO });
    const args = ["--config", "mine.json", "--config", "agentao:hooks.json", "--dialect", "claude-code"];
    const { stdout } = await inProcess(["run", "--json", ...args], { cwd, stdin: JSON.stringify(CALL) });
    const { decision, reason, rules } = JSON.parse(stdout) as { decision: string; reason: string; rules: unknown[] };
    expect(decision).toBe("deny");
    expect(reason).toMatch(/ours[\s\S]*theirs/);
    expect(rules).toHaveLength(2);
    const explained = await inProcess(["explain", ...args], { cwd, stdin: JSON.stringify(CALL) });
    expect(explained.stdout).toContain("2 of 2 rules apply");
  });

  test("an agent before the file's name selects that agent's events", async () => {
    const cwd = makeFolder({ "hooks.json": AGENTAO });
    const stdin = JSON.stringify({
      event: "PreToolUse",
      data: { toolName: "run_shell_command", toolInput: { command: "ls" } },
    });
    const { stdout } = await inProcess(["run", "--config", "agentao:hooks.json"], { cwd, stdin });
    const named = await inProcess(["run", "--config", "hooks.json", "--format", "agentao"], { cwd, stdin });
    expect(stdout).toBe(named.stdout);
    expect(stdout).toContain("theirs");
  });

  test("hooks names them alike, and does not write another agent's format into a file of hookbox", async () => {
    const cwd = makeFolder({ "hookbox.json": OURS, "rules.json": PATTERNS });
    const list = async (...args: string[]) => inProcess(["hooks", "list", "--json", ...args], { cwd });
    expect(JSON.parse((await list("rules.json")).stdout)).toMatchObject({ format: "patterns" });
    expect(JSON.parse((await list("hookbox:hookbox.json")).stdout)).toMatchObject({ format: "hookbox" });
    const { exitCode, stderr } = await list("hookbox.json", "--format", "agentao");
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("agentao:hookbox.json") });
  });
});

describe("compat", () => {
  /** A payload that does not fit Agentao's envelope refuses by default, and passes to the letter of the page. */
  const FAILS = '{"hooks":{"PreToolUse":[{"type":"command","command":"sleep 5","timeout":0.05}]}}';
  const decisionOf = async (cwd: string, ...args: string[]): Promise<string> => {
    const stdin = JSON.stringify(CALL);
    const { stdout } = await inProcess(["run", "--json", "--dialect", "claude-code", ...args], { cwd, stdin });
    return (JSON.parse(stdout) as { decision: string }).decision;
  };
  const cwd = () =>
    makeFolder({
      "hooks.json": FAILS,
      "hookbox.json": '{"compat":"faithful"}',
      "claude.json": '{"compat":"faithful","hooks":{}}',
    });

  test("can be set by a flag, and by a hookbox file next to the agent's", async () => {
    const folder = cwd();
    const theirs = ["--config", "agentao:hooks.json"];
    expect(await decisionOf(folder, ...theirs)).toBe("deny");
    expect(await decisionOf(folder, ...theirs, "--compat", "faithful")).not.toBe("deny");
    expect(await decisionOf(folder, ...theirs, "--config", "hookbox.json")).not.toBe("deny");
    expect(await decisionOf(folder, ...theirs, "--config", "hookbox.json", "--compat", "safer")).toBe("deny");
  });

  test("of a less trusted file does not affect the user's own rules", async () => {
    const folder = cwd();
    const home = makeFolder({});
    const config = join(home, "hookbox");
    mkdirSync(config);
    writeFileSync(
      join(config, "hookbox.json"),
      JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sleep 5", speaks: "agentao", timeoutMs: 50 }] }] },
      }),
    );
    const stdin = JSON.stringify(CALL);
    const args = [
      "run",
      "--json",
      "--dialect",
      "claude-code",
      "--config",
      "agentao:hooks.json",
      "--compat",
      "faithful",
    ];
    const { stdout } = await inProcess(args, { cwd: folder, stdin, env: { XDG_CONFIG_HOME: home } });
    const { decision, rules } = JSON.parse(stdout) as { decision: string; rules: { onFailure: string }[] };
    expect({ decision, failures: rules.map(({ onFailure }) => onFailure) }).toEqual({
      decision: "deny",
      failures: ["deny", "continue"],
    });
  });

  test("is reported in an agent's file, and has no effect there", async () => {
    const { problems } = await checked(cwd(), "claude-code:claude.json");
    expect(problems).toMatchObject([
      { code: "HOOK_CONFIG_SCOPE", message: '"compat" has no effect in a claude-code file' },
    ]);
  });

  test("with an unknown value is an error on the command line", async () => {
    const { exitCode, stderr } = await inProcess(["check", "hooks.json", "--compat", "letter"], { cwd: cwd() });
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("known: safer, faithful") });
  });
});
