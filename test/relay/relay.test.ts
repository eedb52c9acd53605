import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { refusalsHeader, shellRelay } from "../../scripts/write-refusals.ts";
import { hookbox } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { NODE, payload, RELAYS, relay, serve, socketFolder, standIn } from "./relays.ts";

/** The native relay, the one in shell and the one in Node are held to the same protocol and the same refusals. */

const RELAY_FOLDER = join(import.meta.dirname, "../../relay");

const SHELL_GUARD = JSON.stringify({
  version: 1,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
const NO_POLICY = /could not judge this call.*No rule has refused it\. (HOOK_[A-Z_]+): .*Run: hookbox doctor/s;

function drip(one: Socket): void {
  one.write("HTTP/1.1 200 OK\r\nX-Long: ");
  const writing = setInterval(() => one.write("x"), 50);
  one.on("close", () => clearInterval(writing));
}

describe.each(Object.entries(RELAYS))("the %s relay", (name, command) => {
  const codeOf = (stderr: string): string | undefined => NO_POLICY.exec(stderr)?.[1];

  test("answers byte for byte as hookbox run does", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    for (const line of ["rm -rf /", "ls -la", "echo \u{1f600} 'x'"]) {
      const once = await hookbox(["run"], { stdin: payload(line), cwd });
      const { exitCode, stdout, stderr } = await relay(command, socket, { stdin: payload(line), cwd });
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: once.exitCode,
        stdout: once.stdout,
        stderr: once.stderr,
      });
    }
  });

  test("gives the rules the working directory and the variables of the agent", async () => {
    const hook = `printf '%s|%s|%s|%s' "$PWD" "$CLAUDE_CODE_SESSION_ID" "$EXTRA" "$SECRET" >&2; exit 2`;
    const config = { hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command: hook }] }] } };
    const cwd = makeFolder({ "a b/é/.claude/settings.json": JSON.stringify(config) });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const { stdout, stderr } = await relay(command, socket, {
      stdin: payload("ls", { cwd: join(cwd, "a b/é") }),
      cwd: join(cwd, "a b/é"),
      args: ["--event", "PreToolUse", "--env", "EXTRA", "--config", ".claude/settings.json"],
      env: { CLAUDE_CODE_SESSION_ID: "s1", EXTRA: "more = x", SECRET: "no" },
    });
    expect(stdout + stderr).toContain(`${join(cwd, "a b/é")}|s1|more = x|`);
    expect(stdout + stderr).not.toContain("|no");
  });

  test("starts the server if none runs, and several at once start one", { timeout: 240_000 }, async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const folder = socketFolder();
    const socket = join(folder, "s");
    onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket])));
    const asked = Array.from({ length: 6 }, () =>
      relay(command, socket, { cwd, stdin: payload("rm -rf /"), args: ["--event", "PreToolUse", "--node", NODE] }),
    );
    for (const { stdout, exitCode } of await Promise.all(asked)) {
      expect(stdout).toContain('"permissionDecision":"deny"');
      expect(exitCode).toBe(0);
    }
    const { stdout } = await hookbox(["serve", "--status", "--socket", socket]);
    expect(JSON.parse(stdout)).toMatchObject({ protocol: "1", engines: 1 });
  });

  test("replaces a server that was killed", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    const server = await serve(socket);
    process.kill(server.pid, "SIGKILL");
    await server.ended;
    onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket])));
    const { stdout } = await relay(command, socket, {
      cwd,
      stdin: payload("rm -rf /"),
      args: ["--event", "PreToolUse", "--node", NODE],
    });
    expect(stdout).toContain("deny");
  });

  test.each<[string, string, Parameters<typeof standIn>[0]]>([
    ["is silent", "HOOK_RELAY_SLOW", () => {}],
    ["drips", "HOOK_RELAY_SLOW", drip],
    ["closes at once", "HOOK_RELAY_CUT_OFF", (one) => one.destroy()],
    [
      "answers half",
      "HOOK_RELAY_CUT_OFF",
      (one) => one.end("HTTP/1.1 200 OK\r\nHookbox-Reply: 1 0 9 0\r\nContent-Length: 9\r\n\r\n{}"),
    ],
    ["answers half a head", "HOOK_RELAY_CUT_OFF", (one) => one.end("HTTP/1.1 200 OK\r\nHookbox-Re")],
    [
      "answers {} without our header",
      "HOOK_RELAY_GARBAGE",
      (one) => one.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
    ],
    [
      "has sizes that are no numbers",
      "HOOK_RELAY_GARBAGE",
      (one) => one.end("HTTP/1.1 200 OK\r\nHookbox-Reply: 1 0 x 0\r\nContent-Length: 2\r\n\r\n{}"),
    ],
    [
      "is of another version",
      "HOOK_RELAY_VERSION",
      (one) => one.end("HTTP/1.1 200 OK\r\nHookbox-Reply: 2 0 2 0\r\nContent-Length: 2\r\n\r\n{}"),
    ],
    ["answers 500", "HOOK_RELAY_GARBAGE", (one) => one.end("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\n{}")],
  ])("refuses when the server %s", { timeout: 60_000 }, async (_what, code, answer) => {
    const socket = await standIn((one, request) => {
      // Answers after the whole request, as a server does.
      const asking = setInterval(() => {
        if (!/\r\n\r\n/.test(request())) return;
        clearInterval(asking);
        answer(one, request);
      }, 5);
      one.on("close", () => clearInterval(asking));
    });
    const { exitCode, stdout, stderr } = await relay(command, socket, {
      args: ["--event", "PreToolUse", "--patience", "3"],
    });
    expect([exitCode, stdout]).toEqual([2, ""]);
    // A shell and Node see half a head as a broken answer.
    expect([code, "HOOK_RELAY_CUT_OFF", "HOOK_RELAY_GARBAGE"]).toContain(codeOf(stderr));
    if (code === "HOOK_RELAY_SLOW" || code === "HOOK_RELAY_VERSION") expect(codeOf(stderr)).toBe(code);
  });

  test("refuses when no server runs and it cannot start one", async () => {
    const socket = join(socketFolder(), "s");
    const args = ["--event", "PreToolUse", "--patience", "2", ...(name === "node" ? ["--node", "/nowhere/node"] : [])];
    const { exitCode, stderr } = await relay(command, socket, { args });
    expect(exitCode).toBe(2);
    expect(codeOf(stderr)).toMatch(/^HOOK_RELAY_(NO_SERVER|SLOW)$/);
  });

  test("refuses when the server is stopped", async () => {
    const socket = join(socketFolder(), "s");
    const { pid } = await serve(socket);
    process.kill(pid, "SIGSTOP");
    const { exitCode, stderr } = await relay(command, socket, { args: ["--event", "PreToolUse", "--patience", "2"] });
    expect(exitCode).toBe(2);
    expect(codeOf(stderr)).toBe("HOOK_RELAY_SLOW");
  });

  test("refuses when other users can enter the folder of the socket", async () => {
    const folder = socketFolder();
    chmodSync(folder, 0o755);
    const args = ["--event", "PreToolUse", "--node", NODE];
    const { exitCode, stderr } = await relay(command, join(folder, "s"), { args });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/HOOK_RELAY_SOCKET|HOOK_STATE/);
  });

  test("refuses when the folder for the socket's folder is missing, and says so", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "missing/folder/s");
    const options = { cwd, stdin: payload("rm -rf /"), args: ["--event", "PreToolUse", "--node", NODE] };
    const { stdout, stderr } = await relay(command, socket, options);
    onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket])));
    // The relay in Node creates the folders and starts a server.
    expect(stdout + stderr).toMatch(/HOOK_RELAY_SOCKET: the folder of the socket does not exist|"deny"/);
  });

  test("uses exit code 1 at an event that cannot be blocked, and the agent's own words", async () => {
    const socket = await standIn((one) => one.destroy());
    const stop = await relay(command, socket, { args: ["--event", "Stop"] });
    expect([stop.exitCode, stop.stdout]).toEqual([1, ""]);
    const openclaw = await relay(command, socket, { args: ["openclaw", "--event", "before_tool_call"], stdin: "{}" });
    expect(openclaw.exitCode).toBe(2);
    const said = JSON.parse(openclaw.stdout) as { block: boolean; blockReason: string };
    expect(said.block).toBe(true);
    expect(said.blockReason).toMatch(NO_POLICY);
  });

  test("passes a payload of 10 MB, and refuses one of more than 16 MiB", { timeout: 120_000 }, async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const long = await relay(command, socket, { cwd, stdin: payload("true", { padding: "x".repeat(10_000_000) }) });
    expect(long.exitCode, long.stderr).toBe(0);
    const tooLong = await relay(command, socket, { cwd, stdin: payload("x".repeat(17 * 1_048_576)) });
    expect(tooLong.exitCode).toBe(2);
  });

  test("refuses with exit code 2 if a denial cannot be written", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const line = `exec "$@" >/dev/full`;
    const { exitCode } = await relay(["/bin/sh", "-c", line, "sh", ...command], socket, {
      cwd,
      stdin: payload("rm -rf /"),
    });
    expect(exitCode).toBe(2);
  });
});

