import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CacheFolder } from "../../src/cache/cache-folder.ts";
import { cacheKeyOf, decodeRules, encodeRules } from "../../src/config/cached-rules.ts";
import { loadConfig } from "../../src/config/load.ts";
import { openSources, type Source } from "../../src/config/sources.ts";
import { dialectNamed } from "../../src/dialects/registry.ts";
import { createEngine } from "../../src/engine.ts";

const folder = mkdtempSync(join(tmpdir(), "hookbox-rules-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every field that a rule can have, in the four formats. */
const FILES = {
  "hookbox.json": {
    compat: "faithful",
    allowedHttpHookUrls: ["http://localhost:*"],
    httpHookAllowedEnvVars: ["A"],
    defaults: { event: { budgetMs: 4_000 }, wasm: { fuel: 20_000 } },
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            { type: "command", command: "./a", args: ["b"], env: { C: "d" }, workingDir: "e", if: "Bash(git *)" },
            { type: "command", command: "x", shell: "sh", lane: "preempt", priority: 3, onFailure: "continue" },
            { type: "command", command: "y", asyncRewake: true, once: "forever", mode: "monitor", may: ["deny"] },
            { type: "http", url: "http://localhost:1/", headers: { "x-a": "$A" }, allowedEnvVars: ["A", "B"] },
            {
              type: "http",
              url: "http://10.0.0.1/",
              allowPrivate: true,
              filter: { tools: ["Bash"], paths: ["src/**"] },
            },
            { type: "wasm", module: "builtin:shell-guard", config: { protectedPaths: ["/srv"] } },
            { type: "command", command: "d", speaks: "docker-agent", strict: true, onFailure: "ignore" },
          ],
        },
      ],
      UserPromptSubmit: [{ hooks: [{ type: "context", text: "hello" }] }],
    },
  },
  "settings.json": { hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } },
  "agent.json": {
    hooks: {
      pre_tool_use: [
        { preempt_yolo: true, hooks: [{ type: "command", command: "a", strict_output: true, on_error: "ignore" }] },
      ],
    },
  },
  "pattern.json": { hooks_config: { Stop: [{ hooks: [{ type: "command", command: "a", once: true }] }] } },
};
const DIALECTS = { "agent.json": "docker-agent", "pattern.json": "patterns" } as Record<string, string>;

const files = Object.entries(FILES).map(([name, content]) => {
  writeFileSync(join(folder, name), JSON.stringify(content));
  const dialect = DIALECTS[name];
  return { file: join(folder, name), layer: "user" as const, ...(dialect === undefined ? {} : { dialect }) };
});

