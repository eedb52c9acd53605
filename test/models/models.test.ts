import { afterEach, describe, expect, test, vi } from "vitest";
import { Models } from "../../src/models/models.ts";
import type { ModelChoice } from "../../src/rule.ts";
import { Stop } from "../../src/stop-signal.ts";
import { openTrap } from "../net/traps.ts";
import { type Asking, asking, KEY, providerAt, QUESTION, said, WAYS } from "./asking.ts";

const never = new Stop();

let asked: Asking | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await asked?.close();
});

describe.each(["anthropic", "openai"] as const)("access to %s", (kind) => {
  const problem = async (
    provider: Parameters<typeof providerAt>[2],
    environment: Record<string, string | undefined> = { STUB_KEY: KEY },
  ): Promise<string | undefined> => {
    const models = new Models({ environment });
    const choice = providerAt(kind, "http://127.0.0.1:1", provider);
    const found = await models.problemOf(choice);
    const result = await models.ask(choice, QUESTION, never);
    await models.close();
    // A problem that is known without a request is the failure of the request.
    if (found === undefined) return undefined;
    const message = found.hint === undefined ? found.message : `${found.message} (${found.hint})`;
    expect(result).toEqual({ ok: false, failure: { kind: "unavailable", code: "HOOK_MODEL_PROVIDER", message } });
    return found.message;
  };

  test("has no problem with a key, or if none is needed", async () => {
    expect(await problem({})).toBeUndefined();
    expect(await problem({ keyVariable: null }, {})).toBeUndefined();
  });

  test.each([undefined, "", "  "])("has a problem with a key that is %j", async (key) => {
    expect(await problem({}, { STUB_KEY: key })).toBe("STUB_KEY, which holds the key of stub, is not set");
  });

  test("has a problem with a key that cannot be sent, and does not show the key", async () => {
    for (const key of [`${KEY}\n${KEY}`, `${KEY} ${KEY}`, `${KEY}é`])
      expect(await problem({}, { STUB_KEY: key })).toBe("the value of STUB_KEY cannot be sent as a key of stub");
  });

  test("has a problem with an address that may not be used", async () => {
    expect(await problem({ network: "public" })).toContain("this rule may only send to the public internet");
    expect(await problem({ baseUrl: "models.test" })).toContain("not a valid URL");
    expect(await problem({ baseUrl: "https://user:pass@models.test" })).toContain("a user name or a password");
  });

  test("has a problem with an unencrypted connection", async () => {
    const baseUrl = "http://192.0.2.1/v1";
    expect(await problem({ baseUrl, network: "private" })).toMatch(
      /a key would leave this machine unencrypted: 192\.0\.2\.1/,
    );
  });

  test("fails if no server listens", async () => {
    const models = new Models({ environment: { STUB_KEY: KEY } });
    const result = await models.ask(providerAt(kind, "http://127.0.0.1:1"), QUESTION, never);
    expect(said(result)).toBe("unavailable: stub: 127.0.0.1:1 refused the connection (ECONNREFUSED)");
    await models.close();
  });
});

describe.each(WAYS)("the environment of %s, streaming: %s", (kind, streams) => {
  const VARIABLE = { anthropic: "ANTHROPIC_BASE_URL", openai: "OPENAI_BASE_URL" }[kind];

  test("may set the address, if the configuration does not", async () => {
    asked = await asking(kind, streams, { text: "here" });
    const url = kind === "openai" ? `${asked.stub.url}/v1/` : asked.stub.url;
    const models = new Models({ environment: { STUB_KEY: KEY, [VARIABLE]: url } });
    const { baseUrl: _, ...provider } = providerAt(kind, "", { streams }).provider as Extract<
      ModelChoice["provider"],
      { kind: typeof kind }
    >;
    expect(said(await models.ask({ model: "m", provider }, QUESTION, never))).toBe("answer: here");
    await models.close();
  });

  test("changes nothing else: no address, key, header or proxy of the process is used", async () => {
    const trap = await openTrap();
    const elsewhere = `http://127.0.0.1:${trap.port}`;
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", VARIABLE]) vi.stubEnv(name, elsewhere);
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    for (const name of [
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "OPENAI_API_KEY",
      "OPENAI_ADMIN_KEY",
      "OPENAI_ORG_ID",
    ])
      vi.stubEnv(name, "of-the-process");
    for (const name of ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"])
      vi.stubEnv(name, "Authorization: Bearer of-the-process\nX-Custom: of-the-process");
    for (const name of ["ANTHROPIC_LOG", "OPENAI_LOG"]) vi.stubEnv(name, "debug");
    const logged = (["log", "info", "warn", "error", "debug"] as const).map((name) => vi.spyOn(console, name));
    asked = await asking(kind, streams, { text: "here" });
    expect(said(await asked.ask())).toBe("answer: here");
    expect(asked.stub.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(JSON.stringify(asked.stub.requests[0])).not.toContain("of-the-process");
    expect(logged.flatMap(({ mock }) => mock.calls)).toEqual([]);
    for (const spy of logged) spy.mockRestore();
    expect(trap.caught()).toBe(0);
    await trap.close();
  });
});

test("a missing package is a problem, with the command that installs it", async () => {
  vi.doMock("openai", () => {
    throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  });
  vi.resetModules();
  const fresh = await import("../../src/models/models.ts");
  const models = new fresh.Models({ environment: { STUB_KEY: KEY } });
  const choice = providerAt("openai", "http://127.0.0.1:1");
  expect(await models.problemOf(choice)).toMatchObject({
    code: "HOOK_MODEL_PROVIDER",
    message: expect.stringContaining("the package openai"),
    hint: expect.stringContaining("npm install openai"),
  });
  expect(await models.ask(choice, QUESTION, never)).toMatchObject({
    failure: { kind: "unavailable", code: "HOOK_MODEL_PROVIDER" },
  });
  expect(await models.problemOf(providerAt("anthropic", "http://127.0.0.1:1"))).toBeUndefined();
  vi.doUnmock("openai");
});
