import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder } from "../helpers/folders.ts";
import { NODE, payload, RELAYS, relay, serve, socketFolder } from "../relay/relays.ts";
import { accountOf } from "./approve.ts";
import { hookbox, MAIN, ownFolders } from "./cli.ts";
import { hasTerminals } from "./terminal.ts";

const SHELL_GUARD = JSON.stringify({
  version: 1,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
const HARMFUL = payload("rm -rf /");

/**
 * Runs the command line on a terminal, without the test's own processes above it, because an agent may have started the
 * test. The keys are typed after the question. WORD in the keys is the word of the question.
 */
const SESSION = `
import json, os, pty, re, sys
keys, out, command = sys.argv[1], sys.argv[2], sys.argv[3:]
if os.fork(): os._exit(0)
os.setsid()
child, terminal = pty.fork()
if child == 0:
    os.execv(command[0], command)
shown, typed = b"", False
while True:
    try:
        chunk = os.read(terminal, 65536)
    except OSError:
        break
    if not chunk:
        break
    shown += chunk
    asked = re.search(rb"type ([a-z]+): ", shown)
    if asked and not typed:
        typed = True
        os.write(terminal, keys.encode().replace(b"WORD", asked.group(1)))
_, status = os.waitpid(child, 0)
with open(out + ".part", "w") as file:
    json.dump({"shown": shown.decode(), "exitCode": os.waitstatus_to_exitcode(status)}, file)
os.rename(out + ".part", out)
`;

interface Session {
  readonly shown: string;
  readonly exitCode: number;
}

/** A user with folders of their own. */
function user() {
  const home = makeFolder({ "state/hookbox": null, "project/hookbox.json": SHELL_GUARD, out: null });
  const state = join(home, "state/hookbox");
  chmodSync(state, 0o700);
  const env = { ...ownFolders(), XDG_STATE_HOME: join(home, "state") };
  const cwd = join(home, "project");
  return {
    state,
    env,
    cwd,
    run: (stdin = HARMFUL, more: Readonly<Record<string, string>> = {}, args: readonly string[] = ["run"]) =>
      hookbox(args, { stdin, cwd, env: { ...env, ...more } }),
    onTerminal: async (args: readonly string[], keys: string, more: Readonly<Record<string, string>> = {}) => {
      const out = join(home, "out/session");
      const child = spawn("python3", ["-c", SESSION, keys, out, NODE, MAIN, ...args], {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", ...env, TERM: "xterm", ...more },
        stdio: "ignore",
      });
      await new Promise((ended) => child.on("close", ended));
      await expect.poll(() => readdirSync(join(home, "out")), { timeout: 60_000 }).toContain("session");
      return JSON.parse(readFileSync(out, "utf8")) as Session;
    },
  };
}

describe.skipIf(!hasTerminals)("hookbox disable", { timeout: 120_000 }, () => {
  test("lets events pass until hookbox enable, and each reply says so", async () => {
    const one = user();
    expect((await one.run()).stdout).toContain('"permissionDecision":"deny"');
    const { shown, exitCode } = await one.onTerminal(["disable", "--for", "10m"], "WORD\r");
    expect(exitCode, shown).toBe(0);
    expect(shown).toMatch(/hookbox is off until \d\d:\d\d/);
    const { stdout, stderr, exitCode: passed } = await one.run();
    expect(passed).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ systemMessage: expect.stringMatching(/switched off until \d\d:\d\d/) });
    expect(stderr).toContain("hookbox is switched off");
    expect((await hookbox(["enable"], one)).stdout).toBe("hookbox is on again.\n");
    expect((await one.run()).stdout).toContain('"permissionDecision":"deny"');
    expect((await hookbox(["enable"], one)).stdout).toBe("hookbox was on already.\n");
  });

  test("records until when, who and which terminal, in a file that only the user can read", async () => {
    const one = user();
    await one.onTerminal(["disable", "--for", "2h"], "WORD\r");
    const file = join(one.state, "disabled.json");
    const { since, until, by, terminal } = JSON.parse(readFileSync(file, "utf8"));
    expect(Date.parse(until) - Date.parse(since)).toBe(2 * 3_600_000);
    expect(by).not.toBe("");
    expect(terminal).toMatch(/^\/dev\/pts\/\d+$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("lets an unreadable payload and a wrong command line pass too, so that no user is locked out", async () => {
    const one = user();
    await one.onTerminal(["disable"], "WORD\r");
    expect((await one.run("{ no json")).exitCode).toBe(0);
    expect((await one.run(HARMFUL, {}, ["run", "--no-such-option"])).exitCode).toBe(0);
    const lines = await one.run(`${HARMFUL}\n`, {}, ["run", "--lines"]);
    expect(JSON.parse(lines.stdout)).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("switched off") });
  });

  test("ends when its time is over", async () => {
    const one = user();
    await one.onTerminal(["disable", "--for", "3s"], "WORD\r");
    await expect
      .poll(async () => (await one.run()).stdout, { timeout: 60_000 })
      .toContain('"permissionDecision":"deny"');
  });

  test("changes nothing after a wrong word", async () => {
    const one = user();
    const { shown, exitCode } = await one.onTerminal(["disable"], "yes\r");
    expect([exitCode, shown]).toEqual([1, expect.stringContaining("Not confirmed. hookbox stays on.")]);
    expect((await one.run()).stdout).toContain("deny");
  });

  test.each([
    ["CLAUDECODE", "1"],
    ["AI_AGENT", "claude-code_1"],
    ["GEMINI_CLI", "1"],
  ])("is refused on a terminal that an agent with %s has opened", async (name, value) => {
    const one = user();
    const { shown, exitCode } = await one.onTerminal(["disable"], "WORD\r", { [name]: value });
    expect([exitCode, shown]).toEqual([2, expect.stringContaining("HOOK_DISABLE_REFUSED")]);
    expect((await one.run()).stdout).toContain("deny");
  });

  test("takes effect in a server that runs, and the server's status shows it", async () => {
    const one = user();
    const socket = join(one.state, "server.sock");
    // The server has no variables of the user's, as when a relay starts it.
    await serve(socket, [], { XDG_STATE_HOME: "" });
    for (const [name, command] of Object.entries(RELAYS)) {
      const ask = () => relay(command, socket, { cwd: one.cwd, stdin: HARMFUL, env: one.env });
      expect((await ask()).stdout, name).toContain("deny");
    }
    const { exitCode, shown } = await one.onTerminal(["disable"], "WORD\r");
    expect(exitCode, shown).toBe(0);
    for (const [name, command] of Object.entries(RELAYS)) {
      const { stdout, exitCode: passed } = await relay(command, socket, { cwd: one.cwd, stdin: HARMFUL, env: one.env });
      expect([passed, stdout], name).toEqual([0, expect.stringContaining("switched off until")]);
    }
    const { stdout } = await hookbox(["serve", "--status", "--socket", socket]);
    expect(JSON.parse(stdout).off).toMatchObject({ how: "command", terminal: expect.stringContaining("/dev/pts/") });
  });
});

describe("the record of hookbox disable", () => {
  const record = (inode: string, begunMs = Date.now()): string =>
    JSON.stringify({
      since: new Date(begunMs).toISOString(),
      until: new Date(begunMs + 600_000).toISOString(),
      by: "x",
      terminal: "/dev/pts/0",
      inode,
    });

  test("does not count if it was copied, as a file of a repository is", async () => {
    const one = user();
    writeFileSync(join(one.state, "disabled.json"), record("1:1"), { mode: 0o600 });
    expect((await one.run()).stdout).toContain("deny");
  });

  test("does not count while the clock shows a time before it", async () => {
    const one = user();
    const file = join(one.state, "disabled.json");
    writeFileSync(file, "", { mode: 0o600 });
    const { dev, ino } = statSync(file);
    writeFileSync(file, record(`${dev}:${ino}`));
    expect((await one.run()).stdout).not.toContain("deny");
    writeFileSync(file, record(`${dev}:${ino}`, Date.now() + 3_600_000));
    expect((await one.run()).stdout).toContain("deny");
  });

  test("does not count in a folder of the project that a variable names", async () => {
    const one = user();
    const folder = join(one.cwd, "state/hookbox");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "disabled.json");
    writeFileSync(file, "", { mode: 0o600 });
    const { dev, ino } = statSync(file);
    writeFileSync(file, record(`${dev}:${ino}`));
    expect((await one.run(HARMFUL, { XDG_STATE_HOME: join(one.cwd, "state") })).stdout).toContain("deny");
  });
});

