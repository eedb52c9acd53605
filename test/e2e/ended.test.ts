import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json.ts";
import { bornAt, isAlive } from "../../src/processes/process-table.ts";
import { sampleOf } from "../helpers/tier.ts";
import { AGENTS, agentNamed } from "./agents-by-hand.ts";
import { bashCall, elsewhere, MAIN, ownFolders, project, stopCall } from "./cli.ts";

/** What `hookbox run` does when it is ended from outside, or when its reply cannot be read. */

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;

/** Other signals that end a process without a handler: inherited timers, limits, watchdogs. */
const RARE_SIGNALS = [
  ...["SIGABRT", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"],
  ...(process.platform === "linux" ? ["SIGIO", "SIGPWR", "SIGSTKFLT"] : []),
] as readonly NodeJS.Signals[];

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

interface Running {
  readonly child: ChildProcess;
  /** Exit code and output after the process has ended. */
  readonly ended: Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }>;
}

function start(
  args: readonly string[],
  input: string,
  { open = false, env = {}, nodeOptions = [] as readonly string[] } = {},
): Running {
  const child = spawn(process.execPath, [...nodeOptions, MAIN, "run", ...args], {
    cwd: elsewhere(),
    env: { ...process.env, ...ownFolders(), ...env },
  });
  started.push(child);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => (stdout += chunk));
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  if (!open) child.stdin.end();
  const ended = new Promise<Awaited<Running["ended"]>>((resolve) => {
    child.on("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  return { child, ended };
}

/** Returns a configuration whose hook writes its process ids, and then runs longer than any test. */
function hangingHook(
  event: string,
  more: object = {},
): { readonly config: string; pids(): Promise<readonly number[]> } {
  const files = project();
  const pids = join(files.folder, "pids");
  const command = `sleep 600 & setsid sleep 600 & echo "$$ $! $(jobs -p | tr '\\n' ' ')" > ${pids}.part; mv ${pids}.part ${pids}; wait`;
  const config = files.configure(event, { type: "command", command, timeout: 500, ...more });
  return {
    config,
    pids: async () => {
      while (!existsSync(pids)) await sleep(10);
      return readFileSync(pids, "utf8").trim().split(/\s+/).map(Number);
    },
  };
}

async function expectGone(pids: readonly number[]): Promise<void> {
  expect(pids.length).toBeGreaterThan(1);
  const isThere = (pid: number): boolean => isAlive(pid) && bornAt(pid) !== undefined;
  // In a container a dead child may wait for a parent that never reaps it: such processes count as dead.
  while (pids.some((pid) => isThere(pid))) await sleep(10);
}

describe("a signal in the middle of a run", () => {
  // One agent that reads exit codes and one that reads JSON, for the other signals.
  const cells = AGENTS.flatMap(({ dialect }) =>
    [
      ...SIGNALS.filter((signal) => signal === "SIGTERM" || ["claude-code", "openclaw"].includes(dialect)),
      ...(dialect === "claude-code" ? RARE_SIGNALS : []),
    ].map((signal) => [dialect, signal] as const),
  );

  test.each(sampleOf(cells, SIGNALS.length, ([dialect]) => dialect))(
    "is a refusal for %s after %s, and the hook's processes end",
    async (dialect, signal) => {
      const agent = agentNamed(dialect);
      const hook = hangingHook("PreToolUse");
      const input = JSON.stringify(agent.shell("ls"));
      const { child, ended } = start(["--config", hook.config, "--dialect", dialect], input);
      const pids = await hook.pids();
      child.kill(signal);
      const said = await ended;
      expect(said.stderr).toContain(`ended by ${signal}`);
      expect(agent.next(said as never)).toBe("refuses");
      await expectGone(pids);
    },
  );

  test.each([
    ["SIGPIPE", []],
    ["SIGXFSZ", []],
    ["SIGWINCH", []],
    ["SIGUSR2", ["--report-on-signal", "--report-directory"]],
  ] as const)("that ends nothing, as %s, does not end the run %j", async (signal, nodeOptions) => {
    const files = project();
    const [asked, answer] = ["asked", "answer"].map((name) => join(files.folder, name)) as [string, string];
    const command = `echo > ${asked}; while [ ! -e ${answer} ]; do sleep 0.02; done; echo never >&2; exit 2`;
    const config = files.configure("PreToolUse", { type: "command", command, timeout: 500 });
    const options = nodeOptions.length === 0 ? [] : [nodeOptions[0], `${nodeOptions[1]}=${files.folder}`];
    const { child, ended } = start(["--config", config], bashCall("ls"), { nodeOptions: options });
    while (!existsSync(asked)) await sleep(10);
    child.kill(signal);
    writeFileSync(answer, "");
    expect(await ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("never") });
  });

  test("that a profiler uses does not end a run", async () => {
    const files = project();
    const config = files.configure("PreToolUse", { type: "command", command: "sleep 0.2; echo never >&2; exit 2" });
    const { ended } = start(["--config", config], bashCall("ls"), {
      nodeOptions: ["--cpu-prof", `--cpu-prof-dir=${files.folder}`],
    });
    expect(await ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("never") });
  });

  test.each([...SIGNALS, ...RARE_SIGNALS])(
    "(%s) does not block an event at which a block means to go on",
    async (signal) => {
      const hook = hangingHook("Stop");
      const { child, ended } = start(["--config", hook.config], stopCall);
      const pids = await hook.pids();
      child.kill(signal);
      expect(await ended).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringContaining(signal) });
      await expectGone(pids);
    },
  );

  test("refuses if the payload has not arrived yet", async () => {
    const { config } = hangingHook("PreToolUse");
    const files = project();
    const ready = join(files.folder, "ready");
    // Before hookbox listens, a signal ends the process as it ends any other process.
    const probe = files.write(
      "probe.cjs",
      `const wait = setInterval(() => {
        if (process.listenerCount("SIGTERM") > 0) { require("node:fs").writeFileSync(${JSON.stringify(ready)}, ""); clearInterval(wait); }
      }, 1);`,
    );
    const env = { NODE_OPTIONS: `--require ${probe}` };
    const { child, ended } = start(["--config", config], '{"hook_event_name":', { open: true, env });
    while (!existsSync(ready)) await sleep(10);
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(2);
  });

  test("a second time ends a process whose hooks ignore the first", async () => {
    const files = project();
    const mark = join(files.folder, "started");
    const command = `trap '' TERM; echo > ${mark}; while :; do sleep 0.05; done`;
    const config = files.configure("PreToolUse", { type: "command", command, timeout: 500 });
    const { child, ended } = start(["--config", config], bashCall("ls"));
    while (!existsSync(mark)) await sleep(10);
    child.kill("SIGTERM");
    child.kill("SIGINT");
    expect((await ended).exitCode).toBe(2);
  });

  test("makes --lines answer open questions, even those that are not cancelled, and end", async () => {
    for (const [event, exitCode] of [
      ["PreToolUse", 2],
      ["Stop", 1],
      ["SessionEnd", 1],
    ] as const) {
      for (const signal of sampleOf(["SIGTERM", "SIGHUP"] as const, 2, () => event)) {
        const hook = hangingHook(event);
        const payload = event === "PreToolUse" ? bashCall("ls") : JSON.stringify({ ...base, hook_event_name: event });
        const { child, ended } = start(["--lines", "--config", hook.config], `${payload}\n`, { open: true });
        const pids = await hook.pids();
        child.kill(signal);
        expect(JSON.parse((await ended).stdout)).toMatchObject({ exitCode });
        await expectGone(pids);
      }
    }
  });

  test("ends the MCP server of a run as well", async () => {
    const files = project();
    const pid = join(files.folder, "pid");
    const script = files.write(
      "server.mjs",
      `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(`${pid}.part`)}, String(process.pid));
(await import("node:fs")).renameSync(${JSON.stringify(`${pid}.part`)}, ${JSON.stringify(pid)});
process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); process.stdin.resume();`,
    );
    const config = files.write(
      "hookbox.json",
      JSON.stringify({
        mcpServers: { silent: { command: process.execPath, args: [script] } },
        hooks: { PreToolUse: [{ hooks: [{ type: "mcp_tool", server: "silent", tool: "judge", timeout: 500 }] }] },
      }),
    );
    const { child, ended } = start(["--config", config], bashCall("ls"));
    while (!existsSync(pid)) await sleep(10);
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(2);
    await expectGone([Number(readFileSync(pid, "utf8")), Number(readFileSync(pid, "utf8"))]);
  });
});

