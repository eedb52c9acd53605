import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { CacheFolder } from "../../src/cache/cache-folder.ts";
import { loadConfig } from "../../src/config/load.ts";
import { configJsonSchema } from "../../src/dialects/hookbox/schema.ts";
import type { Grants } from "../../src/grants.ts";
import { createEngine } from "../../src/index.ts";
import type { Layer } from "../../src/layer-trust.ts";
import { folderWith } from "../config/config-files.ts";
import { accepts, type JsonSchema } from "./json-schema.ts";
import { parse, parseHandler, placeOf } from "./parse.ts";

const schema = configJsonSchema() as JsonSchema;
const guard = (grants: unknown) => ({ type: "wasm", module: "./guard.wasm", grants });
const file = (grants: unknown) => ({ hooks: { PreToolUse: [{ hooks: [guard(grants)] }] } });

async function read(grants: unknown, { layer = "user", baseDir = "/base" }: { layer?: Layer; baseDir?: string } = {}) {
  const { rule, problems } = await parseHandler("hookbox", guard(grants), "PreToolUse", { layer, baseDir });
  const given = rule?.handler.type === "wasm" ? rule.handler.grants : undefined;
  return { given, problems, type: rule?.handler.type };
}

async function granted(grants: unknown, where: { layer?: Layer; baseDir?: string } = {}): Promise<Grants | undefined> {
  const { given, problems } = await read(grants, where);
  expect(problems).toEqual([]);
  return given;
}

const HOSTS = { network: "public", maxCalls: 8, responseBytes: 262_144 };
const at = (path: string, written: string, access = "read") => ({ path, written, access });

describe("the grants of a wasm hook", () => {
  test("are empty if none are written, or all are switched off", async () => {
    expect(await granted(undefined)).toBe(undefined);
    expect(await granted({})).toBe(undefined);
    expect(await granted({ state: false, wasi: false })).toBe(undefined);
  });

  test.each<[string, unknown, object]>([
    ["hosts as a list", ["api.example.com"], { ...HOSTS, allow: ["https://api.example.com"] }],
    [
      "hosts with caps",
      { allow: ["http://10.0.0.1:8080"], allowPrivate: true, maxCalls: 64, maxBytes: 1_048_576 },
      { allow: ["http://10.0.0.1:8080"], network: "private", maxCalls: 64, responseBytes: 1_048_576 },
    ],
    [
      "each host once",
      ["EXAMPLE.com", "https://example.com:443", "example.com."],
      { ...HOSTS, allow: ["https://example.com"] },
    ],
  ])("%s", async (_, hosts, expected) => expect(await granted({ hosts })).toEqual({ hosts: expected }));

  test.each([
    ["example.com", "https://example.com"],
    ["https://Example.COM", "https://example.com"],
    ["HTTP://example.com", "http://example.com"],
    ["http://example.com:80", "http://example.com"],
    ["https://example.com:80", "https://example.com:80"],
    ["example.com:8443", "https://example.com:8443"],
    ["*.example.org", "https://*.example.org"],
    ["http://*.a-b_c.example.org:81", "http://*.a-b_c.example.org:81"],
    ["b\u00fccher.example", "https://xn--bcher-kva.example"],
    ["93.184.216.34", "https://93.184.216.34"],
    ["[2606:2800:0220::0001]", "https://[2606:2800:220::1]"],
    ["intranet", "https://intranet"],
  ])("write the host %s as %s", async (written, host) => {
    expect(await granted({ hosts: [written] })).toMatchObject({ hosts: { allow: [host] } });
    expect(accepts(schema, file({ hosts: [written] }))).toBe(true);
  });

  test("have paths by the guard's name for each, relative to the folder of the file or the user's home", async () => {
    const home = homedir();
    expect(
      await granted({
        paths: { "policy.json": "./policy.json", up: "../up", "a/b c": "/etc/x/../y", home: "~", "my=ö": "~/.x" },
      }),
    ).toEqual({
      paths: [
        { name: "policy.json", ...at("/base/policy.json", "./policy.json") },
        { name: "up", ...at("/up", "../up") },
        { name: "a/b c", ...at("/etc/y", "/etc/x/../y") },
        { name: "home", ...at(home, "~") },
        { name: "my=ö", ...at(join(home, ".x"), "~/.x") },
      ],
    });
  });

  test("have paths for writing if the rule says so, and paths of a list under their own names", async () => {
    expect(await granted({ paths: { out: { path: "./out", access: "write" }, in: { path: "in" } } })).toEqual({
      paths: [
        {
          name: "out",
          ...at("/base/out", "./out", "write"),
          location: "/base/out",
          apart: ["/base"],
        },
        { name: "in", ...at("/base/in", "in") },
      ],
    });
    expect(await granted({ paths: ["./rules/policy.json", "data/"] })).toEqual({
      paths: [
        { name: "rules/policy.json", ...at("/base/rules/policy.json", "./rules/policy.json") },
        { name: "data", ...at("/base/data", "data/") },
      ],
    });
  });

  test("have state, clock, random numbers and WASI", async () => {
    expect(await granted({ state: true, clock: "fixed", random: "real", wasi: true })).toEqual({
      state: { maxKeys: 64, maxBytes: 65_536 },
      clock: "fixed",
      random: "real",
      wasi: true,
    });
    expect(await granted({ state: { maxKeys: 1 }, clock: "real", random: "seeded" })).toEqual({
      state: { maxKeys: 1, maxBytes: 65_536 },
      clock: "real",
      random: "seeded",
    });
  });

  test("are read from code as from a file", async () => {
    const engine = await createEngine({ cwd: "/", sandbox: { threads: 1 } });
    try {
      const rule = { event: "PreToolUse", ...guard({ hosts: ["*"] }) } as never;
      await expect(engine.register([rule])).rejects.toMatchObject({
        code: "HOOK_API_MISUSE",
        message: /grants.hosts.0/,
      });
    } finally {
      await engine.close();
    }
  });
});

