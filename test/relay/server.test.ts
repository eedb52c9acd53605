import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { accountOf } from "../e2e/approve.ts";
import { accountHome, approvedAccount, hookbox, MAIN, ownFolders } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { payload, RELAYS, relay, serve, socketFolder } from "./relays.ts";

/** The resident server: who may ask, what it does when files change, and how it starts and stops. */

const rules = (...tools: string[]): string =>
  JSON.stringify({
    version: 1,
    hooks: {
      PreToolUse: tools.map((matcher) => ({ matcher, hooks: [{ type: "wasm", module: "builtin:shell-guard" }] })),
    },
  });
const [ask = []] = Object.values(RELAYS);
const DENIED = '"permissionDecision":"deny"';

interface Reply {
  readonly status: number | undefined;
  readonly body: string;
}

function post(
  at: { readonly port?: number; readonly socketPath?: string },
  headers: Readonly<Record<string, string>>,
  body = payload("rm -rf /"),
  path = "/v1/hooks/claude-code",
): Promise<Reply> {
  return new Promise((done, reject) => {
    const asked = request({ ...at, method: "POST", path, headers }, async (response) => {
      let text = "";
      for await (const chunk of response) text += String(chunk);
      done({ status: response.statusCode, body: text });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Sends bytes and resolves to everything that comes back. */
function raw(at: { port: number; host?: string } | { path: string }, text: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect(at as never, () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("error", () => done(answer));
    socket.on("close", () => done(answer));
  });
}

async function served(files: Readonly<Record<string, string>> = { "hookbox.json": rules("Bash") }, ...args: string[]) {
  const folder = socketFolder();
  const socket = join(folder, "s");
  const cwd = makeFolder(files);
  const server = await serve(socket, args);
  const call = (command = "rm -rf /", tool = "Bash") =>
    relay(ask, socket, { cwd, stdin: payload(command, { tool_name: tool }), approves: false });
  const status = async (): Promise<{ reloads: number; projects: { pending: string | null; rules: number }[] }> =>
    JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout);
  return { folder, socket, cwd, call, status, server };
}

async function byHttp() {
  const { folder, cwd } = await served(undefined, "--http");
  const text = readFileSync(join(folder, "http.json"), "utf8");
  const { url, token } = JSON.parse(text) as { url: string; token: string };
  const port = Number(new URL(url).port);
  const good = { "Content-Type": "application/json", Host: `127.0.0.1:${port}`, Authorization: `Bearer ${token}` };
  return { port, token, good, cwd, folder };
}

describe("loopback HTTP", () => {
  test("answers the agent's own web hook with the token, and only then", async () => {
    const { port, good, cwd, folder } = await byHttp();
    expect(lstatSync(join(folder, "http.json")).mode & 0o777).toBe(0o600);
    const body = payload("rm -rf /", { cwd });
    const { status, body: answer } = await post({ port }, good, body);
    expect(status).toBe(200);
    expect(answer).toContain(DENIED);
    expect(await post({ port }, good, payload("ls", { cwd }))).toEqual({ status: 200, body: "{}" });
    expect((await post({ port }, good, "not JSON")).status).toBe(200);
    expect((await post({ port }, good, "not JSON")).body).toContain("HOOK_PAYLOAD_INVALID");
  });

  test.each<[string, Readonly<Record<string, string | undefined>>, number]>([
    ["without a token", { Authorization: undefined }, 401],
    ["with a wrong token", { Authorization: `Bearer ${"0".repeat(32)}` }, 401],
    ["with a shorter token", { Authorization: "Bearer 0" }, 401],
    ["for a host that DNS rebinding names", { Host: "attacker.example:80" }, 403],
    ["for another port", { Host: "127.0.0.1:1" }, 403],
    ["with an origin", { Origin: "https://attacker.example" }, 403],
    ["with the origin of the server itself", { Origin: "http://127.0.0.1" }, 403],
    ["of a page", { "Sec-Fetch-Site": "cross-site" }, 403],
    ["with a content type that a page may send", { "Content-Type": "text/plain" }, 400],
    ["of a form", { "Content-Type": "application/x-www-form-urlencoded" }, 400],
    ["with a length beyond the limit", { "Content-Length": "99999999" }, 413],
  ])("refuses a request %s", async (_what, changes, status) => {
    const { port, good } = await byHttp();
    const headers = Object.fromEntries(
      Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const head = Object.entries({ "Content-Length": "2", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await raw(
      { port, host: "127.0.0.1" },
      `POST /v1/hooks/claude-code HTTP/1.1\r\nConnection: close\r\n${head.join("")}\r\n{}`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    expect(answer).not.toMatch(/access-control/i);
  });

  test("counts what it refuses, and shows counts only with the token", async () => {
    const { port, good, token } = await byHttp();
    await post({ port }, { ...good, Authorization: "Bearer x" });
    const get = (headers: string): Promise<string> =>
      raw(
        { port, host: "127.0.0.1" },
        `GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${headers}\r\n`,
      );
    expect(await get("")).toMatch(/^HTTP\/1.1 401/);
    const metrics = await get(`Authorization: Bearer ${token}\r\n`);
    expect(metrics).toContain('hookbox_requests_refused_total{why="token"} 2');
    expect(metrics).toContain("# TYPE hookbox_call_seconds histogram");
  });
});

describe("requests that are no requests", () => {
  test.each<[string, string]>([
    [
      "two lengths",
      "POST /v1/hooks/claude-code HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 50\r\n\r\n{}",
    ],
    [
      "a length and chunks",
      "POST /v1/hooks/claude-code HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a header of 20 kB", `POST / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
    ["a space before the colon", "POST /v1/hooks/claude-code HTTP/1.1\r\nHost : h\r\nContent-Length: 2\r\n\r\n{}"],
    ["another protocol", "\u0016\u0003\u0001\u0002"],
  ])("refuses %s, and goes on", async (_what, text) => {
    const { socket, call } = await served();
    expect(await raw({ path: socket }, text)).toMatch(/^HTTP\/1.1 4\d\d/);
    expect((await call()).stdout).toContain(DENIED);
  });

  test.each([
    ["no NUL at its end", "cwd=/tmp"],
    ["a relative folder", "cwd=tmp\0"],
    ["an unknown key", "cwd=/tmp\0what=\0"],
    ["a wait that is no number", "cwd=/tmp\0waited=x\0"],
  ])("refuses a call whose context has %s", async (_what, context) => {
    const { socket } = await served();
    const headers = { "Content-Type": "application/vnd.hookbox.call", "Hookbox-Context": String(context.length) };
    const { status, body } = await post({ socketPath: socket }, headers, `${context}${payload("ls")}`);
    expect(status).toBe(200);
    expect(body).toContain("HOOK_SERVER_REQUEST");
  });

  test("serves others while many clients send nothing", async () => {
    const { socket, call } = await served();
    const silent = Array.from({ length: 100 }, () => connect(socket).on("error", () => {}));
    onTestFinished(() => silent.forEach((one) => void one.destroy()));
    expect((await call()).stdout).toContain(DENIED);
  });
});

describe("a configuration that changes", () => {
  test("is in force from one of the next calls on, without a call that has no rules", async () => {
    const { cwd, call, status } = await served({ "hookbox.json": rules("Read") });
    expect((await call()).stdout).toBe("");
    writeFileSync(join(cwd, "hookbox.json"), rules("Bash", "Read"));
    await expect.poll(async () => (await call()).stdout).toContain(DENIED);
    expect((await status()).reloads).toBe(1);
  });

  test.each<[string, (file: string) => void]>([
    ["cannot be parsed", (file) => writeFileSync(file, "{")],
    ["is empty", (file) => writeFileSync(file, "")],
    ["is removed", (file) => unlinkSync(file)],
    [
      "becomes a folder",
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
    ],
    [
      "becomes a broken link",
      (file) => {
        rmSync(file);
        symlinkSync("/nowhere", file);
      },
    ],
  ])("keeps the old rules in force when a file %s, and says so", async (_what, change) => {
    const { cwd, call, status } = await served();
    expect((await call()).stdout).toContain(DENIED);
    change(join(cwd, "hookbox.json"));
    for (let i = 0; i < 5; i++) expect((await call()).stdout).toContain(DENIED);
    await expect.poll(async () => (await status()).projects[0]?.pending).toMatch(/hookbox\.json/);
    rmSync(join(cwd, "hookbox.json"), { recursive: true, force: true });
    writeFileSync(join(cwd, "hookbox.json"), rules("Read"));
    await expect.poll(async () => (await call()).stdout).toBe("");
    expect((await status()).projects[0]?.pending).toBeNull();
  });

  test("does not keep a start that failed", async () => {
    const { cwd, call } = await served({});
    expect(await call()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("HOOK_CONFIG_NOT_FOUND") });
    writeFileSync(join(cwd, "hookbox.json"), rules("Bash"));
    expect((await call()).stdout).toContain(DENIED);
  });
});

describe("the socket", () => {
  const start = (socket: string) => hookbox(["serve", "--socket", socket]);

  test("is the user's alone, and a second server is refused", async () => {
    const { socket, folder } = await served();
    expect([lstatSync(folder).mode & 0o777, lstatSync(socket).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(await start(socket)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("HOOK_SERVER_RUNNING") });
  });

  test("is refused where others have put something, and where its path is too long", async () => {
    const folder = socketFolder();
    writeFileSync(join(folder, "file"), "x");
    expect((await start(join(folder, "file"))).stderr).toContain("HOOK_SERVER_SOCKET");
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("x");
    expect((await start(join(folder, "x".repeat(100)))).stderr).toContain("at most 107");
    mkdirSync(join(folder, "open"));
    chmodSync(join(folder, "open"), 0o777);
    expect((await start(join(folder, "open", "s"))).stderr).toContain("other users can enter");
    symlinkSync("/tmp", join(folder, "link"));
    expect((await start(join(folder, "link", "s"))).stderr).toContain("is a link");
  });

  test("of a server that was killed is replaced", async () => {
    const { socket, server, call } = await served();
    process.kill(server.pid, "SIGKILL");
    await server.ended;
    expect(lstatSync(socket).isSocket()).toBe(true);
    await serve(socket);
    expect((await call()).stdout).toContain(DENIED);
  });
});

describe("the server", () => {
  test("answers the open calls before it stops, and removes its socket", async () => {
    const slow = {
      version: 1,
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "sleep 1; echo no >&2; exit 2" }] }] },
    };
    const { call, cwd, server, status, socket } = await served({ "hookbox.json": JSON.stringify(slow) });
    await approvedAccount(["run"], { cwd });
    await call();
    const asked = call();
    await expect.poll(async () => ((await status()) as unknown as { open_calls: number }).open_calls).toBe(1);
    process.kill(server.pid, "SIGTERM");
    expect((await asked).stdout).toContain(DENIED);
    expect(await server.ended).toBe(0);
    expect(lstatSync(socket, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("stops after the idle time", async () => {
    const { server } = await served(undefined, "--idle", "1500ms");
    expect(await server.ended).toBe(0);
  });

  test("is started again by its supervisor after a crash", async () => {
    const socket = join(socketFolder(), "s");
    const supervisor = spawn(process.execPath, [MAIN, "serve", "--socket", socket], {
      env: { PATH: process.env["PATH"] ?? "", ...ownFolders(), ...accountOf(accountHome()) },
      stdio: "ignore",
    });
    onTestFinished(() => void supervisor.kill("SIGTERM"));
    const pid = async (): Promise<number> =>
      (JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout || "{}") as { pid?: number }).pid ??
      0;
    await expect.poll(pid).toBeGreaterThan(0);
    const first = await pid();
    process.kill(first, "SIGKILL");
    await expect.poll(async () => [0, first].includes(await pid())).toBe(false);
  });

  test("stops when another installation asks", async () => {
    const { socket, server, cwd } = await served();
    const headers = { "Content-Type": "application/vnd.hookbox.call" };
    const context = `cwd=${cwd}\0main=/elsewhere/hookbox.cjs\0`;
    const { status } = await post(
      { socketPath: socket },
      { ...headers, "Hookbox-Context": String(context.length) },
      context + payload("ls"),
    );
    expect(status).toBe(409);
    expect(await server.ended).toBe(0);
  });
});
