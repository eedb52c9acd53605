import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hookbox, project } from "./cli.ts";
import { inProcess } from "./in-process.ts";

const VERBS = [
  ...["run", "check", "inspect", "lock", "explain", "hooks", "convert", "demo", "new", "build", "test"],
  "snapshots",
];

describe("hookbox", () => {
  test("says with --help what it does and how to start", async () => {
    const { exitCode, stdout, stderr } = await hookbox(["--help"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const verb of VERBS) expect(stdout).toContain(`  ${verb} `);
  });

  test.each(VERBS)("explains the options and exit codes of %s", async (verb) => {
    const { exitCode, stdout } = await inProcess([verb, "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: hookbox ${verb}`);
    expect(stdout).toContain("Exit codes:");
  });

  test("prints its version, and the version of each machine-readable format", async () => {
    expect((await hookbox(["--version"])).stdout).toMatch(/^hookbox \d+\.\d+\.\d+\n$/);
    expect(JSON.parse((await hookbox(["--version", "--json"])).stdout)).toEqual({
      hookbox: expect.stringMatching(/^\d/),
      config: 1,
      guestAbi: 1,
      costModel: 3,
      node: process.versions.node,
    });
  });

  test.each([
    ["what only authors need", "esbuild"],
    ["the verbs that no agent starts", "runs no hook"],
    ["what sends events to web hooks", "interim answers"],
    ["what makes requests for guards", "redirects once more after"],
  ])("keeps %s out of the files that every event loads", (_, trace) => {
    const folder = resolve(import.meta.dirname, "../../dist/bundle");
    const files = readdirSync(folder).filter((file) => readFileSync(join(folder, file), "utf8").includes(trace));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => ["hookbox.cjs", "main.cjs", "kernel.cjs"].includes(file))).toEqual([]);
  });

  test("prints no colours into a pipe", async () => {
    for (const args of [["--help"], ["demo"]]) expect((await hookbox(args)).stdout).not.toContain("\u001b");
  });
});

describe("hookbox check", () => {
  test("lists rules with their limits and answers, and exits with 0 if there is no problem", async () => {
    const config = project().configure("PreToolUse", { type: "wasm", module: "builtin:shell-guard", timeoutMs: 900 });
    const { exitCode, stdout } = await inProcess(["check", config]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/PreToolUse\s+\*\s+wasm\s+shell-guard\s+900 ms, on failure default: deny, may deny\+ask/);
    expect(stdout).toContain("1 rule, 0 errors, 0 warnings");
  });

  test("says for which calls a rule runs, and how often", async () => {
    const hook = { type: "command", command: "true", if: "Bash(git *)", once: true, lane: "preempt" };
    const { stdout } = await inProcess(["check", project().configure("PreToolUse", hook)]);
    expect(stdout).toMatch(/if Bash\(git \*\), once per session, preempt/);
  });

  test("reports a module that cannot run, before any event needs it", async () => {
    const config = project().configure("PreToolUse", { type: "wasm", module: "./missing.wasm" });
    const { exitCode, stdout } = await inProcess(["check", "--json", config]);
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      problems: [{ severity: "error", code: "HOOK_MODULE_NOT_FOUND", place: { line: 1 } }],
    });
  });
});

describe("hookbox explain", () => {
  test("says for each rule whether it applies, and why, and runs nothing", async () => {
    const place = project();
    const hooks = {
      PreToolUse: [
        { matcher: "Bash|Write", hooks: [{ type: "command", name: "shells", command: `touch ${place.folder}/RAN` }] },
        { matcher: "mcp__.*", hooks: [{ type: "command", name: "servers", command: "true" }] },
      ],
    };
    const config = place.write("hookbox.json", JSON.stringify({ hooks }));
    const event = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} });
    const { stdout } = await inProcess(["explain", "--json", "--config", config], { stdin: event });
    expect(JSON.parse(stdout)).toMatchObject({
      event: "PreToolUse",
      rules: [
        { rule: "shells", applies: true, why: 'tool_name "Bash" matches "Bash" or "Write" (exact)' },
        { rule: "servers", applies: false, why: 'tool_name "Bash" does not match /mcp__.*/ (anywhere in the name)' },
      ],
    });
    await expect(import("node:fs/promises").then(({ access }) => access(`${place.folder}/RAN`))).rejects.toThrow();
  });
});

describe("an event that belongs to another agent", () => {
  const docker = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: {} });
  const claude = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} });

  test.each([
    ["run", docker, [], "docker-agent"],
    ["explain", docker, [], "docker-agent"],
    ["run", claude, ["--dialect", "docker-agent"], "claude-code"],
  ])("is refused by %s, which names the dialect that has it", async (verb, stdin, more, dialect) => {
    const config = project().configure("PreToolUse", { type: "context", text: "x" });
    const { exitCode, stderr } = await inProcess([verb, "--config", config, ...more], { stdin });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`--dialect ${dialect}`);
  });

  test("is refused without a suggestion if no dialect has it", async () => {
    const config = project().configure("PreToolUse", { type: "context", text: "x" });
    const { exitCode, stderr } = await inProcess(["run", "--config", config], { stdin: '{"hook_event_name":"Nope"}' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("common events: PreToolUse");
  });

  test.each([
    ["PreTolUse", 'did you mean "PreToolUse"?'],
    ["pretooluse", 'did you mean "PreToolUse"?'],
    ["Nope", "common events: PreToolUse"],
  ])("is answered by %s in few words", async (name, hint) => {
    const config = project().configure("PreToolUse", { type: "context", text: "x" });
    const stdin = JSON.stringify({ hook_event_name: name });
    for (const verb of ["run", "explain"]) {
      const { stderr } = await inProcess([verb, "--config", config], { stdin });
      expect(stderr).toContain(hint);
      expect(stderr.length).toBeLessThan(400);
    }
  });
});

test("without a hookbox.json, settings of Claude Code are named but not used", async () => {
  const place = project();
  mkdirSync(join(place.folder, ".claude"));
  writeFileSync(join(place.folder, ".claude", "settings.json"), "{}");
  const { exitCode, stderr } = await inProcess(["check"], { cwd: place.folder });
  expect(exitCode).toBe(2);
  expect(stderr).toContain("--config .claude/settings.json");
});
