import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ConfigFile, loadConfig } from "../../../src/config/load.ts";
import { dockerAgent } from "../../../src/dialects/docker-agent/dialect.ts";
import { createEngine } from "../../../src/index.ts";
import { brokenIn, commandsIn, folderWith, writtenIn } from "../../config/config-files.ts";

/** Creates a folder that is both the home and the project, with these files in it. */
function world(files: Readonly<Record<string, string>>): string {
  const folder = folderWith();
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}

const stop = (command: string) => `hooks: { stop: { type: command, command: ${command} } }\n`;
const USER = ".config/cagent/config.yaml";
const DROP_INS = ".config/cagent/hooks.d";

/** Returns the existing files among the agent's own places, in the order of the command line. */
async function placesIn(folder: string): Promise<readonly ConfigFile[]> {
  const { existsSync } = await import("node:fs");
  const all = (await dockerAgent.places?.({ cwd: folder, home: folder })) ?? [];
  return all.filter(({ file }) => existsSync(file)).map((file) => ({ ...file, dialect: "docker-agent" }));
}

const load = async (folder: string, more: readonly ConfigFile[] = []) =>
  loadConfig([...more, ...(await placesIn(folder))], [], folder);

describe("the agent's own files", () => {
  test("are its YAML, the user's settings and the user's drop-ins by name, and are combined in that order", async () => {
    const folder = world({
      "agent.yaml": `agents: { root: { ${stop("agent").trim()} } }`,
      [USER]: `settings:\n  theme: dark\n  ${stop("user")}`,
      [`${DROP_INS}/20-late.yaml`]: stop("late"),
      [`${DROP_INS}/10-early.yaml`]: "stop: { type: command, command: early }\n",
      [`${DROP_INS}/README.md`]: "not a drop-in",
    });
    const { rules, problems } = await load(folder);
    expect([commandsIn(rules), problems]).toEqual([["agent", "user", "early", "late"], []]);
    expect(writtenIn(rules).map(({ layer }) => layer)).toEqual(["project", "user", "user", "user"]);
  });

  test("are listed whether they exist or not", async () => {
    const places = await dockerAgent.places?.({ cwd: "/project", home: "/nonexistent" });
    expect(places?.map(({ file }) => file)).toEqual([
      "/project/agent.yaml",
      "/project/agent.yml",
      `/nonexistent/${USER}`,
      `/nonexistent/${DROP_INS}/*.yaml`,
    ]);
  });

  test("cannot be switched off by an agent", async () => {
    const folder = world({
      "agent.yaml": "agents: { root: { hooks: { stop: } } }",
      [USER]: `settings: { ${stop("user").trim()} }`,
    });
    expect(commandsIn((await load(folder)).rules)).toEqual(["user"]);
  });
});