test("hookbox disable is refused without a terminal, and names the way for containers", async () => {
  const { exitCode, stderr } = await hookbox(["disable"]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/HOOK_DISABLE_REFUSED: .*(terminal|agent)/);
});

/** A stand-in for an agent: a process that starts the given hook, with variables that its settings add. */
const AGENT = `
const { spawnSync } = require("node:child_process");
const [added, ...command] = process.argv.slice(process.argv[1].endsWith(".js") ? 2 : 1);
const { stdout, stderr, status } = spawnSync(command[0], command.slice(1), {
  input: require("node:fs").readFileSync(0), env: { ...process.env, ...JSON.parse(added) } });
process.stdout.write(JSON.stringify({ stdout: String(stdout), stderr: String(stderr), status }));
`;

/** Starts the agent without the test's own processes above it. */
const DETACH = `
import os, sys
out, stdin, command = sys.argv[1], sys.argv[2], sys.argv[3:]
if os.fork(): os._exit(0)
os.setsid()
read, write = os.pipe()
os.write(write, stdin.encode())
os.close(write)
os.dup2(read, 0)
child = os.fork()
if child == 0:
    os.dup2(os.open(out + ".part", os.O_WRONLY | os.O_CREAT, 0o600), 1)
    os.execv(command[0], command)
os.waitpid(child, 0)
os.rename(out + ".part", out)
`;

