import { afterEach, describe, expect, test } from "vitest";
import { createEngine, type Engine, type EngineOptions, type JsonObject, type Verdict } from "../../../src/index.ts";
import type { Layer } from "../../../src/layer-trust.ts";
import { folderWith } from "../../config/config-files.ts";
import { type Answering, httpServer, type TestServer, until } from "../../net/servers.ts";

const engines: Engine[] = [];
const servers: TestServer[] = [];
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(answer: Answering): Promise<TestServer> {
  const server = await httpServer(answer);
  servers.push(server);
  return server;
}

const answering = (body: unknown, status = 200): Promise<TestServer> =>
  serve((response) =>
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(typeof body === "string" ? body : JSON.stringify(body)),
  );

async function engineFor(hooks: unknown, options: EngineOptions = {}): Promise<Engine> {
  const engine = await createEngine({ config: { hooks }, sandbox: { threads: 1 }, ...options });
  engines.push(engine);
  return engine;
}

const http = (url: string, more: object = {}): object => ({ type: "http", name: "web", url, ...more });
const at = (event: string, ...hooks: object[]): object => ({ [event]: [{ hooks }] });
const pre = (...hooks: object[]): object => at("PreToolUse", ...hooks);
const bash: JsonObject = { session_id: "s", tool_name: "Bash", tool_input: { command: "ls" } };
const saying = (permissionDecision: string, more: object = {}): object => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...more },
});

/** Returns the result of one web hook at PreToolUse. */
async function judge(server: TestServer | string, more: object = {}, options: EngineOptions = {}): Promise<Verdict> {
  const url = typeof server === "string" ? server : `${server.origin}/hook`;
  return (await engineFor(pre(http(url, more)), options)).dispatch("PreToolUse", bash);
}

describe("a web hook", () => {
  test("gets the event as JSON, and its answer is the rule's", async () => {
    const server = await answering(saying("deny", { permissionDecisionReason: "not today" }));
    const verdict = await judge(server);
    expect(verdict).toMatchObject({ decision: "deny", reason: "web: not today" });
    expect(verdict.rules[0]?.receipt).toMatchObject({
      inputBytes: expect.any(Number),
      outputBytes: expect.any(Number),
    });
    const [seen] = server.requests;
    expect(seen).toMatchObject({ method: "POST", url: "/hook", headers: { "content-type": "application/json" } });
    expect(JSON.parse(seen?.body ?? "")).toMatchObject({ hook_event_name: "PreToolUse", ...bash });
    expect(verdict.rules[0]?.receipt.inputBytes).toBe(Buffer.byteLength(seen?.body ?? ""));
  });

  test.each([
    ["permits", saying("allow"), "allow"],
    ["asks", saying("ask", { permissionDecisionReason: "sure?" }), "ask"],
    ["has no opinion", {}, "none"],
    ["has nothing to say", "", "none"],
  ])("that %s has that effect", async (_, body, decision) => {
    expect((await judge(await answering(body))).decision).toBe(decision);
  });

  test.each([
    ["a status of 500, whatever it says besides", saying("allow"), 500, "unavailable", /status 500/],
    ["a status of 403, which alone is no denial", "", 403, "unavailable", /status 403/],
    ["a status of 404", saying("allow"), 404, "unavailable", /status 404/],
    ["a redirect that loses the event", "", 302, "unavailable", /status 302/],
    ["text", "fine with me", 200, "invalid-output", /./],
    ["a list", [saying("allow")], 200, "invalid-output", /./],
    ["half an object", '{"hookSpecificOutput":', 200, "invalid-output", /./],
    ["one key twice", '{"continue":true,"continue":false}', 200, "invalid-output", /./],
  ])("that answers with %s fails, and its gate stays shut", async (_, body, status, kind, message) => {
    const verdict = await judge(await answering(body, status));
    expect(verdict.decision).toBe("deny");
    expect(verdict.rules[0]).toMatchObject({
      status: "failed",
      failure: { kind, message: expect.stringMatching(message) },
    });
  });

  test("whose answer is not UTF-8 fails", async () => {
    const server = await serve((response) => response.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])));
    expect((await judge(server)).rules[0]).toMatchObject({
      failure: { kind: "invalid-output", message: "the answer is not UTF-8" },
    });
  });

  test("that is slow fails after its timeoutMs, and its connection is closed", async () => {
    const server = await serve(() => undefined);
    const verdict = await judge(server, { timeoutMs: 60 });
    expect(verdict.rules[0]).toMatchObject({ failure: { kind: "timeout", phase: "work", limit: 60 } });
    await until(() => server.connections().open === 0);
  });

  test("without a listening server fails, which has no effect at an observer", async () => {
    const server = await answering({});
    await server.close();
    const engine = await engineFor({ ...pre(http(server.origin)), ...at("PostToolUse", http(server.origin)) });
    expect((await engine.dispatch("PreToolUse", bash)).decision).toBe("deny");
    expect((await engine.dispatch("PostToolUse", bash)).decision).toBe("none");
  });

  test("of an imported file goes on after a failure as its agent would, if that is configured", async () => {
    const server = await answering("", 500);
    const settings = JSON.stringify({ hooks: pre({ type: "http", url: server.origin }) });
    const folder = folderWith({ "settings.json": settings, "more.json": '{ "compat": "faithful" }' });
    const files = (...names: string[]) => names.map((file) => ({ file, layer: "user" as const }));
    const run = async (...names: string[]) => {
      const engine = await createEngine({ configFiles: files(...names), cwd: folder });
      engines.push(engine);
      return (await engine.dispatch("PreToolUse", bash)).decision;
    };
    expect(await run("settings.json")).toBe("deny");
    expect(await run("settings.json", "more.json")).toBe("none");
  });

  test("that is async is sent without being waited for", async () => {
    const server = await answering(saying("deny"));
    const engine = await engineFor(pre(http(server.origin, { async: true })));
    expect((await engine.dispatch("PreToolUse", bash)).decision).toBe("none");
    await until(() => server.requests.length === 1);
  });

  test("shares a connection with others to the same host, and leaves none open", async () => {
    const server = await answering({});
    const engine = await engineFor(pre(http(server.origin)));
    for (let round = 0; round < 10; round += 1) await engine.dispatch("PreToolUse", bash);
    expect(server.connections()).toEqual({ made: 1, open: 1 });
    await engine.close();
    await until(() => server.connections().open === 0);
  });
});

