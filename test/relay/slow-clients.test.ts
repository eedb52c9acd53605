import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { hookbox } from "../e2e/cli.ts";
import { makeFolder } from "../helpers/folders.ts";
import { payload, RELAYS, relay, serve, socketFolder } from "./relays.ts";

/** Clients that hold connections and bodies open. Calls of others are answered, and what is refused is counted. */

const SHELL_GUARD = JSON.stringify({
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "wasm", module: "builtin:shell-guard" }] }] },
});
/** Only the guard's own denial counts, and no refusal of the server. */
const DENIED = '"permissionDecisionReason":"shell-guard: ';
const [ask = []] = Object.values(RELAYS);
const HEAD = "POST /v1/hooks/claude-code HTTP/1.1\r\nHost: hookbox\r\nContent-Type: application/json\r\n";

async function served() {
  const folder = socketFolder();
  const socket = join(folder, "s");
  const cwd = makeFolder({ "hookbox.json": SHELL_GUARD });
  await serve(socket, ["--http"]);
  const { url, token } = JSON.parse(readFileSync(join(folder, "http.json"), "utf8")) as Record<string, string>;
  const port = Number(new URL(url ?? "").port);
  const byRelay = () => relay(ask, socket, { cwd, stdin: payload("rm -rf /") });
  const byHttp = (): Promise<string> =>
    new Promise((done, reject) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const asked = request(
        `${url}/v1/hooks/claude-code`,
        { method: "POST", headers, agent: false },
        async (response) => {
          let text = "";
          for await (const chunk of response) text += String(chunk);
          done(text);
        },
      );
      asked.on("error", reject);
      asked.end(payload("rm -rf /", { cwd }));
    });
  const refused = async (): Promise<Record<string, number>> =>
    JSON.parse((await hookbox(["serve", "--status", "--socket", socket])).stdout).requests_refused;
  await byRelay();
  return { at: { path: socket }, port, byRelay, byHttp, refused };
}

/** Opens connections that send this and nothing more. Resolves when the server has taken all bytes. */
async function clients(count: number, at: { path: string } | { port: number; host: string }, text: string) {
  const all = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((done) => {
          const one = connect(at as never, () => (text === "" ? done(one) : one.write(text, () => done(one))));
          one.on("error", () => done(one));
        }),
    ),
  );
  onTestFinished(() => all.forEach((one) => void one.destroy()));
  return all;
}

describe("calls are answered while other clients", { timeout: 120_000 }, () => {
  test.each<[string, number, string]>([
    ["send nothing", 600, ""],
    ["send half a head", 600, HEAD],
    ["send a head and no body", 600, `${HEAD}Content-Length: 100\r\n\r\n`],
    ["announce the longest bodies", 60, `${HEAD}Content-Length: 17000000\r\n\r\n{`],
    ["keep connections after an answer", 600, "GET /health HTTP/1.1\r\nHost: hookbox\r\n\r\n"],
  ])("%s", async (_what, count, text) => {
    const { at, byRelay, refused } = await served();
    for (let i = 0; i < 3; i++) {
      await clients(count, at, text);
      const { stdout, stderr } = await byRelay();
      expect(stdout, stderr).toContain(DENIED);
    }
    if (count > 256) expect((await refused())["connections"]).toBeGreaterThan(0);
  });

  test("open connections to the port without the token", async () => {
    const { port, byHttp, byRelay } = await served();
    for (let i = 0; i < 3; i++) {
      await clients(600, { port, host: "127.0.0.1" }, "");
      expect(await byHttp()).toContain(DENIED);
      expect((await byRelay()).stdout).toContain(DENIED);
    }
  });
});

describe("a request that does not end", { timeout: 120_000 }, () => {
  test.each<[string, string]>([
    ["a silent connection", ""],
    ["half a head", HEAD],
  ])("is refused after a while, and counted: %s", async (_what, text) => {
    const { at, refused } = await served();
    const [one] = await clients(1, at, text);
    let answer = "";
    one?.on("data", (chunk) => {
      answer += String(chunk);
    });
    await new Promise((closed) => one?.once("close", closed));
    expect(answer).toMatch(/^HTTP\/1\.1 408/);
    expect(await refused()).toMatchObject({ slow: 1 });
  });

  test.each<[string, string]>([
    ["in the head", HEAD],
    ["in the body", `${HEAD}Content-Length: 100\r\n\r\n{`],
  ])("is closed when the client closes its side %s", async (_what, text) => {
    const { at, byRelay } = await served();
    const [one] = await clients(1, at, text);
    one?.end().resume();
    await new Promise((closed) => one?.once("close", closed));
    expect((await byRelay()).stdout).toContain(DENIED);
  });
});

test("bodies that have arrived are bounded, and calls are answered after they have gone", {
  timeout: 120_000,
}, async () => {
  const { at, byRelay, refused } = await served();
  const open = await clients(17, at, `${HEAD}Content-Length: 17000000\r\n\r\n${"x".repeat(16_500_000)}`);
  expect((await byRelay()).stderr).toBe("");
  expect(await refused()).toMatchObject({ bytes: expect.any(Number) });
  for (const one of open) one.destroy();
  expect((await byRelay()).stdout).toContain(DENIED);
});