const base: JsonObject = { session_id: "s", cwd: "/tmp", transcript_path: "/tmp/t.jsonl" };

describe("a reply that cannot be read", () => {
  const DENY = '{"decision":"block","reason":"never"}';
  const SAY = '{"systemMessage":"hello"}';

  function configured(event: string, output: string): string {
    const files = project();
    return files.configure(event, { type: "command", command: `echo '${output}'` });
  }

  /** Runs hookbox with standard output as the shell opens it. */
  async function into(
    redirection: string,
    config: string,
    input: string,
  ): Promise<{ exitCode: number | null; stderr: string }> {
    const child = spawn(
      "/bin/sh",
      ["-c", `exec "$@" ${redirection}`, "sh", process.execPath, MAIN, "run", "--config", config],
      {
        cwd: elsewhere(),
        env: { ...process.env, ...ownFolders() },
      },
    );
    started.push(child);
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += chunk));
    child.stdin.end(input);
    return new Promise((resolve) => child.on("close", (exitCode) => resolve({ exitCode, stderr })));
  }

  test.each([
    ["is closed", ">&-", /standard output is closed/],
    ["is a full disk", ">/dev/full", /ENOSPC/],
    ["is a pipe without a reader", "| true", /./],
  ])("is a refusal at a gate if standard output %s", async (_, redirection, reason) => {
    for (const output of [DENY, SAY]) {
      const said =
        redirection === "| true"
          ? await intoClosedPipe(configured("PreToolUse", output))
          : await into(redirection, configured("PreToolUse", output), bashCall("ls"));
      expect(said.exitCode).toBe(2);
      expect(said.stderr).toMatch(reason);
    }
  });

  async function intoClosedPipe(config: string): Promise<{ exitCode: number | null; stderr: string }> {
    const { child, ended } = start(["--config", config], "", { open: true });
    child.stdout?.destroy();
    await new Promise((resolve) => child.stdout?.once("close", resolve));
    child.stdin?.end(bashCall("ls"));
    return ended;
  }

  test.each([">&-", ">/dev/full"])(
    "does not block an event at which a block means to go on (%s)",
    async (redirection) => {
      expect((await into(redirection, configured("Stop", SAY), stopCall)).exitCode).toBe(1);
    },
  );

  test("is a refusal by exit code alone if standard error is closed as well", async () => {
    const said = await into(">/dev/full 2>&-", configured("PreToolUse", SAY), bashCall("ls"));
    expect(said).toEqual({ exitCode: 2, stderr: "" });
  });

  test.each([
    ["no opinion, with a closed standard output", ">&-", ""],
    ["a reply that its user throws away", ">/dev/null", SAY],
  ])("goes ahead with %s", async (_, redirection, output) => {
    expect((await into(redirection, configured("PreToolUse", output), bashCall("ls"))).exitCode).toBe(0);
  });

  test("ends --lines when its reader is gone, without running another hook", async () => {
    const files = project();
    const log = join(files.folder, "log");
    const config = files.configure("PreToolUse", { type: "command", command: `echo x >> ${log}; echo '${SAY}'` });
    const { child, ended } = start(["--lines", "--config", config], `${bashCall("ls")}\n`, { open: true });
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    child.stdout?.destroy();
    await sleep(50);
    child.stdin?.write(`${bashCall("ls")}\n`);
    // Standard input stays open: only the lost reader ends the process.
    expect((await ended).exitCode).toBe(2);
    expect(readFileSync(log, "utf8")).toBe("x\nx\n");
  });
});

