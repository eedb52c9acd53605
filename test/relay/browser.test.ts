import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serve, socketFolder } from "./relays.ts";

/** A page in a real browser, and clients that send no whole request. Each is refused and counted. */

const hasChromium = spawnSync("chromium", ["--version"]).status === 0;

async function byHttp() {
  const folder = socketFolder();
  await serve(join(folder, "s"), ["--http"]);
  const { url, token } = JSON.parse(readFileSync(join(folder, "http.json"), "utf8")) as Record<"url" | "token", string>;
  const port = Number(new URL(url).port);
  const metrics = (): Promise<string> =>
    new Promise((done, reject) => {
      get(
        { port, host: "127.0.0.1", path: "/metrics", headers: { Authorization: `Bearer ${token}` } },
        async (response) => {
          let text = "";
          for await (const chunk of response) text += String(chunk);
          done(text);
        },
      ).on("error", reject);
    });
  const refused = async (why: string): Promise<number> =>
    Number(new RegExp(`requests_refused_total{why="${why}"} (\\d+)`).exec(await metrics())?.[1] ?? 0);
  return { port, metrics, refused };
}

/** Tries all ways of a page to send requests, and reports what it could read. */
const pageFor = (port: number): string => `<!doctype html><body><script>
const tried = [];
const attempt = (name, what) => tried.push(Promise.race([what().then((got) => name + ":" + got, () => name + ":refused"), new Promise((done) => setTimeout(done, 4000, name + ":refused"))]));
const body = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } });
for (const host of ["127.0.0.1", "localhost", "rebound.example"]) {
  const at = "http://" + host + ":${port}";
  for (const mode of ["cors", "no-cors"])
    for (const type of ["text/plain", "application/json"])
      attempt(host + " " + mode + " " + type, () => fetch(at + "/v1/hooks/claude-code", { method: "POST", mode, body, headers: { "Content-Type": type } }).then((r) => r.type === "opaque" ? "refused" : r.text()));
  for (const path of ["/metrics", "/health"]) attempt(host + path, () => fetch(at + path).then((r) => r.text()));
  attempt(host + " image", () => new Promise((done, fail) => { const i = new Image(); i.onload = () => done("read"); i.onerror = fail; i.src = at + "/metrics"; }));
  attempt(host + " events", () => new Promise((done, fail) => { const e = new EventSource(at + "/metrics"); e.onopen = () => done("read"); e.onerror = () => { e.close(); fail(); }; }));
  attempt(host + " socket", () => new Promise((done, fail) => { const s = new WebSocket(at.replace("http", "ws") + "/v1/hooks/claude-code"); s.onopen = () => done("read"); s.onerror = fail; }));
  const frame = document.createElement("iframe"); frame.name = "f" + host; document.body.append(frame);
  const form = document.createElement("form"); form.method = "post"; form.enctype = "text/plain"; form.action = at + "/v1/stop"; form.target = frame.name; document.body.append(form); form.submit();
}
Promise.all(tried).then((all) => fetch("/done", { method: "POST", body: all.join("\\n") }));
</script>`;

test.skipIf(!hasChromium)(
  "no page in Chromium can ask the server, by any name or way",
  { timeout: 240_000 },
  async () => {
    const { port, metrics, refused } = await byHttp();
    const before = await metrics();
    expect(before).not.toMatch(/calls_total{/);
    let tell: (text: string) => void = () => {};
    const told = new Promise<string>((done) => {
      tell = done;
    });
    const site = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      if (request.url === "/done") tell(text);
      response.writeHead(200, { "Content-Type": "text/html" }).end(pageFor(port));
    });
    await new Promise<void>((listening) => site.listen(0, "127.0.0.1", listening));
    const { port: sitePort } = site.address() as { port: number };
    const profile = mkdtempSync(join(tmpdir(), "hb-page-"));
    const options = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    const rules =
      "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP page.example 127.0.0.1, MAP * ~NOTFOUND , EXCLUDE localhost, EXCLUDE 127.0.0.1";
    const browser = spawn(
      "chromium",
      [
        ...options,
        rules,
        `--user-data-dir=${profile}`,
        "--remote-debugging-port=0",
        `http://page.example:${sitePort}/`,
      ],
      { stdio: "ignore", detached: true },
    );
    const ended = new Promise((done) => browser.on("close", done));
    onTestFinished(async () => {
      process.kill(-(browser.pid ?? 0), "SIGKILL");
      await ended;
      site.closeAllConnections();
      site.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    });
    const lines = (await told).split("\n");
    expect(lines.length).toBe(27);
    expect(lines.filter((line) => !line.endsWith(":refused"))).toEqual([]);
    // Chromium itself holds some requests back; those that arrived were counted, and no call was answered.
    expect((await refused("origin")) + (await refused("host")) + (await refused("sec-fetch-site"))).toBeGreaterThan(0);
    expect(await metrics()).not.toMatch(/calls_total{/);
  },
);

test.each<[string, string, string]>([
  ["two lengths", "http", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 50\r\n\r\n{}"],
  [
    "a length and chunks",
    "http",
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a head that never ends", "slow", "POST / HTTP/1.1\r\nHost: h\r\nX: "],
  ["a head of 20 kB", "http", `POST / HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
])("a request with %s is refused and counted", async (_what, counted, text) => {
  const { port, refused } = await byHttp();
  const answer = await new Promise<string>((done) => {
    let said = "";
    const client = connect({ port, host: "127.0.0.1" }, () => client.write(text));
    client.on("data", (chunk) => {
      said += chunk.toString();
    });
    client.on("error", () => {});
    client.on("close", () => done(said));
  });
  expect(answer).toMatch(/^HTTP\/1.1 4\d\d/);
  expect(await refused(counted)).toBe(1);
});