describe("a drop-in that is malformed", () => {
  const folder = () => world({ [`${DROP_INS}/10-bad.yaml`]: "hooks: [", [`${DROP_INS}/20-good.yaml`]: stop("good") });

  test("shuts the gates that it may have guarded, and does not affect the other files", async () => {
    const { rules, problems } = await load(folder());
    expect(brokenIn(rules)).toMatchObject([{ event: "*", code: "HOOK_CONFIG_SYNTAX" }]);
    expect(commandsIn(rules)).toEqual(["good"]);
    expect(problems).toMatchObject([{ severity: "error", place: { line: 1 } }]);
  });

  test("is skipped with a warning if the page is followed to the letter", async () => {
    const root = folder();
    writeFileSync(join(root, "compat.json"), JSON.stringify({ compat: "faithful" }));
    const { rules, problems } = await load(root, [{ file: "compat.json", layer: "user" }]);
    expect([brokenIn(rules), commandsIn(rules)]).toEqual([[], ["good"]]);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_SYNTAX", message: expect.stringContaining("10-bad.yaml") },
    ]);
  });

  test("is skipped as a whole, valid hooks included", async () => {
    const root = world({
      [`${DROP_INS}/10.yaml`]: `hooks: { stop: { type: command, command: a }, pre_tool_use: { matcher: "(" } }`,
      "compat.json": JSON.stringify({ compat: "faithful" }),
    });
    const faithful: ConfigFile = { file: "compat.json", layer: "user" };
    expect((await load(root, [faithful])).rules).toEqual([]);
    expect((await load(root)).rules.map(({ event }) => event)).toEqual(["Stop", "PreToolUse"]);
  });

  test("is not malformed because of a type of hook that hookbox does not have, with either compat", async () => {
    const root = world({
      [`${DROP_INS}/10.yaml`]: "hooks: { pre_tool_use: { hooks: { type: later, command: a } } }",
      "compat.json": JSON.stringify({ compat: "faithful" }),
    });
    const { rules } = await load(root, [{ file: "compat.json", layer: "user" }]);
    expect(brokenIn(rules)).toMatchObject([{ event: "PreToolUse", code: "HOOK_CONFIG_UNSUPPORTED" }]);
  });

  test("outside of its folder is like any other file, with either compat", async () => {
    const root = world({ "agent.yaml": "hooks: [", "compat.json": JSON.stringify({ compat: "faithful" }) });
    const { rules } = await load(root, [{ file: "compat.json", layer: "user" }]);
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
  });
});

describe("one agent of several", () => {
  const TEAM = `
agents:
  one: { hooks: { stop: { type: command, command: a } }, add_date: true }
  two: { hooks: { stop: { type: command, command: b } } }
hooks: { stop: { type: command, command: all } }
`;
  const of = async (agent?: string) => {
    const folder = world({ "team.yaml": TEAM });
    const which = agent === undefined ? {} : { agent };
    return loadConfig([{ file: "team.yaml", dialect: "docker-agent", ...which }], [], folder);
  };

  test("is the one that is named, with its own settings", async () => {
    expect(commandsIn((await of("two")).rules)).toEqual(["b", "all"]);
    expect(writtenIn((await of("one")).rules).map(({ name }) => name)).toEqual([
      "team.yaml stop #1",
      "add_date",
      "team.yaml stop #1",
    ]);
  });

  test("is named in the warning about the others", async () => {
    expect((await of("two")).problems).toMatchObject([
      { severity: "warning", message: expect.stringContaining('"one"') },
    ]);
  });

  test("that does not exist lets nothing pass", async () => {
    const { rules, problems } = await of("tow");
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
    expect(problems).toMatchObject([{ message: 'there is no agent "tow"', hint: 'did you mean "two"?' }]);
  });

  test("that was not chosen is asked for", async () => {
    expect((await of()).problems).toMatchObject([{ severity: "error", hint: expect.stringContaining("--agent NAME") }]);
  });
});

test("a hook of the user's that a project's file also has, before it, keeps its place, and the hooks between are asked in order", async () => {
  const rewrite = `echo '{"hook_specific_output":{"updated_input":{"cmd":"pwd"}}}'`;
  const group = (...commands: string[]) =>
    JSON.stringify({ hooks: { pre_tool_use: [{ hooks: commands.map((command) => ({ type: "command", command })) }] } });
  const folder = folderWith({ "agent.json": group(rewrite, "true"), "user.json": group(rewrite) });
  await using engine = await createEngine({
    configFiles: [
      { file: "agent.json", layer: "project", dialect: "docker-agent" },
      { file: "user.json", layer: "user", ranksAs: "project", dialect: "docker-agent" },
    ],
    cwd: folder,
    dialect: "docker-agent",
    cacheDir: false,
  });
  const { rules } = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" } });
  expect(rules.map(({ rule, look }) => [rule, look])).toEqual([
    ["user.json pre_tool_use #1", "first"],
    ["agent.json pre_tool_use #2", "first"],
  ]);
});