describe("a malformed grant is an error at its place, grants nothing, and breaks only its rule:", () => {
  const hosts = (entry: unknown) => ({ hosts: [entry] });
  const paths = (name: string, path: unknown = "./x") => ({ paths: { [name]: path } });
  test.each<[string, unknown, string, string]>([
    ["no object", "all", "HOOK_CONFIG_TYPE", "grants"],
    ["true", true, "HOOK_CONFIG_TYPE", "grants"],
    ["null", null, "HOOK_CONFIG_TYPE", "grants"],
    ["a list", ["hosts"], "HOOK_CONFIG_TYPE", "grants"],
    ["an unknown key", { host: ["a.example"] }, "HOOK_CONFIG_UNKNOWN_KEY", "grants/host"],
    ["hosts: true", { hosts: true }, "HOOK_CONFIG_TYPE", "grants/hosts"],
    ["no hosts", { hosts: [] }, "HOOK_CONFIG_TYPE", "grants/hosts"],
    ["an object without hosts", { hosts: {} }, "HOOK_CONFIG_TYPE", "grants/hosts/allow"],
    ["too many hosts", { hosts: Array(65).fill("a.example") }, "HOOK_CONFIG_TYPE", "grants/hosts"],
    [
      "an unknown key of hosts",
      { hosts: { allow: ["a.b"], maxCall: 1 } },
      "HOOK_CONFIG_UNKNOWN_KEY",
      "grants/hosts/maxCall",
    ],
    ["no calls", { hosts: { allow: ["a.b"], maxCalls: 0 } }, "HOOK_CONFIG_TYPE", "grants/hosts/maxCalls"],
    ["too many calls", { hosts: { allow: ["a.b"], maxCalls: 65 } }, "HOOK_CONFIG_TYPE", "grants/hosts/maxCalls"],
    ["half a byte", { hosts: { allow: ["a.b"], maxBytes: 0.5 } }, "HOOK_CONFIG_TYPE", "grants/hosts/maxBytes"],
    ["too many bytes", { hosts: { allow: ["a.b"], maxBytes: 1_048_577 } }, "HOOK_CONFIG_TYPE", "grants/hosts/maxBytes"],
    [
      "allowPrivate as a text",
      { hosts: { allow: ["a.b"], allowPrivate: "yes" } },
      "HOOK_CONFIG_TYPE",
      "grants/hosts/allowPrivate",
    ],
    ["a host in an object", { hosts: { allow: ["a.b", "*"] } }, "HOOK_CONFIG_GRANT", "grants/hosts/allow/1"],
    ["a number for a host", hosts(7), "HOOK_CONFIG_TYPE", "grants/hosts/0"],
    ...[
      ...[
        "",
        "*",
        "*:443",
        "https://*",
        "*.",
        "*.com",
        "https://*.*.example",
        "a.*.example",
        "a*.example",
        "**.example.com",
      ],
      ...[
        "*.127.0.0.1",
        "*.[::1]",
        "example.com/",
        "https://example.com/a",
        "//example.com",
        "example.com?a",
        "example.com#a",
      ],
      ...[
        "user@example.com",
        "https://u:p@example.com",
        "example.com\\",
        " example.com",
        "example.com ",
        "exa mple.com",
      ],
      ...["example.com:", "example.com:0", "example.com:65536", "example.com:08", "example.com:*", "example.com:http"],
      ...[
        "ftp://example.com",
        "file://x",
        "javascript://x",
        "https:example.com",
        "::1",
        "[::1",
        "[fe80::1%25eth0]",
        "[1.2.3.4]",
      ],
      ...[
        "127.1",
        "0x7f000001",
        "2130706433",
        "0177.0.0.1",
        "\uff11\uff12\uff17.0.0.1",
        "\u24d4xample.com",
        "ex\u00adample.com",
      ],
      ...[
        "exa%6dple.com",
        "a..example",
        ".example",
        "-a.example",
        "a-.example",
        `${"a".repeat(64)}.example`,
        "xn--a.example",
      ],
      ...["ex\u200bample.com", "a.example\u0000", "\ud800.example", "169.254.169.254", "[fd00:ec2::254]", "0.0.0.0"],
    ].map((one): [string, unknown, string, string] => [
      `the host ${JSON.stringify(one)}`,
      hosts(one),
      "HOOK_CONFIG_GRANT",
      "grants/hosts/0",
    ]),
    ["paths: true", { paths: true }, "HOOK_CONFIG_TYPE", "grants/paths"],
    ["no paths", { paths: {} }, "HOOK_CONFIG_TYPE", "grants/paths"],
    ["an empty list of paths", { paths: [] }, "HOOK_CONFIG_TYPE", "grants/paths"],
    ...[
      "",
      ".",
      "..",
      "../x",
      "a/../b",
      "a/./b",
      "/etc",
      "a//b",
      "a/",
      "C:",
      "c:/x",
      "a\\b",
      "a\nb",
      "a\u200bb",
      "e\u0301",
    ].map((one): [string, unknown, string, string] => [
      `the name ${JSON.stringify(one)}`,
      paths(one),
      "HOOK_CONFIG_GRANT",
      `grants/paths/${one.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    ]),
    ...["", "a\0b", "~bob/x", "$HOME/x", "${HOME}/x"].map((one): [string, unknown, string, string] => [
      `the path ${JSON.stringify(one)}`,
      paths("x", one),
      "HOOK_CONFIG_GRANT",
      "grants/paths/x",
    ]),
    ["a number for a path", paths("x", 7), "HOOK_CONFIG_TYPE", "grants/paths/x"],
    ["a path that is not said", paths("x", {}), "HOOK_CONFIG_TYPE", "grants/paths/x/path"],
    ["another access", paths("x", { path: "x", access: "all" }), "HOOK_CONFIG_TYPE", "grants/paths/x/access"],
    [
      "an unknown key of a path",
      paths("x", { path: "x", acess: "read" }),
      "HOOK_CONFIG_UNKNOWN_KEY",
      "grants/paths/x/acess",
    ],
    ...["../x", "/etc", "~/x", "~", ".", "./"].map((one): [string, unknown, string, string] => [
      `the path ${one} in a list`,
      { paths: [one] },
      "HOOK_CONFIG_GRANT",
      "grants/paths/0",
    ]),
    ["a path twice in a list", { paths: ["./a", "a"] }, "HOOK_CONFIG_GRANT", "grants/paths/1"],
    ["names that differ in case", { paths: { a: "x", A: "y" } }, "HOOK_CONFIG_GRANT", "grants/paths/A"],
    ["a name in another", { paths: { "a/b": "x", A: "y" } }, "HOOK_CONFIG_GRANT", "grants/paths/a~1b"],
    ["the file's folder to write", paths("x", { path: ".", access: "write" }), "HOOK_CONFIG_GRANT", "grants/paths/x"],
    ["one above it to write", paths("x", { path: "/", access: "write" }), "HOOK_CONFIG_GRANT", "grants/paths/x"],
    [
      "the file itself to write",
      paths("x", { path: "hookbox.json", access: "write" }),
      "HOOK_CONFIG_GRANT",
      "grants/paths/x",
    ],
    [
      "the lock file to write",
      paths("x", { path: "HOOKBOX.lock", access: "write" }),
      "HOOK_CONFIG_GRANT",
      "grants/paths/x",
    ],
    ["state as a number", { state: 7 }, "HOOK_CONFIG_TYPE", "grants/state"],
    ["too many keys", { state: { maxKeys: 1_025 } }, "HOOK_CONFIG_TYPE", "grants/state/maxKeys"],
    ["no bytes", { state: { maxBytes: 0 } }, "HOOK_CONFIG_TYPE", "grants/state/maxBytes"],
    ["clock: true", { clock: true }, "HOOK_CONFIG_TYPE", "grants/clock"],
    ["a clock of another kind", { clock: "seeded" }, "HOOK_CONFIG_TYPE", "grants/clock"],
    ["random numbers of another kind", { random: "fixed" }, "HOOK_CONFIG_TYPE", "grants/random"],
    ["wasi as a text", { wasi: "preview1" }, "HOOK_CONFIG_TYPE", "grants/wasi"],
  ])("%s", async (_, grants, code, pointer) => {
    const other = { type: "command", command: "true" };
    const config = { hooks: { PreToolUse: [{ hooks: [guard(grants), other] }] } };
    const { rules, problems } = await parse("hookbox", JSON.stringify(config, null, 2), { layer: "user" });
    const errors = problems.filter(({ severity }) => severity === "error");
    expect(errors).toMatchObject([{ code, place: { pointer: `/hooks/PreToolUse/0/hooks/0/${pointer}` } }]);
    expect(errors[0]?.place?.line).toBeGreaterThan(1);
    expect(errors[0]?.message).toMatch(/grants/);
    expect(rules.map(({ handler }) => handler.type)).toEqual(["broken", "command"]);
  });

  test("each of several, with line, column and a suggestion", async () => {
    const text = `{ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "wasm", "module": "a.wasm", "grants": {
      "host": ["a.example"],
      "hosts": ["a.example/x", "127.1"],
      "paths": { "policy.json": { "path": "x", "acces": "write" } }
    } }] }] } }`;
    const { problems } = await parse("hookbox", text, { layer: "user" });
    expect(problems).toMatchObject([
      { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: 'did you mean "hosts"?', place: placeOf('"host"', text) },
      { code: "HOOK_CONFIG_GRANT", hint: /leave the path out/, place: placeOf('"a.example/x"', text) },
      { code: "HOOK_CONFIG_GRANT", hint: "write 127.0.0.1", place: placeOf('"127.1"', text) },
      { code: "HOOK_CONFIG_UNKNOWN_KEY", hint: 'did you mean "access"?', place: placeOf('"acces"', text) },
    ]);
  });

  test("but not if the hook is switched off", async () => {
    const { rules, problems } = await parse("hookbox", {
      hooks: { Stop: [{ hooks: [{ ...guard({ hosts: ["*"] }), enabled: false }] }] },
    });
    expect({ rules, problems }).toEqual({ rules: [], problems: [] });
  });
});

describe("hosts that the guard can never reach", () => {
  test.each(["127.0.0.1:8080", "http://localhost", "api.localhost", "10.1.2.3", "[::1]", "[fd12::1]"])(
    "get a warning: %s",
    async (host) => {
      const { given, problems } = await read({ hosts: [host, "a.example"] });
      expect(problems).toMatchObject([
        {
          severity: "warning",
          code: "HOOK_CONFIG_INERT",
          place: { pointer: expect.stringMatching(/grants\/hosts\/0$/) },
        },
      ]);
      expect(given?.hosts?.network).toBe("public");
      expect(await granted({ hosts: { allow: [host], allowPrivate: true } })).toBeDefined();
    },
  );
});

describe("a file that may come with a repository", () => {
  test("grants hosts on the internet, state, clock, random numbers and WASI", async () => {
    const grants = { hosts: ["a.example"], state: true, clock: "real", random: "real", wasi: true };
    expect(await granted(grants, { layer: "project" })).toMatchObject({ hosts: { network: "public" }, wasi: true });
  });

  test("opens no private network", async () => {
    const { problems, type } = await read(
      { hosts: { allow: ["a.example"], allowPrivate: true } },
      { layer: "project" },
    );
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_TRUST", hint: expect.stringContaining("your own configuration") },
    ]);
    expect(type).toBe("broken");
  });

  /** Creates `inside/` with files and links, next to `outside/`. */
  function repository(): string {
    const folder = realpathSync(folderWith());
    for (const name of ["inside/data", "outside"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "outside/secret"), "s");
    symlinkSync("../outside", join(folder, "inside/link"));
    symlinkSync("../outside/secret", join(folder, "inside/file"));
    symlinkSync("../outside/later", join(folder, "inside/dangling"));
    symlinkSync("data", join(folder, "inside/own-link"));
    symlinkSync("inside", join(folder, "way-in"));
    symlinkSync("loop", join(folder, "inside/loop"));
    return folder;
  }

  test.each(["data", "data/later/still", "own-link/x", "not-there", "."])(
    "grants paths in its folder: %s",
    async (path) => {
      const folder = repository();
      const within = join(folder, "inside");
      for (const baseDir of [within, join(folder, "way-in")]) {
        const grants = await granted({ paths: { x: path } }, { layer: "project", baseDir });
        expect(grants?.paths).toEqual([{ name: "x", ...at(resolve(baseDir, path), path), within }]);
      }
    },
  );

  test.each([
    "../outside/secret",
    "/etc/passwd",
    "~/.ssh",
    "link",
    "link/secret",
    "file",
    "dangling",
    "dangling/x",
    "loop",
    "..",
  ])("grants nothing outside of it: %s", async (path) => {
    const baseDir = join(repository(), "inside");
    const { problems, type } = await read({ paths: { x: path } }, { layer: "project", baseDir });
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TRUST" }]);
    expect(type).toBe("broken");
    if (path !== "dangling/x") await granted({ paths: { x: path } }, { layer: "user", baseDir });
  });

  test("is checked again by each process, because its links may have been replaced", async () => {
    const folder = repository();
    const config = join(folder, "inside/hookbox.json");
    writeFileSync(config, JSON.stringify(file({ paths: { x: "./data" } })));
    const cache = new CacheFolder(join(folder, "cache"), "rules");
    const load = () => loadConfig([{ file: config, layer: "project" }], [], folder, { cache });
    expect((await load()).problems).toEqual([]);
    await cache.settled();
    symlinkSync("../outside", join(folder, "inside/new"));
    const { renameSync } = await import("node:fs");
    renameSync(join(folder, "inside/data"), join(folder, "inside/data-was"));
    renameSync(join(folder, "inside/new"), join(folder, "inside/data"));
    expect((await load()).problems).toMatchObject([{ code: "HOOK_CONFIG_TRUST" }]);
  });
});

test("a home that differs in the next process is another path there", async () => {
  const folder = folderWith({ "hookbox.json": JSON.stringify(file({ paths: { x: "~/x" } })) });
  const cache = new CacheFolder(join(folder, "cache"), "rules");
  const home = process.env["HOME"];
  const pathIn = async (): Promise<unknown> => {
    const { rules } = await loadConfig([{ file: "hookbox.json", layer: "user" }], [], folder, { cache });
    await cache.settled();
    const [rule] = rules;
    return rule?.handler.type === "wasm" ? rule.handler.grants?.paths?.[0]?.path : undefined;
  };
  try {
    process.env["HOME"] = "/one";
    expect([await pathIn(), await pathIn()]).toEqual(["/one/x", "/one/x"]);
    process.env["HOME"] = "/other";
    expect(await pathIn()).toBe("/other/x");
  } finally {
    if (home === undefined) delete process.env["HOME"];
    else process.env["HOME"] = home;
  }
});
