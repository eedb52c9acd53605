import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { inProcess } from "../e2e/in-process.ts";
import { example, shell, shopFolder } from "./docker-agent-examples.ts";

/** The flags of docker-agent's own command line, its files in their usual places, and one agent of several. */

/** The arguments of each `docker agent run` in the example: what it runs, and its flags. */
const RUNS = example("flags.sh")
  .replaceAll("\\\n", " ")
  .split("\n")
  .filter((line) => line.startsWith("$ docker agent run "))
  .map((line) =>
    [...line.slice("$ docker agent run ".length).matchAll(/"([^"]*)"|(\S+)/g)].map((one) => one[1] ?? one[2]!),
  );

const AGENT =
  'agents: { root: { hooks: { pre_tool_use: { hooks: { name: own, type: command, command: "cat >/dev/null; exit 2" } } } } }\n';

function world(files: Readonly<Record<string, string>> = {}): string {
  const folder = shopFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const docker = ["--format", "docker-agent"];
const fire = (cwd: string, args: readonly string[], name: string, fields: JsonObject = {}) =>
  inProcess(["run", ...docker, ...args], {
    cwd,
    env: { HOME: cwd },
    stdin: JSON.stringify({ session_id: "till-4", cwd, hook_event_name: name, ...fields }),
  });
const rulesOf = async (cwd: string, args: readonly string[] = []) => {
  const { stdout, exitCode } = await inProcess(["check", ...docker, ...args, "--json"], { cwd, env: { HOME: cwd } });
  const { rules } = JSON.parse(stdout) as {
    rules: { rule: string; event: string; matcher: string | null; implied?: boolean }[];
  };
  // What the agent adds to each of its files is tested with the built-in hooks.
  return { rules: rules.filter(({ implied }) => implied !== true), exitCode };
};

describe("a flag that adds a hook", () => {
  const [opened, two, registry] = RUNS as [string[], string[], string[]];

  test("runs its command when a session starts", async () => {
    const cwd = world({ "agent.yaml": AGENT });
    const [file, ...flags] = opened;
    expect(await fire(cwd, ["--config", file!, ...flags], "session_start", { source: "startup" })).toMatchObject({
      exitCode: 0,
    });
    const { readFileSync } = await import("node:fs");
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("opened\n");
  });

  test("is added to the file's hooks, matches every tool, and runs next to others", async () => {
    const cwd = world({ "agent.yaml": AGENT });
    const [file, ...flags] = two;
    expect((await rulesOf(cwd, ["--config", file!, ...flags])).rules).toMatchObject([
      { rule: "own", event: "PreToolUse" },
      { rule: "--hook-pre-tool-use pre_tool_use #1", event: "PreToolUse", matcher: "*" },
      { rule: "--hook-post-tool-use post_tool_use #1", event: "PostToolUse", matcher: "*" },
    ]);
    expect((await fire(cwd, ["--config", file!, ...flags], "pre_tool_use", shell("ls"))).stdout).toContain("deny");
  });

  // Fetching an agent from a registry is the agent's own work: hookbox does not see its hooks, only the flags.
  test("needs no file of the agent's, so that it guards an agent from a registry", async () => {
    const cwd = world();
    const [reference, ...flags] = registry;
    expect(reference).toContain("/");
    expect((await fire(cwd, flags, "pre_tool_use", shell("shred -u a"))).stdout).toContain('"deny"');
    expect(await fire(cwd, flags, "pre_tool_use", shell("ls"))).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test("may be given repeatedly, and exists for six events", async () => {
    const cwd = world();
    const names = ["pre-tool-use", "post-tool-use", "session-start", "session-end", "on-user-input", "stop"];
    const flags = names.flatMap((name) => [`--hook-${name}`, `echo ${name} 1`, `--hook-${name}`, `echo ${name} 2`]);
    const { rules, exitCode } = await rulesOf(cwd, flags);
    expect(exitCode).toBe(0);
    expect(rules.map(({ rule }) => rule)).toEqual(
      names.flatMap((name) => [1, 2].map((number) => `--hook-${name} ${name.replaceAll("-", "_")} #${number}`)),
    );
    expect([...new Set(rules.map(({ event }) => event))]).toEqual([
      ...["PreToolUse", "PostToolUse", "SessionStart", "SessionEnd", "UserInput", "Stop"],
    ]);
  });

  test("is for docker-agent's files only, and an empty one shuts its gate", async () => {
    const cwd = world();
    for (const verb of ["run", "check", "explain"]) {
      const refused = await inProcess([verb, "--hook-stop", "true"], { cwd, stdin: "{}" });
      expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--format docker-agent") });
    }
    const { stderr, exitCode } = await fire(cwd, ["--hook-pre-tool-use", ""], "pre_tool_use", shell("ls"));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--hook-pre-tool-use")]);
  });
});

describe("without --config", () => {
  const USER = ".config/cagent/config.yaml";
  const hook = (name: string) => `hooks: { stop: { name: ${name}, type: command, command: "cat >/dev/null" } }`;

  test("the agent's own files are read, in its order, with flags after them", async () => {
    const cwd = world({
      "agent.yaml": `agents: { root: { ${hook("agent")} } }`,
      [USER]: `settings: { ${hook("user")} }`,
      ".config/cagent/hooks.d/50-team.yaml": hook("team"),
    });
    const { rules } = await rulesOf(cwd, ["--hook-stop", "true"]);
    expect(rules.map(({ rule }) => rule)).toEqual(["agent", "user", "team", "--hook-stop stop #1"]);
    const stdin = JSON.stringify({ hook_event_name: "stop", cwd, stop_response: "x" });
    const explained = await inProcess(["explain", ...docker], { cwd, env: { HOME: cwd }, stdin });
    expect(explained.stdout).toContain("3 of 3 rules apply");
  });

  test("and without any such file, the places are named", async () => {
    const cwd = world();
    const { exitCode, stderr } = await inProcess(["check", ...docker], { cwd, env: { HOME: cwd } });
    expect(exitCode).toBe(2);
    for (const place of [join(cwd, "agent.yaml"), join(cwd, USER), join(cwd, ".config/cagent/hooks.d/*.yaml")]) {
      expect(stderr).toContain(place);
    }
  });

  test("a malformed drop-in is reported, and refuses what it may have guarded", async () => {
    const cwd = world({ ".config/cagent/hooks.d/10.yaml": "hooks: [" });
    const { exitCode, stderr } = await fire(cwd, [], "pre_tool_use", shell("ls"));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("10.yaml:1")]);
    expect((await fire(cwd, [], "stop", { stop_response: "x" })).exitCode).toBe(0);
  });
});

describe("agent_name in the payload", () => {
  const TEAM =
    "agents: { root: { hooks: { pre_tool_use: { hooks: { name: boss, type: command, command: 'true' } } } }," +
    " kid: { hooks: { pre_tool_use: { hooks: { name: strict, type: command, command: 'exit 2' } } } } }\n";
  const as = (agent?: string) => ({ ...shell("ls"), ...(agent === undefined ? {} : { agent_name: agent }) });

  test("selects the agent whose hooks are asked, and --agent overrides it", async () => {
    const cwd = world({ "agent.yaml": TEAM });
    expect((await fire(cwd, [], "pre_tool_use", as("kid"))).stdout).toContain('"deny"');
    for (const agent of [undefined, "root", "stranger"])
      expect(await fire(cwd, [], "pre_tool_use", as(agent))).toMatchObject({ exitCode: 0, stdout: "" });
    expect((await fire(cwd, ["--agent", "kid"], "pre_tool_use", as("root"))).stdout).toContain('"deny"');
    expect((await fire(cwd, ["--agent", "root"], "pre_tool_use", as("kid"))).stdout).toBe("");
  });

  test("counts for each line, and for explain", async () => {
    const cwd = world({ "agent.yaml": TEAM });
    const payloads = ["root", "kid"].map((agent) =>
      JSON.stringify({ session_id: "till-4", cwd, hook_event_name: "pre_tool_use", ...as(agent) }),
    );
    const env = { HOME: cwd };
    const { stdout } = await inProcess(["run", "--lines", ...docker], { cwd, env, stdin: payloads.join("\n") });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.includes("deny")),
    ).toEqual([false, true]);
    const explained = await inProcess(["explain", ...docker], { cwd, env, stdin: payloads[1]! });
    expect(explained.stdout).toMatch(/runs.*strict/);
    expect(explained.stdout).toMatch(/skips.*boss[\s\S]*the event is not one of agent "root"/);
  });

  test("has no equivalent in another agent's file: convert converts the first agent's hooks, and reports the others'", async () => {
    const cwd = world({ "agent.yaml": TEAM });
    const args = ["convert", "--from", "docker-agent", "--to", "claude-code", "agent.yaml", "--json"];
    const { stdout, exitCode } = await inProcess(args, { cwd, env: { HOME: cwd } });
    const { losses, carried } = JSON.parse(stdout) as { losses: JsonObject[]; carried: number };
    expect([exitCode, carried]).toEqual([1, 1]);
    expect(losses).toContainEqual(
      expect.objectContaining({ rule: "strict", consequence: "looser", why: expect.stringContaining('agent "kid"') }),
    );
  });
});

describe("--agent", () => {
  test("selects the agent whose hooks are meant", async () => {
    const of = (name: string) => `{ hooks: { stop: { name: of-${name}, type: command, command: a } } }`;
    const cwd = world({ "team.yaml": `agents: { one: ${of("one")}, two: ${of("two")} }` });
    const named = async (...args: string[]) => (await rulesOf(cwd, ["--config", "team.yaml", ...args])).rules;
    expect(await named("--agent", "two")).toMatchObject([{ rule: "of-two" }]);
    expect(await named()).toMatchObject([
      { event: "*" },
      { rule: "of-one", agent: "one" },
      { rule: "of-two", agent: "two" },
    ]);
    expect(await named("--agent", "three")).toMatchObject([{ event: "*" }]);
  });

  test("is refused for files without agents", async () => {
    const cwd = world();
    const { exitCode, stderr } = await inProcess(["check", "--agent", "root"], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("--format docker-agent")]);
  });
});