test("rules are restored from bytes unchanged, with their codecs and settings", async () => {
  const loaded = await loadConfig(files, [], folder);
  expect(loaded.problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(loaded).toMatchObject({ eventPatienceMs: 4_000, settings: expect.any(Array) });
  const back = decodeRules(encodeRules(loaded) as Buffer);
  expect(back).toEqual(loaded);
  expect(back?.rules.map(({ codec }) => codec)).toEqual(loaded.rules.map(({ codec }) => codec));
  const fields = new Set(loaded.rules.flatMap((rule) => Object.keys(rule)));
  for (const field of ["identity", "condition", "filter", "once", "rewakes", "lane", "strict"])
    expect(fields).toContain(field);
  const handlers = back?.rules.flatMap(({ handler }) => (handler.type === "http" ? [handler] : []));
  const lists = { allowedEnvVars: ["A"], network: "loopback", allowedUrls: [["http://localhost:*"]] };
  expect(handlers).toMatchObject([lists, { network: "private", allowedUrls: lists.allowedUrls }]);
});

test("rules are not cached if their shared parts exceed the limit for reading", async () => {
  const servers = { mine: { command: "server", env: { LONG: "x".repeat(1_000_000) } } };
  const hooks = Array.from({ length: 30 }, (_, index) => ({ type: "mcp_tool", server: "mine", tool: `tool${index}` }));
  const text = JSON.stringify({ mcpServers: servers, hooks: { PreToolUse: [{ hooks }] } });
  writeFileSync(join(folder, "servers.json"), text);
  const loaded = await loadConfig([{ file: join(folder, "servers.json"), layer: "user" }], [], folder);
  expect(loaded.rules).toHaveLength(30);
  expect(encodeRules(loaded)).toBeUndefined();
  expect(encodeRules({ ...loaded, rules: loaded.rules.slice(0, 3) })).toBeInstanceOf(Buffer);
});

test("rules are cached for the same files, and not for the same text in another layer or next to a lock file", async () => {
  const cache = new CacheFolder(join(folder, "cache"), "rules");
  const load = async (layer: "user" | "project") => {
    const loaded = await loadConfig([{ file: join(folder, "web.json"), layer }], [], folder, { cache });
    await cache.settled();
    return loaded.rules.map(({ layer: of, handler }) => {
      if (handler.type === "http") return `${of} ${handler.network}`;
      return handler.type === "wasm" && handler.locked !== undefined ? `${of} locked` : `${of} free`;
    });
  };
  const web = { type: "http", url: "http://localhost:1/" };
  const guard = { type: "wasm", module: "./none.wasm" };
  writeFileSync(join(folder, "web.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [web, guard] }] } }));
  expect(await load("user")).toEqual(["user loopback", "user free"]);
  expect(readdirSync(join(folder, "cache"))).toHaveLength(1);
  expect(await load("user")).toEqual(["user loopback", "user free"]);
  expect(readdirSync(join(folder, "cache"))).toHaveLength(1);
  expect(await load("project")).toEqual(["project public", "project free"]);
  writeFileSync(join(folder, "hookbox.lock"), JSON.stringify({ lockVersion: 1, modules: {} }));
  expect(await load("user")).toEqual(["user loopback", "user locked"]);
});

test("an engine that prepares in advance caches its rules for the next process, and reads the files itself", async () => {
  const home = mkdtempSync(join(folder, "prepared-"));
  const file = join(home, "hookbox.json");
  const cacheDir = join(home, "cache");
  writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] } }));
  const nameAfter = async (prepare: "all" | "on-demand") => {
    const engine = await createEngine({ configFiles: [file], cacheDir, prepare });
    await engine.close();
    return engine.rules[0]?.name;
  };
  const own = await nameAfter("all");
  const [entry, ...others] = readdirSync(cacheDir).filter((name) => name.endsWith(".rules"));
  expect(others).toEqual([]);
  const cache = new CacheFolder(cacheDir, "rules");
  const opened = await openSources([{ file }], [], process.cwd());
  const key = cacheKeyOf(opened);
  const kept = JSON.parse(String(await cache.get(key))) as { rules: { name: string }[] };
  (kept.rules[0] as { name: string }).name = "from the cache";
  await cache.put(key, Buffer.from(JSON.stringify(kept)));
  expect(readdirSync(cacheDir)).toContain(entry);
  expect(await nameAfter("on-demand")).toBe("from the cache");
  expect(await nameAfter("all")).toBe(own);
});

test("the key depends on everything that rules depend on", () => {
  const dialect = (name: string) => dialectNamed(name) as Source["dialect"];
  const source: Source = {
    dialect: dialect("hookbox"),
    layer: "user",
    baseDir: "/a",
    name: "a.json",
    content: { kind: "text", text: "{}" },
    lock: { kind: "none" },
  };
  const other: Source[] = [
    { ...source, dialect: dialect("patterns") },
    { ...source, layer: "managed" },
    { ...source, baseDir: "/b" },
    { ...source, name: "b.json" },
    { ...source, content: { kind: "text", text: "{ }" } },
    { ...source, lock: { kind: "text", text: "{}" } },
  ];
  const above = [{ layer: "managed" as const, settings: { disableAllHooks: true } }];
  const keys = [
    ...[source, ...other].map((one) => cacheKeyOf([one])),
    ...other.map((one) => cacheKeyOf([source, one])),
    ...other.map((one) => cacheKeyOf([one, source])),
    cacheKeyOf([source], above),
  ];
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
  expect(cacheKeyOf([{ ...source, content: { kind: "value", value: {} } }])).toBeUndefined();
});