describe("an uncaught error", () => {
  test("refuses in the agent's format and ends the hook's processes", async () => {
    const agent = agentNamed("openclaw");
    const hook = hangingHook("PreToolUse");
    const trap = join(project().folder, "trap.cjs");
    writeFileSync(trap, `process.on("SIGUSR2", () => { throw new Error("nobody expected this"); });`);
    const { child, ended } = start(
      ["--config", hook.config, "--dialect", "openclaw"],
      JSON.stringify(agent.shell("ls")),
      {
        env: { NODE_OPTIONS: `--require ${trap}` },
      },
    );
    const pids = await hook.pids();
    child.kill("SIGUSR2");
    const said = await ended;
    expect(said.stderr).toContain("nobody expected this");
    expect(agent.next(said as never)).toBe("refuses");
    await expectGone(pids);
  });

  test.each([
    ["PreToolUse", 2, bashCall("ls")],
    ["Stop", 1, stopCall],
  ])("after the reply to %s does not change that reply, and is exit code %i", async (event, exitCode, call) => {
    const files = project();
    const late = `const { write } = process.stdout;
      process.stdout.write = function (...all) {
        setImmediate(() => { throw new Error("nobody expected this"); });
        return write.apply(this, all);
      };`;
    const config = files.configure(event, { type: "command", command: `echo '{"systemMessage":"hello"}'` });
    const env = { NODE_OPTIONS: `--require ${files.write("late.cjs", late)}` };
    const said = await start(["--config", config], call, { env }).ended;
    expect(said).toMatchObject({ exitCode, stderr: expect.stringContaining("nobody expected this") });
    expect(JSON.parse(said.stdout)).toEqual({ systemMessage: "hello" });
  });
});

test("a hook's process group that is meant to keep running is not ended", async () => {
  const files = project();
  const pid = join(files.folder, "pid");
  const settings = files.write(
    "settings.json",
    JSON.stringify({
      hooks: {
        PreToolUse: [{ hooks: [{ type: "command", command: `sleep 600 >/dev/null 2>&1 & echo $! > ${pid}` }] }],
      },
    }),
  );
  const { ended } = start(["--config", settings, "--format", "claude-code"], bashCall("ls"));
  expect((await ended).exitCode).toBe(0);
  const left = Number(openSync(pid, "r") && readFileSync(pid, "utf8"));
  expect(isAlive(left)).toBe(true);
  process.kill(left, "SIGKILL");
});