describe("headers of a web hook", () => {
  test("contain the variables that the hook lists, and no others", async () => {
    process.env["HOOKBOX_TEST_TOKEN"] = "s3cret";
    const server = await answering({});
    const headers = {
      Authorization: "Bearer $HOOKBOX_TEST_TOKEN",
      "X-Home": "[${HOME}]",
      Host: "elsewhere",
      "content-length": "1",
    };
    const verdict = await judge(server, { headers, allowedEnvVars: ["HOOKBOX_TEST_TOKEN"] });
    delete process.env["HOOKBOX_TEST_TOKEN"];
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: "Bearer s3cret",
      "x-home": "[]",
      host: `127.0.0.1:${server.port}`,
    });
    expect(verdict.rules[0]?.dropped).toEqual([
      'header "Host": not the rule\'s to set',
      'header "content-length": not the rule\'s to set',
    ]);
    expect(JSON.stringify(verdict)).not.toContain("s3cret");
  });

  test("that cannot be sent are a problem before the first event, and a failure at it, by name", async () => {
    const server = await answering({});
    const engine = await engineFor(pre(http(server.origin, { headers: { "X-A": "a\r\nb: c" } })));
    expect(engine.problems).toMatchObject([
      { severity: "error", code: "HOOK_HTTP_HEADER", message: expect.stringContaining('"X-A"') },
    ]);
    const verdict = await engine.dispatch("PreToolUse", bash);
    expect(verdict.rules[0]).toMatchObject({ failure: { kind: "capability", code: "HOOK_HTTP_HEADER" } });
    expect(server.connections().made).toBe(0);
  });
});

