import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ABSENT } from "../helpers/folders.ts";
import { bashCall, hookbox, MAIN, project, replyOf, verdictOf } from "./cli.ts";
import { inProcess } from "./in-process.ts";

// Loads what the first call in this process needs: on a busy machine that takes longer than these tests' agents wait.
beforeAll(async () => {
  await inProcess(["run", "--config", ABSENT], { stdin: bashCall("ls") });
});

/** An answer arrives before the agent stops waiting for it. */

const SLEEPS = { type: "command", name: "slow", command: "sleep 40", timeoutMs: 60_000 };

describe("hookbox run --patience", () => {
  test("refuses before the tenth second if a rule sleeps for 40 s and the agent waits for 10 s", async () => {
    const config = project().configure("PreToolUse", SLEEPS);
    const result = await hookbox(["run", "--config", config, "--patience", "10"], { stdin: bashCall("ls") });
    expect(result.elapsedMs).toBeLessThan(10_000);
    expect(result).toMatchObject({ exitCode: 0, signal: null });
    expect(replyOf(result)).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringMatching(
        /^slow .*timeout: no answer within the event's patience of 10000 ms less 1000 ms .* in phase "work", for \d+ ms;/,
      ),
    });
  });

  test.each(["2s", "2000ms", "2"])("is a time with a unit, seconds by default: %s", async (patience) => {
    const config = project().configure("PreToolUse", SLEEPS);
    const result = await inProcess(["run", "--json", "--config", config, "--patience", patience], {
      stdin: bashCall("ls"),
    });
    const failure = verdictOf(result).rules[0]?.failure;
    // No phase: on a busy machine the patience may be over before the command has started.
    expect(failure).toMatchObject({ kind: "timeout", limit: 1_500 });
    expect(failure?.value).toBeGreaterThanOrEqual(1_500);
  });

  test.each(["0", "0.9", "999ms", "-1", "10m", "1e3", "Infinity", "ten", "", "100000"])(
    "that is no time from a second to a day is refused: %s",
    async (patience) => {
      const config = project().configure("PreToolUse");
      const result = await inProcess(["run", "--config", config, `--patience=${patience}`], { stdin: bashCall("ls") });
      expect(result).toMatchObject({ exitCode: 2 });
      expect(result.stderr).toContain(`HOOK_CLI_USAGE: --patience is ${JSON.stringify(patience)}; expected`);
    },
  );

  test("overrides defaults.event.patienceMs, which overrides the agent's usual patience", async () => {
    const place = project();
    const home = project();
    mkdirSync(join(home.folder, "hookbox"));
    const env = { XDG_CONFIG_HOME: home.folder };
    const stdin = JSON.stringify({
      hook_event_name: "pre-tool",
      tool_name: "run_command",
      tool_input: { command: "ls" },
    });
    const limitWith = async (defaults: object, ...options: string[]): Promise<number | undefined> => {
      const config = { defaults, hooks: { PreToolUse: [{ hooks: [SLEEPS] }] } };
      home.write("hookbox/hookbox.json", JSON.stringify(config));
      const args = ["run", "--json", "--dialect", "autohand", ...options];
      return verdictOf(await hookbox(args, { stdin, env, cwd: place.folder })).rules[0]?.failure?.limit;
    };
    const event = { event: { patienceMs: 4_000 } };
    // Autohand waits five seconds for a hook without a timeout.
    expect(await Promise.all([limitWith(event), limitWith(event, "--patience", "3")])).toEqual([3_500, 2_500]);
    expect(await limitWith({})).toBe(4_500);
  });

  test("ends the wait for a payload that does not arrive", async () => {
    const config = project().configure("PreToolUse");
    const child = spawn(process.execPath, [MAIN, "run", "--config", config, "--patience", "2"], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const exitCode = await new Promise((done) => child.on("close", done));
    expect(exitCode).toBe(2);
    expect(stderr).toContain("HOOK_PATIENCE_ENDED");
    expect(stderr).toContain("hookbox still waited for the event on standard input");
  });

  // A read that never returns blocks the only thread that reads files, as on a file system that hangs.
  test.skipIf(!("execve" in process))("ends the wait for a configuration that cannot be read", async () => {
    const place = project();
    const config = place.configure("PreToolUse");
    execFileSync("mkfifo", [join(place.folder, "pipe")]);
    const hang = place.write(
      "hang.cjs",
      `require("node:fs").readFile(${JSON.stringify(join(place.folder, "pipe"))}, () => {});`,
    );
    const result = await hookbox(["run", "--config", config, "--patience", "3"], {
      stdin: bashCall("ls"),
      env: { UV_THREADPOOL_SIZE: "1", NODE_OPTIONS: `--require ${hang}` },
    });
    expect(result).toMatchObject({ exitCode: 2, signal: null });
    expect(result.stderr).toMatch(/HOOK_PATIENCE_ENDED: .*still waited for .*the configuration/);
  });

  test("counts for each line of --lines, from its arrival", async () => {
    const config = project().configure("PreToolUse", SLEEPS);
    const stdin = [1, 2].map((id) => JSON.stringify({ id, ...(JSON.parse(bashCall("ls")) as object) })).join("\n");
    const result = await inProcess(["run", "--lines", "--json", "--config", config, "--patience", "2"], { stdin });
    const failures = result.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { verdict: ReturnType<typeof verdictOf> }).verdict.rules[0]?.failure);
    expect(failures).toMatchObject([1, 2].map(() => ({ kind: "timeout", phase: "work", limit: 1_500 })));
  });
});

