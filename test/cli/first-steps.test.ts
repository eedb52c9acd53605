import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { DIALECT_NAMES } from "../../src/dialects/registry.ts";
import { AGENTS, RECOGNISABLE, type Said } from "../e2e/agents-by-hand.ts";
import { project } from "../e2e/cli.ts";
import { inProcess } from "../e2e/in-process.ts";

/** What a user meets who tries hookbox with an agent's files for the first time. */

describe("the help", () => {
  test.each(["run", "check", "explain", "lock"])("of %s names every format", async (verb) => {
    const { stdout } = await inProcess([verb, "--help"]);
    const formats = /^ {2}--format NAME +(.*?)\.\s+Default/ms.exec(stdout)?.[1];
    expect(formats?.split(/, | or /)).toEqual(DIALECT_NAMES);
  });

  test.each(["hooks", "convert"])("of %s names every format whose files contain hooks", async (verb) => {
    const { stdout } = await inProcess([verb, "--help"]);
    const [, names] = /^ {2}--(?:format|from) NAME +(?:the format of FILE: )?([^.\n]*)/m.exec(stdout) ?? [];
    expect(names?.split(/, | or /)).toEqual(DIALECT_NAMES.filter((name) => name !== "openclaw"));
  });

  test("starts with commands that work one after another in an empty folder", async () => {
    const { stdout } = await inProcess(["--help"]);
    const [, add = ""] = /^ {2}hookbox (hooks add .*)$/m.exec(stdout) ?? [];
    const [, payload = "", run = ""] = /echo '(.*)' \\\n +\| hookbox (run .*)/.exec(stdout) ?? [];
    const cwd = project().folder;
    expect((await inProcess(add.split(" "), { cwd })).exitCode).toBe(0);
    const answer = await inProcess(run.split(" "), { cwd, stdin: payload });
    expect(JSON.parse(answer.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  });
});

describe("the README's table of agents", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
  const table = readme.slice(readme.indexOf("## One guard, every agent"), readme.indexOf("## In your own agent"));
  const commands = [...table.matchAll(/^\| .*\| [^|]*`hookbox ([a-z]+ [^`]*)`/gm)].map(([, line = ""]) =>
    line.split(" "),
  );

  test("has every agent, each with its page", () => {
    const agents = commands.map((words) => words[words.indexOf(words[0] === "run" ? "--dialect" : "--to") + 1]);
    expect(agents.toSorted()).toEqual(["auto", ...DIALECT_NAMES.filter((name) => name !== "hookbox")].toSorted());
    for (const name of DIALECT_NAMES) if (name !== "hookbox") expect(table).toContain(`(docs/${name}.md)`);
  });

  test.each(commands.filter(([verb]) => verb === "run"))(
    "says what refuses a call: hookbox %s %s %s %s %s",
    async (...words) => {
      const place = project();
      const rule = { type: "wasm", module: "builtin:shell-guard", timeoutMs: 20_000 };
      place.write("hookbox.json", JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [rule] }] } }));
      for (const agent of AGENTS) {
        if (agent.dialect !== words[2] && !(words[2] === "auto" && RECOGNISABLE.includes(agent))) continue;
        const ask = (command: string): Promise<Said> =>
          inProcess(words, { cwd: place.folder, stdin: JSON.stringify(agent.shell(command)) });
        expect(agent.next(await ask("rm -rf /"))).toBe("refuses");
        expect(agent.next(await ask("npm test"))).toBe("runs the tool");
      }
    },
  );
});

test.each(DIALECT_NAMES)(
  "a payload with too little information is refused with what to do, for %s",
  async (dialect) => {
    const config = project().configure("PreToolUse", { type: "context", text: "x" });
    const { exitCode, stderr } = await inProcess(["run", "--config", config, "--dialect", dialect], { stdin: "{}" });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--event NAME");
  },
);

test("check says that a file without rules guards nothing", async () => {
  const file = project().write("openclaw.json", '{ "plugins": { "entries": {} } }');
  const { exitCode, stdout } = await inProcess(["check", file, "--format", "openclaw"]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Without a rule, nothing is ever refused");
});

test("explain counts the rules of the event, and no others", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }], Stop: [{ hooks: [] }] };
  hooks.Stop = hooks.PreToolUse as never;
  const config = project().write("hookbox.json", JSON.stringify({ hooks }));
  const stdin = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: {} });
  expect((await inProcess(["explain", "--config", config], { stdin })).stdout).toContain("1 of 1 rule applies");
});

test("OpenClaw's settings are recognised by their contents, and no hook is written into them", async () => {
  const place = project();
  const text = '{ "plugins": { "entries": {} }, "hooks": { "enabled": true } }';
  const file = place.write("openclaw.json", text);
  const { exitCode, stderr } = await inProcess(["hooks", "add", "openclaw.json", "PreToolUse", "--command", "true"], {
    cwd: place.folder,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("plugins register in code") });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(existsSync(`${file}.hooks-off.json`)).toBe(false);
});

test("an option that an agent's hook cannot have is refused with the option to leave out", async () => {
  const place = project();
  place.write("settings.json", '{ "hooks": {} }');
  const line = "hooks add settings.json PreToolUse --command true --description x";
  expect((await inProcess(line.split(" "), { cwd: place.folder })).stderr).toContain("leave out --description");
});

const FILES: readonly (readonly [format: string, file: string, text: string])[] = [
  ["autohand", "config.json", '{"provider":"x","hooks":{"hooks":[{"event":"pre-tool","command":"true"}]}}'],
  ["openclaw", "openclaw.json", '{"plugins":{"entries":{}}}'],
  ["docker-agent", "agent.yaml", "version: '2'\nagents: { root: { hooks: { stop: [] } } }\n"],
  ["patterns", "hooks.yaml", "hooks_config: { PreToolUse: [] }\n"],
];
test.each(FILES)("a file of %s is recognised, whatever its name", async (format, name, text) => {
  const place = project();
  const { exitCode, stdout } = await inProcess(["check", "--json", place.write(name, text)]);
  expect({ exitCode, problems: (JSON.parse(stdout) as { problems: unknown }).problems }).toEqual({
    exitCode: 0,
    problems: [],
  });
  // Except for hookbox's own name, which fixes the format.
  const own = place.write(name.endsWith(".json") ? "hookbox.json" : "hookbox.yaml", text);
  const refused = JSON.parse((await inProcess(["check", "--json", own])).stdout) as { problems: { hint?: string }[] };
  expect(refused.problems[0]?.hint).toContain(`pass it as ${format}:FILE`);
  expect(refused.problems).not.toEqual([]);
  expect((await inProcess(["check", `${format}:${own}`])).exitCode).toBe(0);
});