describe("the address of a web hook", () => {
  const local = async (layer: Layer, hook: object): Promise<Engine> => {
    const folder = folderWith({ "hookbox.json": JSON.stringify({ hooks: pre(hook) }) });
    const engine = await createEngine({ configFiles: [{ file: "hookbox.json", layer }], cwd: folder });
    engines.push(engine);
    return engine;
  };

  test.each(["user", "command-line"] as const)("may be this machine if a file of the %s says so", async (layer) => {
    const server = await answering({});
    const verdict = await (await local(layer, http(server.origin))).dispatch("PreToolUse", bash);
    expect(verdict.decision).toBe("none");
    expect(server.requests.length).toBe(1);
  });

  test("may not be this machine in a file that may come with a repository, and the message says what to do", async () => {
    const server = await answering(saying("allow"));
    for (const [layer, host] of [
      ["project", "127.0.0.1"],
      ["local", "127.0.0.1"],
      ["project", "localhost"],
      ["project", "[::ffff:127.0.0.1]"],
    ] as const) {
      const engine = await local(layer, http(`http://${host}:${server.port}/`));
      const verdict = await engine.dispatch("PreToolUse", bash);
      expect(verdict.decision).toBe("deny");
      expect(verdict.rules[0]).toMatchObject({ failure: { kind: "capability", code: "HOOK_HTTP_URL" } });
      expect(verdict.reason).toContain("may only send to the public internet");
      expect(verdict.reason).toMatch(/put the hook into your own configuration/);
      expect(engine.problems).toMatchObject([{ code: "HOOK_HTTP_URL", place: { file: "hookbox.json", line: 1 } }]);
    }
    expect(server.connections().made).toBe(0);
  });

  test("may be a private network only if the hook allows it", async () => {
    const refused = await local("user", http("http://10.255.255.1:9/"));
    expect(refused.problems).toMatchObject([
      {
        code: "HOOK_HTTP_URL",
        hint: expect.stringContaining('the hook needs "allowPrivate": true, in a hookbox.json'),
      },
    ]);
    expect((await local("user", http("http://10.255.255.1:9/", { allowPrivate: true }))).problems).toEqual([]);
    const metadata = await local("user", http("http://169.254.169.254/", { allowPrivate: true }));
    expect(metadata.problems[0]).toMatchObject({
      code: "HOOK_HTTP_URL",
      message: expect.stringContaining("no rule may send there"),
    });
    expect(metadata.problems[0]?.hint).toBeUndefined();
  });

  test.each([
    ["localhost:8123/x", "write http://localhost:8123/x"],
    ["localhost/x", "write http://localhost/x"],
    ["127.0.0.1:8123/x", "write http://127.0.0.1:8123/x"],
    ["hooks.example.com/x", "write https://hooks.example.com/x"],
    ["intern:8080", "write https://intern:8080"],
    ["nonsense", undefined],
    ["ftp://x.test/", undefined],
    ["mailto:me@x.test", undefined],
  ])("without a scheme is reported with what to write: %s", async (url, hint) => {
    const [problem] = (await local("user", http(url))).problems;
    expect([problem?.code, problem?.hint]).toEqual(["HOOK_HTTP_URL", hint]);
  });

  test.each(["ftp://x.test/", "http://u:p@x.test/", "nonsense"])(
    "has to be a URL that can be used: %s",
    async (url) => {
      const engine = await local("user", http(url));
      expect(engine.problems).toMatchObject([{ severity: "error", code: "HOOK_HTTP_URL" }]);
      expect((await engine.dispatch("PreToolUse", bash)).rules[0]).toMatchObject({
        failure: { kind: "capability", code: "HOOK_HTTP_URL" },
      });
    },
  );

  test("has to be on the list if there is one", async () => {
    const server = await answering({});
    const run = async (allowedHttpHookUrls: readonly string[]) => {
      const config = { allowedHttpHookUrls, hooks: pre(http(`${server.origin}/a`)) };
      const engine = await createEngine({ config });
      engines.push(engine);
      return (await engine.dispatch("PreToolUse", bash)).rules[0];
    };
    expect(await run(["http://127.0.0.1:*"])).toMatchObject({ status: "abstained" });
    expect(await run([])).toMatchObject({
      failure: { kind: "capability", message: expect.stringContaining("allowedHttpHookUrls") },
    });
    expect(server.requests.length).toBe(1);
  });
});
