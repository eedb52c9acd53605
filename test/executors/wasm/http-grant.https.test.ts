import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bashCall, elsewhere, hookbox, project, replyOf } from "../../e2e/cli.ts";
import { asks, fetching } from "./fetching-guest.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "hookbox-granted-https-"));
const at = (name: string): string => join(folder, name);
let server: Server;
let port: number;
let requests = 0;

/** Keys do not belong in a repository, so this creates an authority and its certificate for `localhost`. */
function makeCertificates(): void {
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { stdio: "ignore" });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    "-days",
    "2",
    ...newKey,
    "-keyout",
    at("ca.key"),
    "-out",
    at("ca.pem"),
    "-subj",
    "/CN=test CA",
  );
  openssl("req", "-new", ...newKey, "-keyout", at("key.pem"), "-out", at("request.pem"), "-subj", "/CN=localhost");
  writeFileSync(at("names"), "subjectAltName=DNS:localhost\n");
  const signed = ["-CA", at("ca.pem"), "-CAkey", at("ca.key"), "-CAcreateserial", "-extfile", at("names")];
  openssl("x509", "-req", "-days", "2", "-in", at("request.pem"), ...signed, "-out", at("certificate.pem"));
}

beforeAll(async () => {
  if (!hasOpenssl) return;
  makeCertificates();
  server = createServer(
    { key: readFileSync(at("key.pem")), cert: readFileSync(at("certificate.pem")) },
    ({ headers }, response) => {
      requests += 1;
      response.end(asks(`over https, with ${headers.authorization}`));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (hasOpenssl) await new Promise((resolve) => server.close(resolve));
});

/**
 * Returns the result of a call whose guard asks `host`, in a process that trusts these authorities in addition to the
 * usual ones.
 */
async function asked(host: string, trusted: Readonly<Record<string, string>>): Promise<string> {
  const place = project();
  place.write("guard.wasm", fetching());
  const origin = `https://${host}:${port}`;
  place.configure("PreToolUse", {
    type: "wasm",
    name: "g",
    module: "./guard.wasm",
    // The start of a process on a busy machine is not tested here.
    timeoutMs: 20_000,
    config: { 0: JSON.stringify({ url: `${origin}/`, headers: { authorization: "Bearer key" } }) },
    grants: { hosts: { allow: [origin], allowPrivate: true } },
  });
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0", ...trusted };
  const result = await hookbox(["run", "--config", join(place.folder, "hookbox.json")], {
    cwd: elsewhere(),
    stdin: bashCall("ls"),
    env,
  });
  const { permissionDecision, permissionDecisionReason } = replyOf(result);
  return `${permissionDecision}: ${permissionDecisionReason}`;
}

describe.skipIf(!hasOpenssl)("a guard's request over https", () => {
  test("is answered by a host whose certificate is for its name, from an authority that this machine trusts", async () => {
    const before = requests;
    expect(await asked("localhost", { NODE_EXTRA_CA_CERTS: at("ca.pem") })).toContain(
      "ask: g: over https, with Bearer key",
    );
    expect(requests).toBe(before + 1);
  });

  test("fails its call if the certificate is for another name, and says so", async () => {
    const before = requests;
    const said = await asked("127.0.0.1", { NODE_EXTRA_CA_CERTS: at("ca.pem") });
    expect(said).toMatch(/^deny: .*capability: http_request: 127\.0\.0\.1:\d+: .*not in the cert's list/);
    expect(requests).toBe(before);
  });

  test("fails its call if the certificate's signer is unknown, and says so", async () => {
    const before = requests;
    const said = await asked("localhost", {});
    expect(said).toMatch(/^deny: .*capability: http_request: localhost:\d+: unable to verify the first certificate/);
    expect(requests).toBe(before);
  });
});