describe.skipIf(!hasTerminals || process.platform !== "linux")("HOOKBOX_OFF", { timeout: 120_000 }, () => {
  const PASSES = '{"systemMessage":"hookbox is switched off: HOOKBOX_OFF was set when the agent was started.';

  /** The hook's answer under an agent that was started with `started` and adds `added` to the hook's variables. */
  async function answer(
    hook: (one: ReturnType<typeof user>) => readonly string[] | Promise<readonly string[]>,
    { started = {}, added = {} }: { started?: Record<string, string>; added?: Record<string, string> },
    around: readonly string[] = [],
    program: readonly string[] = [NODE, "-e", AGENT],
  ): Promise<string> {
    const one = user();
    const out = join(one.state, "out");
    const agent = [...around, ...program, JSON.stringify(added), ...(await hook(one))];
    const child = spawn("python3", ["-c", DETACH, out, HARMFUL, ...agent], {
      cwd: one.cwd,
      env: { PATH: process.env["PATH"] ?? "", ...one.env, ...started },
      stdio: "ignore",
    });
    await new Promise((ended) => child.on("close", ended));
    await expect.poll(() => readdirSync(one.state), { timeout: 60_000 }).toContain("out");
    const { stdout, stderr } = JSON.parse(readFileSync(out, "utf8"));
    return `${stdout}${stderr}`;
  }
  const run = () => [NODE, MAIN, "run"];
  const ON = { HOOKBOX_OFF: "1" };
  const MARK = { CLAUDECODE: "1" };

  test("lets events pass if the agent was started with it", async () => {
    expect(await answer(run, { started: ON, added: MARK })).toContain(PASSES);
    expect(await answer(() => ["/bin/sh", "-c", `${NODE} ${MAIN} run; true`], { started: ON, added: MARK })).toContain(
      PASSES,
    );
  });

  test("has no effect if the agent's settings add it for its hooks", async () => {
    expect(await answer(run, { added: { ...ON, ...MARK } })).toContain("deny");
    const sh = () => ["/bin/sh", "-c", `${NODE} ${MAIN} run; true`];
    expect(await answer(sh, { added: { ...ON, ...MARK } })).toContain("deny");
    expect(await answer(sh, { added: ON })).toContain("deny");
  });

  test("has no effect in an agent that another agent has started", async () => {
    expect(await answer(run, { started: { ...ON, ...MARK }, added: MARK })).toContain("deny");
    // The inner agent lost the marks of the outer agent, whose shell still has them.
    const inner = ["/usr/bin/env", "-u", "CLAUDECODE", "HOOKBOX_OFF=1"];
    const shell = ["/bin/sh", "-c", `CLAUDECODE=1 sh -c '"$@"; true' sh "$@"; true`, "sh"];
    expect(await answer(run, { added: MARK }, [...shell, ...inner])).toContain("deny");
  });

  /** A program that starts its arguments with HOOKBOX_OFF, as an agent does that starts itself again after it has read a file. */
  const STARTS_WITH_IT = `
const { spawnSync } = require("node:child_process");
const [command, ...args] = process.argv.slice(2);
spawnSync(command, args, { stdio: "inherit", env: { ...process.env, HOOKBOX_OFF: "1" } });
`;

  test.each(["gemini.js", "node_modules/@qwen-code/qwen-code/cli-entry.js"])(
    "has no effect if the agent %s adds it and starts itself again",
    async (name) => {
      const file = join(makeFolder({ [name]: STARTS_WITH_IT }), name);
      expect(await answer(run, { added: MARK }, [NODE, "--no-warnings", file])).toContain("deny");
    },
  );

  test("has no effect if an agent without a known name adds it and starts itself again", async () => {
    const folder = makeFolder({ "outer/agent.js": STARTS_WITH_IT, "inner/agent.js": AGENT });
    const [outer, inner] = ["outer", "inner"].map((name) => [NODE, join(folder, name, "agent.js")]);
    expect(await answer(run, { added: MARK }, outer, inner)).toContain("deny");
  });

  test("an agent cannot approve content by a digest, even if it clears its variables", async () => {
    const folder = makeFolder({ "gemini.js": AGENT });
    const program = [NODE, "--no-warnings", join(folder, "gemini.js")];
    /** Returns a cleared environment with an account of its own, and the digest of the project's file. */
    const prepared = async (one: ReturnType<typeof user>) => {
      const home = join(one.cwd, "../home");
      const env = { ...one.env, HOME: home, ...accountOf(home) };
      const shown = await hookbox(["trust", "--json"], { cwd: one.cwd, env, approves: false });
      const { digest } = JSON.parse(shown.stdout) as { readonly digest: string };
      const set = Object.entries({ PATH: process.env["PATH"], ...env }).map(([name, value]) => `${name}=${value}`);
      return { digest, clear: ["/usr/bin/env", "-i", ...set] };
    };
    const byDigest = async (one: ReturnType<typeof user>) => {
      const { digest, clear } = await prepared(one);
      return [...clear, NODE, MAIN, "trust", "--trust", digest];
    };
    expect(await answer(byDigest, {}, [], program)).toContain("HOOK_PERSON_NEEDED");
    const byVariable = async (one: ReturnType<typeof user>) => {
      const { digest, clear } = await prepared(one);
      return [...clear, `HOOKBOX_TRUST=${digest}`, NODE, MAIN, "run", "--trust-env", "--json"];
    };
    expect(await answer(byVariable, {}, [], program)).toContain("HOOK_TRUST_MISSING");
  });

  test.each(Object.entries(RELAYS).filter(([name]) => !name.includes("arm64")))(
    "counts through the %s relay in the same cases",
    async (_name, command) => {
      const socket = join(socketFolder(), "s");
      await serve(socket);
      const hook = () => [...command, "claude-code", "--event", "PreToolUse", "--socket", socket, "--main", MAIN];
      expect(await answer(hook, { started: ON, added: MARK })).toContain(PASSES);
      expect(await answer(hook, { added: { ...ON, ...MARK } })).toContain("deny");
    },
  );
});