describe("hookbox check", () => {
  const entry = (command: string, timeout: number): object => ({ type: "command", command, timeout });
  const checked = async (hook: object): Promise<string> => {
    const file = project().write("settings.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
    return (await inProcess(["check", "--config", file])).stdout;
  };

  test.each([
    ["hookbox run --config hookbox.json", "and the command has no --patience"],
    ["hookbox run --patience 60", "and the command has --patience 60"],
    ["'/opt/hookbox' run --patience ten", "and the command's --patience is not valid"],
  ])("warns of an entry for which the agent waits 10 s: %s", async (command, problem) => {
    const report = await checked(entry(command, 10));
    expect(report).toContain("HOOK_PATIENCE_UNSAID");
    expect(report).toContain(`the agent waits 10 s for hookbox, ${problem}`);
  });

  test.each(["hookbox run --patience 10 --config a.json", "hookbox run --patience=9500ms", "echo hookbox runs"])(
    "has no problem with: %s",
    async (command) => {
      expect(await checked(entry(command, 10))).not.toContain("HOOK_PATIENCE_UNSAID");
    },
  );
});

describe("the documented entries", () => {
  const root = resolve(import.meta.dirname, "../..");
  const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith(".md"),
  );
  // An entry is one object on a few lines, with the command and the agent's timeout.
  const entries = pages.flatMap((page) =>
    [
      // Removes `${NAME}`, because its braces do not delimit an object.
      ...readFileSync(join(root, page), "utf8")
        .replace(/\$\{[^{}]*\}/g, "")
        .matchAll(/\{[^{}]*\bhookbox run\b[^{}]*\btimeout"?: (\d+)[^{}]*\}/g),
    ].map(([entry, timeout = ""]) => ({ page, entry, timeout: Number(timeout) })),
  );

  test("are on the pages of the agents that wait for a process", () => {
    expect([...new Set(entries.map(({ page }) => page))].sort()).toEqual([
      "docs/autohand.md",
      "docs/claude-code.md",
      "docs/cli.md",
      "docs/docker-agent.md",
    ]);
  });

  test.each(entries)("$page: pass the agent's timeout to hookbox", ({ page, entry, timeout }) => {
    const patience = /--patience (\S+?)["',]*(?:\s|$)/.exec(entry)?.[1];
    expect(patience).toBe(page === "docs/autohand.md" ? `${timeout}ms` : String(timeout));
  });
});
