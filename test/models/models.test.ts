import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ModelFunction, ModelRequest } from "../../src/models/model.ts";
import { Models } from "../../src/models/models.ts";
import type { ModelChoice } from "../../src/rule.ts";
import { Stop } from "../../src/stop-signal.ts";
import { openTrap } from "../net/traps.ts";
import { type Asking, asking, KEY, providerAt, QUESTION, said, WAYS } from "./asking.ts";

const OWN: ModelChoice = { model: "m", provider: { kind: "function", name: "own" } };
const ANSWER = { text: "yes", calls: [], end: "done", inputTokens: 1, outputTokens: 2 } as const;
const never = new Stop();

const askOwn = (own: ModelFunction, request: ModelRequest = QUESTION) =>
  new Models({ functions: { own } }).ask(OWN, request, never);

let asked: Asking | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await asked?.close();
});

describe("a function of the embedder's", () => {
  test("answers with a text, or with all that an answer has", async () => {
    expect(await askOwn(async () => "yes")).toMatchObject({
      ok: true,
      answer: { text: "yes", calls: [], end: "done" },
    });
    const answer = { ...ANSWER, end: "calls", calls: [{ id: "a", name: "look", input: { at: [1, null] } }] } as const;
    expect(await askOwn(async () => answer)).toEqual({ ok: true, answer });
  });

  test("gets a copy of the question that it cannot change", async () => {
    const request: ModelRequest = { ...QUESTION, model: "other", messages: [{ role: "user", text: "well?" }] };
    const result = await askOwn(async (got) => {
      expect(got).toEqual({ ...request, model: "m" });
      expect(got.messages[0]).not.toBe(request.messages[0]);
      (got.messages[0] as { text: string }).text = "something else";
      return "yes";
    }, request);
    expect(said(result)).toMatch(/^trap: threw: Cannot assign to read only property/);
  });

  test.each([
    ["an error", () => Promise.reject(new Error("no \u001b[2Jtoday"))],
    [
      "an error at once",
      () => {
        throw new Error("no [2Jtoday");
      },
    ],
    ["no error", () => Promise.reject("no [2Jtoday")],
  ])("fails when it throws %s", async (_, run) => {
    expect(said(await askOwn(run))).toBe("trap: threw: no [2Jtoday");
  });

  test("fails when what it throws cannot even be looked at", async () => {
    const hostile = new Proxy(new Error("x"), {
      get: () => {
        throw new Error("again");
      },
    });
    expect(said(await askOwn(() => Promise.reject(hostile)))).toBe("trap: threw: something that cannot be described");
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const call = { id: "a", name: "look", input: {} };
  test.each([
    undefined,
    null,
    7,
    { ok: true },
    { ...ANSWER, end: "finished" },
    { ...ANSWER, text: undefined },
    { ...ANSWER, inputTokens: -1 },
    { ...ANSWER, outputTokens: Number.NaN },
    { ...ANSWER, end: "calls" },
    { ...ANSWER, calls: [call] },
    { ...ANSWER, end: "calls", calls: [{ ...call, input: () => 1 }] },
    { ...ANSWER, end: "calls", calls: [{ ...call, input: cycle }] },
    { ...ANSWER, extra: 1 },
    Object.defineProperty({ ...ANSWER }, "text", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    }),
  ])("fails with what is no answer (%#)", async (answer) => {
    expect(said(await askOwn(async () => answer as never))).toMatch(/^invalid-output: the answer /);
  });

  test("never fails in another way, whatever it answers", async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), async (answer) => {
        const result = await askOwn(async () => answer as never);
        if (typeof answer === "string") expect(result.ok).toBe(true);
        else expect(said(result)).toMatch(/^(invalid-output|trap): /);
      }),
      { numRuns: 100 },
    );
  });

  test("loses to the deadline, and hears of it", async () => {
    const stop = new Stop();
    let heard: AbortSignal | undefined;
    const models = new Models({ functions: { own: (_, { signal }) => new Promise(() => (heard = signal)) } });
    const answered = models.ask(OWN, QUESTION, stop);
    const failure = { kind: "timeout", message: "no answer in time" };
    stop.abort(failure);
    expect(await answered).toEqual({ ok: false, failure });
    expect(heard?.aborted).toBe(true);
  });

  test("loses to a deadline that has passed while it kept the thread", async () => {
    const stop = new Stop();
    const failure = { kind: "timeout", message: "no answer in time" };
    const own: ModelFunction = async () => {
      const end = performance.now() + 30;
      while (performance.now() < end);
      return "yes";
    };
    const models = new Models({ functions: { own } });
    setTimeout(() => stop.abort(failure), 5);
    expect(await models.ask(OWN, QUESTION, stop)).toEqual({ ok: false, failure });
  });

  test("is given up when models are closed, and not called afterwards", async () => {
    const own = vi.fn(() => new Promise<string>(() => undefined));
    const models = new Models({ functions: { own } });
    const answered = models.ask(OWN, QUESTION, never);
    await models.close();
    expect(said(await answered)).toBe("cancelled: models were closed meanwhile");
    expect(said(await models.ask(OWN, QUESTION, never))).toBe("unavailable: models are closed");
    expect(own).toHaveBeenCalledTimes(1);
  });

  test("must be there", async () => {
    const models = new Models({ functions: { own: async () => "yes" } });
    for (const name of ["other", "constructor", "__proto__"]) {
      const choice: ModelChoice = { model: "m", provider: { kind: "function", name } };
      expect(await models.problemOf(choice)).toMatchObject({ code: "HOOK_MODEL_PROVIDER" });
      expect(await models.ask(choice, QUESTION, never)).toMatchObject({ failure: { kind: "unavailable" } });
    }
    expect(await models.problemOf(OWN)).toBeUndefined();
  });
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
    // What can be told without a question is what the question fails with.
    if (found === undefined) return undefined;
    const message = found.hint === undefined ? found.message : `${found.message} (${found.hint})`;
    expect(result).toEqual({ ok: false, failure: { kind: "unavailable", code: "HOOK_MODEL_PROVIDER", message } });
    return found.message;
  };

  test("lacks nothing with a key, or where none is needed", async () => {
    expect(await problem({})).toBeUndefined();
    expect(await problem({ keyVariable: null }, {})).toBeUndefined();
  });

  test.each([undefined, "", "  "])("lacks a key that is %j", async (key) => {
    expect(await problem({}, { STUB_KEY: key })).toBe("STUB_KEY, which holds the key of stub, is not set");
  });

  test("lacks a key that can be sent, and does not show the one that there is", async () => {
    for (const key of [`${KEY}\n${KEY}`, `${KEY} ${KEY}`, `${KEY}é`])
      expect(await problem({}, { STUB_KEY: key })).toBe("STUB_KEY holds what cannot be sent as a key of stub");
  });

  test("lacks an address that may be sent to", async () => {
    expect(await problem({ network: "public" })).toContain("this rule may only send to the public internet");
    expect(await problem({ baseUrl: "models.test" })).toContain("not a URL that can be read");
    expect(await problem({ baseUrl: "https://user:pass@models.test" })).toContain("a user name or a password");
  });

  test("lacks a way that nobody reads along", async () => {
    const baseUrl = "http://192.0.2.1/v1";
    expect(await problem({ baseUrl, network: "private" })).toMatch(
      /a key would leave this machine unencrypted: 192\.0\.2\.1/,
    );
  });

  test("fails where nobody listens", async () => {
    const models = new Models({ environment: { STUB_KEY: KEY } });
    const result = await models.ask(providerAt(kind, "http://127.0.0.1:1"), QUESTION, never);
    expect(said(result)).toBe("unavailable: stub: 127.0.0.1:1 refused the connection (ECONNREFUSED)");
    await models.close();
  });
});

describe.each(WAYS)("the environment of %s, streaming: %s", (kind, streams) => {
  const VARIABLE = { anthropic: "ANTHROPIC_BASE_URL", openai: "OPENAI_BASE_URL" }[kind];

  test("may say where it is, if the configuration does not", async () => {
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

  test("changes nothing else: no address, key, header or proxy of the process's own", async () => {
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

test("a package that is missing is what lacks, with the command that adds it", async () => {
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
