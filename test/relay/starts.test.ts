import { execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hookbox, MAIN } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { NODE, payload, RELAYS_OF_TIER, relay, serve, socketFolder, standIn } from "./relays.ts";

/** How each relay starts the server: what the server inherits from the agent, and what may be in its way. */

const SHELL_GUARD = JSON.stringify({
  version: 1,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
const DENIED = '"permissionDecision":"deny"';
const START = ["--event", "PreToolUse", "--node", NODE];

const stopAfterTest = (socket: string): void =>
  onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket])));

async function statusOf(socket: string): Promise<{ readonly pid?: number; readonly open_calls?: number }> {
  const { stdout } = await hookbox(["serve", "--status", "--socket", socket]);
  return JSON.parse(stdout || "{}") as { pid?: number; open_calls?: number };
}

const pidOf = async (socket: string): Promise<number> => (await statusOf(socket)).pid ?? 0;

/** Returns the user's own file, outside of the project. The server has an account of its own, which approves nothing. */
const saying = (command: string): string => {
  const rules = JSON.stringify({
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: `echo "$(${command})" >&2; exit 2` }] }] },
  });
  return join(makeFolder({ "hookbox.json": rules }), "hookbox.json");
};

describe.each(RELAYS_OF_TIER)("a server that the %s relay starts", (name, command) => {
  test("gets the file mode mask of the agent, and none of its variables", async () => {
    const cwd = makeFolder({});
    const config = saying("umask; env");
    const socket = join(socketFolder(), "s");
    stopAfterTest(socket);
    const sh = ["/bin/sh", "-c", `umask 027; exec "$@"`, "sh", ...command];
    const first = await relay(sh, socket, {
      cwd,
      args: [...START, "--config", config],
      env: { API_KEY: "of-the-first", NODE_OPTIONS: "--no-warnings" },
    });
    expect(first.stdout + first.stderr).toMatch(/\b0027\b/);
    expect(first.stdout + first.stderr).not.toMatch(/of-the-first|NODE_OPTIONS/);
  });

  test.skipIf(process.getuid?.() !== 0)("can make folders for a user who is not root", async () => {
    const cwd = makeFolder({});
    const config = saying("cd $(mktemp -d) && mkdir -p a/b && touch a/b/c && ls a/b");
    const folder = socketFolder();
    chownSync(folder, 65_534, 65_534);
    const socket = join(folder, "s");
    stopAfterTest(socket);
    const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ...command];
    const home = makeFolder({});
    for (const owned of [cwd, home, dirname(config)]) chownSync(owned, 65_534, 65_534);
    const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CACHE_HOME: join(home, "cache") };
    const { stdout, stderr } = await relay(nobody, socket, { cwd, args: [...START, "--config", config], env });
    expect(stdout + stderr).toMatch(/\bc\b/);
    expect(stdout + stderr).not.toMatch(/denied|HOOK_[A-Z]/);
  });

  test("judges although the settings of a repository make bash run nothing", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    stopAfterTest(socket);
    const env = { SHELLOPTS: "noexec", BASHOPTS: "" };
    // On some systems bash is /bin/sh.
    const bash = command.map((word) => (word === "/bin/sh" ? "/bin/bash" : word));
    const options = { cwd, env, stdin: payload("rm -rf /"), args: START };
    expect((await relay(bash, socket, options)).stdout).toContain(DENIED);
  });

  test.runIf(process.platform === "linux")("keeps no descriptor, folder, or process group of the agent", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const folder = socketFolder();
    const socket = join(folder, "s");
    stopAfterTest(socket);
    const sh = ["/bin/sh", "-c", `exec 7>"${folder}/held"; "$@"`, "sh", ...command];
    expect((await relay(sh, socket, { cwd, stdin: payload("rm -rf /"), args: START })).stdout).toContain(DENIED);
    const pid = await pidOf(socket);
    const held = readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
    expect(held.filter((target) => target.includes("/held"))).toEqual([]);
    expect(linkOf(`/proc/${pid}/cwd`)).toBe("/");
    // A session of its own: no terminal and no signal of the agent's reaches it.
    expect(statOf(pid)[5]).not.toBe(statOf(process.pid)[5]);
  });

  test.runIf(process.platform === "linux")("survives a signal to the agent's process group", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    stopAfterTest(socket);
    const agent = spawn(
      "/bin/sh",
      ["-c", `"$@"; sleep 60`, "sh", ...command, "claude-code", ...START, "--socket", socket, "--main", MAIN],
      {
        cwd,
        detached: true,
        stdio: ["pipe", "pipe", "ignore"],
        env: { PATH: process.env["PATH"] ?? "" },
      },
    );
    const ended = new Promise((done) => agent.on("close", done));
    agent.stdin.end(payload("rm -rf /"));
    await new Promise((done) => agent.stdout.once("data", done));
    const pid = await pidOf(socket);
    process.kill(-(agent.pid ?? 0), "SIGINT");
    process.kill(-(agent.pid ?? 0), "SIGTERM");
    await ended;
    expect(await pidOf(socket)).toBe(pid);
  });

  test("does not replace a file or a folder at the path of the socket", async () => {
    const things: Readonly<Record<string, (path: string) => void>> = {
      file: (path) => writeFileSync(path, "precious"),
      folder: (path) => mkdirSync(path),
    };
    for (const [what, make] of Object.entries(things)) {
      const socket = join(socketFolder(), "s");
      make(socket);
      const { exitCode } = await relay(command, socket, { args: [...START, "--patience", "2"] });
      expect(exitCode, what).toBe(2);
      if (what === "file") expect(readFileSync(socket, "utf8")).toBe("precious");
      else expect(lstatSync(socket).isDirectory()).toBe(true);
    }
  });

  test.each<[string, (socket: string) => void]>([
    ["a folder at .lock", (socket) => mkdirSync(`${socket}.lock`)],
    ["a folder at .new", (socket) => mkdirSync(`${socket}.new`)],
    ["a folder at .log", (socket) => mkdirSync(`${socket}.log`)],
    ["a pipe at .log", (socket) => makePipe(`${socket}.log`)],
    ["a pipe at .lock", (socket) => makePipe(`${socket}.lock`)],
  ])("is started, or the call is refused, with %s", async (_what, squat) => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    squat(socket);
    stopAfterTest(socket);
    const { exitCode, stdout } = await relay(command, socket, {
      cwd,
      stdin: payload("rm -rf /"),
      args: [...START, "--patience", "20"],
    });
    expect(exitCode === 2 || stdout.includes(DENIED)).toBe(true);
  });

  test("is not started over and over if it ends at once", async () => {
    const folder = socketFolder();
    const node = join(folder, "node");
    writeFileSync(node, `#!/bin/sh\necho x >>"${folder}/starts"\nexit 1\n`, { mode: 0o755 });
    const { exitCode, stderr } = await relay(command, join(folder, "s"), {
      args: ["--event", "PreToolUse", "--node", node, "--patience", "5"],
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/HOOK_RELAY_(NO_SERVER|CUT_OFF|SLOW)/);
    expect(
      existsSync(join(folder, "starts")) && readFileSync(join(folder, "starts"), "utf8").length,
    ).toBeLessThanOrEqual(10);
  });

  test("replaces one of another version that takes a while to stop", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    let asked = 0;
    let old: Awaited<ReturnType<typeof retiring>> | undefined;
    old = await retiring(() => {
      asked += 1;
      if (asked === 30) old?.stop();
    });
    stopAfterTest(old.socket);
    const { stdout, stderr } = await relay(command, old.socket, { cwd, stdin: payload("rm -rf /"), args: START });
    expect(stdout, stderr).toContain(DENIED);
  });

  test("replaces one whose process is stopped, long before the patience ends", { timeout: 240_000 }, async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    const old = await serve(socket);
    stopAfterTest(socket);
    process.kill(old.pid, "SIGSTOP");
    const args = [...START, "--patience", "200"];
    const asked = Array.from({ length: 3 }, () => relay(command, socket, { cwd, stdin: payload("rm -rf /"), args }));
    for (const { stdout, stderr } of await Promise.all(asked)) expect(stdout, stderr).toContain(DENIED);
    expect(await old.ended).toBe(null);
    expect(await pidOf(socket)).not.toBe(old.pid);
  });

  test("replaces one that a relay has started and that is stopped", { timeout: 240_000 }, async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    stopAfterTest(socket);
    const ask = () =>
      relay(command, socket, { cwd, stdin: payload("rm -rf /"), args: [...START, "--patience", "200"] });
    await ask();
    const first = await pidOf(socket);
    process.kill(first, "SIGSTOP");
    const { stdout, stderr } = await ask();
    expect(stdout, stderr).toContain(DENIED);
    expect(await pidOf(socket)).not.toBe(first);
  });

  test("waits for one that is stopped for a moment only, and for one that takes longer than that", async () => {
    const cwd = makeFolder({});
    const config = saying("sleep 4; echo slow");
    const socket = join(socketFolder(), "s");
    const { pid } = await serve(socket);
    const asked = relay(command, socket, { cwd, args: [...START, "--patience", "60", "--config", config] });
    await expect.poll(() => statusOf(socket).then(({ open_calls }) => open_calls)).toBe(1);
    process.kill(pid, "SIGSTOP");
    await new Promise((done) => setTimeout(done, 600));
    process.kill(pid, "SIGCONT");
    const { stdout, stderr } = await asked;
    expect(stdout + stderr).toContain("slow");
    expect(await pidOf(socket)).toBe(pid);
  });

  test("is asked again after the one before was killed in the middle of the call", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    let cuts = 0;
    const socket = await standIn((one) => {
      one.once("data", () => {
        cuts += 1;
        one.destroy();
      });
    });
    const { exitCode } = await relay(command, socket, { cwd, args: ["--event", "PreToolUse"] });
    expect([exitCode, cuts]).toEqual([2, 3]);
  });

  test("gets a dialect in the characters of one, and is not asked otherwise", async () => {
    let requests = "";
    const socket = await standIn((one, request) => {
      requests += request();
      one.destroy();
    });
    for (const dialect of ["claude-code HTTP/1.1\r\nX-Injected: 1\r\n\r\n", "../metrics", "a?b", "a b", "A"]) {
      const { exitCode } = await relay(command, socket, { args: [dialect, "--event", "Stop", "--patience", "3"] });
      expect(exitCode, dialect).not.toBe(0);
    }
    expect(requests).not.toMatch(/^X-Injected|^POST \/v1\/metrics/m);
  });

  test("gets arguments and variables with every kind of character as they are", async () => {
    const strange = 'a\nb\r\n\r\nPOST / HTTP/1.1\r\n\t"\\ =é\u{1f600}';
    const cwd = makeFolder({});
    const config = saying('printf %s "$CLAUDE_STRANGE" | od -An -tx1 | tr -d " \\n"');
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const { stdout, stderr } = await relay(command, socket, {
      cwd,
      args: ["--event", "PreToolUse", "--config", `claude-code:${config}`],
      env: { CLAUDE_STRANGE: strange },
    });
    expect(stdout + stderr).toContain(Buffer.from(strange).toString("hex"));
    const refused = await relay(command, socket, { cwd, args: ["--event", "PreToolUse", "--config", strange] });
    expect(refused.exitCode).toBe(2);
    expect(refused.stdout + refused.stderr).toContain("HOOK_CONFIG_NOT_FOUND");
  });

  test("gets no call whose arguments and variables are longer than 1 MiB", { timeout: 240_000 }, async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`CLAUDE_${i}`, "x".repeat(100_000)]));
    const asked = { cwd, stdin: payload("rm -rf /"), args: ["--event", "PreToolUse"] };
    expect((await relay(command, socket, { ...asked, env: many(9) })).stdout).toContain(DENIED);
    const { exitCode, stdout, stderr } = await relay(command, socket, { ...asked, env: many(12) });
    expect([exitCode, stdout.includes('"allow"')]).toEqual([name === "native" ? 2 : exitCode, false]);
    expect(stdout + stderr).toMatch(/HOOK_RELAY_INPUT|HOOK_SERVER_REQUEST/);
    const numbers = Array.from({ length: 5_000 }, (_, i) => ["--env", `NAME_${i}`]).flat();
    expect((await relay(command, socket, { ...asked, args: ["--event", "PreToolUse", ...numbers] })).stdout).toContain(
      DENIED,
    );
  });
});

/** The fields of `/proc/PID/stat`: pid, name, state, parent, process group, session. */
function statOf(pid: number): readonly string[] {
  return readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // The descriptor was closed since it was listed.
    return "";
  }
}

function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
}

/** A server that answers 409 to each call, and goes away when it is told to. */
async function retiring(asked: () => void): Promise<{ readonly socket: string; readonly stop: () => void }> {
  const socket = join(socketFolder(), "s");
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(409, { Connection: "close" }).end();
      asked();
    });
  });
  await new Promise<void>((listening) => server.listen(socket, listening));
  const stop = (): void => {
    server.close();
    rmSync(socket, { force: true });
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { socket, stop };
}
