import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { JsonObject } from "../../src/json.ts";
import { brokenIn, commandsIn, folderWith, guardedBy } from "./config-files.ts";

const inline = (value: unknown, name = "config") => ({ name, value, layer: "command-line" as const, baseDir: "/base" });
const load = (value: unknown) => loadConfig([], [inline(value)], "/");

const withGuard = (config: unknown) => ({
  hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: "a.wasm", config }] }] },
});

describe("a configuration in memory", () => {
  test("is read as hookbox, and its places are pointers", async () => {
    const { rules, problems } = await load(guardedBy("a"));
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        dialect: "hookbox",
        layer: "command-line",
        baseDir: "/base",
        place: { file: "config", pointer: "/hooks/PreToolUse/0/hooks/0" },
      },
    ]);
  });

  test("comes after the files, and after earlier ones in memory", async () => {
    const folder = folderWith({ "a.json": JSON.stringify(guardedBy("file")) });
    const files = [{ file: "a.json", layer: "command-line" as const }];
    const { rules } = await loadConfig(files, [inline(guardedBy("1")), inline(guardedBy("2"), "other")], folder);
    expect(commandsIn(rules)).toEqual(["file", "1", "2"]);
  });

  test.each([undefined, null, 7, "hooks", [], () => ({})])(
    "that is not an object (%o) breaks every event",
    async (value) => {
      const { rules, problems } = await load(value);
      expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE", place: { file: "config" } }]);
      expect(brokenIn(rules)).toMatchObject([{ event: "*", code: "HOOK_CONFIG_TYPE" }]);
    },
  );

  test("has its pointers escaped like those of a file", async () => {
    const { problems } = await load({ hooks: { PreToolUse: [{ "a/b~": 1, hooks: [] }] } });
    expect(problems[0]?.place).toEqual({ file: "config", pointer: "/hooks/PreToolUse/0/a~1b~0" });
  });

  test("that is too deep is a problem and does not throw", async () => {
    let deep: JsonObject = {};
    for (let level = 0; level < 100_000; level++) deep = { deep };
    const { rules, problems } = await load(withGuard(deep));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(brokenIn(rules)).toHaveLength(1);
  });

  test("that contains itself is a problem", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const { rules, problems } = await load(withGuard(circle));
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
    expect(brokenIn(rules)).toHaveLength(1);
  });
});

describe("a loaded configuration", () => {
  test("is frozen: the lists and each rule", async () => {
    const loaded = await loadConfig([{ file: "missing.json" }], [inline(guardedBy("a"))], folderWith());
    expect(Object.isFrozen(loaded.rules)).toBe(true);
    expect(Object.isFrozen(loaded.problems)).toBe(true);
    expect(loaded.rules).toHaveLength(2);
    for (const rule of loaded.rules) expect(Object.isFrozen(rule)).toBe(true);
  });

  test("is deeply frozen", async () => {
    const { rules } = await load({
      hooks: {
        PreToolUse: [
          {
            hooks: [
              { type: "command", command: "a", args: ["b"], env: { C: "d" } },
              { type: "wasm", module: "a.wasm", config: { deep: { list: [1] } }, may: ["deny"] },
            ],
          },
        ],
      },
    });
    const thawed = (value: unknown, path: string): string[] =>
      typeof value !== "object" || value === null
        ? []
        : [
            ...(Object.isFrozen(value) ? [] : [path]),
            ...Object.entries(value).flatMap(([key, item]) => thawed(item, `${path}.${key}`)),
          ];
    expect(rules.flatMap(({ handler, may, place }) => thawed({ handler, may, place }, "rule").slice(1))).toEqual([]);
  });

  test("is a copy of what the caller passed", async () => {
    const config = { protectedPaths: ["/etc"] };
    const may = ["deny"];
    const { rules } = await load({
      hooks: { PreToolUse: [{ hooks: [{ type: "wasm", module: "a.wasm", config, may }] }] },
    });
    config.protectedPaths.length = 0;
    may.push("allow");
    expect(rules[0]).toMatchObject({ may: ["deny"], handler: { config: { protectedPaths: ["/etc"] } } });
  });
});