describe.runIf("native" in RELAYS)("the native relay", () => {
  const command = RELAYS["native"] ?? [];

  test("takes the event from the payload's top level, and from no text or object inside", async () => {
    const socket = await standIn((one) => one.destroy());
    const inside = {
      tool_input: { hook_event_name: "Stop", command: '{"hook_event_name":"Stop"}' },
      session_id: '","hook_event_name":"Stop',
    };
    const gate = JSON.stringify({ ...inside, hook_event_name: "PreToolUse", last: { hook_event_name: "Stop" } });
    expect((await relay(command, socket, { stdin: gate, args: ["--patience", "5"] })).exitCode).toBe(2);
    const stop = JSON.stringify({ tool_input: { hook_event_name: "PreToolUse" }, hook_event_name: "Stop" });
    expect((await relay(command, socket, { stdin: stop, args: ["--patience", "5"] })).exitCode).toBe(1);
    expect((await relay(command, socket, { stdin: "not JSON", args: ["--patience", "5"] })).exitCode).toBe(2);
  });

  test("answers an agent that never closes the payload's pipe", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const { stdout } = await relay(command, socket, { cwd, stdin: payload("rm -rf /"), keepsOpen: true });
    expect(stdout).toContain("deny");
  });

  test("refuses with exit code 2 if standard output is closed", async () => {
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const { exitCode } = await relay(["/bin/sh", "-c", `exec "$@" >&-`, "sh", ...command], socket);
    expect(exitCode).toBe(2);
  });

  test("reads no variable that a repository could set to load code", async () => {
    const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
    const socket = join(socketFolder(), "s");
    await serve(socket);
    const env = {
      LD_PRELOAD: "/nowhere.so",
      PATH: "/nowhere",
      NODE_OPTIONS: "--require /nowhere.js",
      HOME: "/nowhere",
    };
    const { stdout } = await relay(command, socket, { cwd, stdin: payload("rm -rf /"), env });
    expect(stdout).toContain("deny");
  });
});

/** Another point release of the compilers may write other bytes; see docs/decisions/0271. */
const COMPILERS = ["gcc", "aarch64-linux-gnu-gcc"];
const hasCompilers = COMPILERS.every((name) =>
  spawnSync(name, ["--version"], { encoding: "utf8" }).stdout?.includes("12.2.0"),
);

test.runIf(hasCompilers)("the native relays are what Debian's compilers make of their source", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(RELAY_FOLDER, "build.mjs"), "--check"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  for (const [name, digest] of Object.entries(JSON.parse(stdout) as Record<string, string>))
    expect(
      createHash("sha256")
        .update(readFileSync(join(RELAY_FOLDER, name)))
        .digest("hex"),
      name,
    ).toBe(digest);
});

test("the tables of refusals in C and in shell are those of the dialects", () => {
  expect(readFileSync(join(RELAY_FOLDER, "refusals.generated.h"), "utf8")).toBe(refusalsHeader());
  expect(readFileSync(join(RELAY_FOLDER, "relay.sh"), "utf8")).toBe(shellRelay());
});
