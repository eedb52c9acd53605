import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hookbox } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { NODE, payload, RELAYS, relay, serve, socketFolder } from "./relays.ts";

/** The port of loopback HTTP after a server that has crashed: agents keep the URL and the token. */

const SHELL_GUARD = JSON.stringify({
  version: 1,
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
const DENIED = '"permissionDecision":"deny"';
const [ask = []] = Object.values(RELAYS);

interface Address {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly idleMs: number | null;
}

/** A server with a port, a relay that starts the next server, and an agent that keeps its connection. */
async function servedByPort() {
  const folder = socketFolder();
  const socket = join(folder, "s");
  const file = join(folder, "http.json");
  const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
  const server = await serve(socket, ["--http"]);
  onTestFinished(async () => void (await hookbox(["serve", "--stop", "--socket", socket])));
  const address = (): Address => JSON.parse(readFileSync(file, "utf8")) as Address;
  const byRelay = () =>
    relay(ask, socket, { cwd, stdin: payload("rm -rf /"), args: ["--event", "PreToolUse", "--node", NODE] });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const byHttp = ({ url, token }: Address): Promise<string> =>
    new Promise((done, reject) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const asked = request(`${url}/v1/hooks/claude-code`, { method: "POST", agent, headers }, async (response) => {
        let text = "";
        for await (const chunk of response) text += String(chunk);
        done(text);
      });
      asked.on("error", reject);
      asked.end(payload("rm -rf /", { cwd }));
    });
  const kill = async (): Promise<void> => {
    process.kill(server.pid, "SIGKILL");
    await server.ended;
  };
  return { folder, file, socket, server, address, byRelay, byHttp, kill };
}

describe("a server that a relay starts after a crash", { timeout: 120_000 }, () => {
  test("serves the same port with the same token, for the same idle time", async () => {
    const { address, byRelay, byHttp, kill } = await servedByPort();
    const before = address();
    expect(await byHttp(before)).toContain(DENIED);
    await kill();
    expect((await byRelay()).stdout).toContain(DENIED);
    expect(await byHttp(before)).toContain(DENIED);
    const { pid, ...after } = address();
    expect({ ...after, pid: before.pid }).toEqual(before);
    expect(pid).not.toBe(before.pid);
    expect(after.idleMs).toBeNull();
  });

  test("takes another port and another token if a program has taken the port, because agents have told it the token", async () => {
    const { address, byRelay, byHttp, kill } = await servedByPort();
    const before = address();
    await kill();
    const thief = createServer();
    onTestFinished(() => void thief.close());
    await new Promise<void>((listening) => thief.listen(Number(new URL(before.url).port), "127.0.0.1", listening));
    expect((await byRelay()).stdout).toContain(DENIED);
    const after = address();
    expect([after.url === before.url, after.token === before.token]).toEqual([false, false]);
    expect(await byHttp(after)).toContain(DENIED);
    expect(await byHttp({ ...after, token: before.token })).toContain("token");
  });

  test.each<[string, (text: string, file: string) => void]>([
    ["has another host", (text, file) => writeFileSync(file, text.replace("127.0.0.1", "0.0.0.0"))],
    ["has a short token", (text, file) => writeFileSync(file, text.replace(/"token":"[^"]*"/, '"token":"0"'))],
    ["can be read by others", (_text, file) => chmodSync(file, 0o644)],
    ["is no JSON", (_text, file) => writeFileSync(file, "{")],
  ])("serves no port if http.json %s", async (_what, change) => {
    const { file, address, byRelay, byHttp, kill } = await servedByPort();
    const before = address();
    await kill();
    change(readFileSync(file, "utf8"), file);
    expect((await byRelay()).stdout).toContain(DENIED);
    await expect(byHttp(before)).rejects.toThrow("ECONNREFUSED");
  });

  test("serves no port after a server that was stopped on purpose", async () => {
    const { socket, server, file, address, byRelay, byHttp } = await servedByPort();
    const before = address();
    await hookbox(["serve", "--stop", "--socket", socket]);
    await server.ended;
    expect(existsSync(file)).toBe(false);
    expect((await byRelay()).stdout).toContain(DENIED);
    await expect(byHttp(before)).rejects.toThrow("ECONNREFUSED");
  });
});

test("a server of another version serves the port of the server that it replaces", { timeout: 120_000 }, async () => {
  const { server, socket, address, byRelay, byHttp } = await servedByPort();
  const before = address();
  const context = "cwd=/\0main=/elsewhere/hookbox.cjs\0";
  const headers = { "Content-Type": "application/vnd.hookbox.call", "Hookbox-Context": context.length };
  const asked = request({ socketPath: socket, path: "/v1/hooks/claude-code", method: "POST", headers });
  const status = new Promise((answered) => asked.on("response", (response) => answered(response.statusCode)));
  asked.end(context);
  expect(await status).toBe(409);
  expect(await server.ended).toBe(0);
  expect((await byRelay()).stdout).toContain(DENIED);
  expect(await byHttp(before)).toContain(DENIED);
});

test("hookbox serve --http serves the port of a server that was killed", { timeout: 120_000 }, async () => {
  const { socket, address, byHttp, kill } = await servedByPort();
  const before = address();
  await kill();
  await serve(socket, ["--http"]);
  expect(await byHttp(before)).toContain(DENIED);
});
