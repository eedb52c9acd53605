import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openCheckedFetch } from "../../src/net/checked-fetch.ts";
import { post, resolving, summary } from "./posting.ts";

const run = promisify(execFile);

/** Makes a certificate without a signer, for `hook.test`. Keys do not belong in a repository, so it is made here. */
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "hookbox-https-"));
let server: Server;
let port: number;
let requests = 0;

beforeAll(async () => {
  if (!hasOpenssl) return;
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=hook.test", "-addext", "subjectAltName=DNS:hook.test"];
  const made = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    key,
    "-out",
    certificate,
  ];
  execFileSync("openssl", ["req", "-x509", "-days", "2", ...made, ...subject], { stdio: "ignore" });
  server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, ({ url }, response) => {
    requests += 1;
    // To the same place, without encryption.
    if (url === "/down") response.writeHead(307, { location: `http://hook.test:${port}/` });
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (hasOpenssl) await new Promise((resolve) => server.close(resolve));
});

describe.skipIf(!hasOpenssl)("a server with https", () => {
  test("is not trusted without a signed certificate, whatever the environment says", async () => {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const result = await post(`https://hook.test:${port}/`, { resolve: resolving("127.0.0.1") });
      expect(summary(result)).toMatch(/^unavailable: hook\.test:\d+: self.signed certificate/);
    } finally {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    }
    expect(requests).toBe(0);
  });

  test("is not trusted either by the code that streams its answers", async () => {
    const client = openCheckedFetch({ network: "loopback", maxBodyBytes: 1_000, resolve: resolving("127.0.0.1") });
    const asked = client.fetch(`https://hook.test:${port}/`, { headers: { authorization: "Bearer secret" } });
    await expect(asked).rejects.toThrow(/^hook\.test:\d+: self.signed certificate/);
    await client.close();
    expect(requests).toBe(0);
  });

  test("gets no connection at an address that the rule may not send to", async () => {
    let connections = 0;
    server.on("connection", () => {
      connections += 1;
    });
    const result = await post(`https://hook.test:${port}/`, { network: "public", resolve: resolving("127.0.0.1") });
    expect(summary(result)).toMatch(/^capability: hook\.test leads to 127\.0\.0\.1/);
    expect(connections).toBe(0);
  });

  test("gets the event if its certificate is one that the machine trusts, and is for its name", async () => {
    const script = `
      import { HttpClient } from ${JSON.stringify(new URL("../../dist/net/http-client.js", import.meta.url).href)};
      const client = new HttpClient({ resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
      for (const [host, path] of [["hook.test", ""], ["hook.test.", ""], ["other.test", ""], ["hook.test", "down"]]) {
        const request = { url: "https://" + host + ":${port}/" + path, network: "loopback", headers: {}, body: "{}" };
        const result = await client.post(request, new AbortController().signal);
        console.log(result.ok ? result.answer.status : result.failure.message);
      }
      await client.close();`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem") };
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    const [first, second, third, down] = stdout.split("\n");
    expect([first, second]).toEqual(["200", "200"]);
    expect(third).toContain("altnames");
    expect(down).toBe(`hook.test:${port} redirects from https: to http:`);
  });
});
