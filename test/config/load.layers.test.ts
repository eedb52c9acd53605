import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUILTIN_DEFAULTS, resolveSettings } from "../../src/config/layered-settings.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ConfigSettings } from "../../src/dialects/dialect.ts";
import { LAYERS, type Layer } from "../../src/layer-trust.ts";
import { brokenIn, commandsIn, folderWith, guardedBy } from "./config-files.ts";

/** Loads one `hookbox` file for each entry, in this order. */
async function load(...entries: readonly (readonly [Layer, object])[]) {
  const named = entries.map(([layer, value], index) => ({ file: `${index}.json`, layer, text: JSON.stringify(value) }));
  const folder = folderWith(Object.fromEntries(named.map(({ file, text }) => [file, text])));
  return loadConfig(
    named.map(({ file, layer }) => ({ file, layer })),
    [],
    folder,
  );
}

const resolved = (...entries: readonly (readonly [Layer, ConfigSettings])[]) =>
  resolveSettings(entries.map(([layer, settings]) => ({ layer, settings })));

describe("rules of several layers", () => {
  test("are combined, most trusted layer first, whatever the order of the files", async () => {
    const shuffled = (["local", "command-line", "user", "managed", "session", "project"] as const).map(
      (layer) => [layer, guardedBy(`${layer} 1`, `${layer} 2`)] as const,
    );
    const { rules } = await load(...shuffled);
    expect(commandsIn(rules)).toEqual(LAYERS.flatMap((layer) => [`${layer} 1`, `${layer} 2`]));
  });

  test("keep the order of their files and entries within a layer", async () => {
    const { rules } = await load(
      ["user", guardedBy("a", "b")],
      ["user", guardedBy("c")],
      ["user", guardedBy("d", "e")],
    );
    expect(commandsIn(rules)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("are not merged if they are equal", async () => {
    const { rules } = await load(["user", guardedBy("same")], ["project", guardedBy("same")]);
    expect(rules.map(({ layer }) => layer)).toEqual(["user", "project"]);
  });

  test("have separate ids, even from one file", async () => {
    const folder = folderWith({ "a.json": JSON.stringify(guardedBy("a", "b")), "b.json": "{" });
    const files = (["user", "project"] as const).flatMap((layer) => [
      { file: "a.json", layer },
      { file: "b.json", layer },
    ]);
    const { rules } = await loadConfig(files, [], folder);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  test("have the folder of their file", async () => {
    const folder = folderWith({ "a.json": JSON.stringify(guardedBy("a")) });
    const { rules } = await loadConfig([{ file: "a.json" }], [], folder);
    expect(rules[0]).toMatchObject({ baseDir: folder, layer: "project", place: { file: "a.json", line: 1 } });
    const [elsewhere] = (await loadConfig([{ file: join(folder, "a.json") }], [], "/")).rules;
    expect(elsewhere?.baseDir).toBe(folder);
  });
});

describe("a default", () => {
  test("is built in if no file sets it", () => {
    expect(resolved().defaultsOf("command-line")).toEqual(BUILTIN_DEFAULTS);
    expect(resolved(["user", { defaults: {} }]).defaultsOf("command-line")).toEqual(BUILTIN_DEFAULTS);
  });

  test("is the most specific layer's among the files that are at least as trusted as the rule", async () => {
    const { rules } = await load(
      ["local", { ...guardedBy("local"), defaults: { command: { timeoutMs: 7_000 } } }],
      ["user", { ...guardedBy("user"), defaults: { command: { timeoutMs: 9_000 } } }],
      ["command-line", { ...guardedBy("line"), defaults: { command: { timeoutMs: 8_000 } } }],
    );
    expect(rules.map(({ layer, timeoutMs }) => [layer, timeoutMs])).toEqual([
      ["user", 8_000],
      ["local", 8_000],
      ["command-line", 8_000],
    ]);
  });

  test("of the managed layer is a maximum and not a minimum", () => {
    const ceilings = { wasmTimeoutMs: 500, wasmMemoryBytes: 8, wasmFuel: 10_000, wasmFuelPerInputByte: 1 };
    const managed = ["managed", { defaults: ceilings }] as const;
    const lower = ["user", { defaults: { wasmTimeoutMs: 900, wasmFuel: 20_000 } }] as const;
    expect(resolved(managed, lower).defaultsOf("command-line")).toEqual({ ...BUILTIN_DEFAULTS, ...ceilings });
    expect(
      resolved(managed, ["user", { defaults: { wasmTimeoutMs: 200 } }]).defaultsOf("command-line").wasmTimeoutMs,
    ).toBe(200);
  });

  test("of the managed layer is a maximum for limits that a rule of a lower layer sets", async () => {
    const { rules } = await load(
      [
        "managed",
        { defaults: { wasm: { timeoutMs: 500, memoryMiB: 8, fuel: 10_000 }, command: { timeoutMs: 2_000 } } },
      ],
      [
        "project",
        {
          hooks: {
            PreToolUse: [
              {
                hooks: [
                  { type: "wasm", module: "a.wasm", timeoutMs: 60_000, limits: { memoryMiB: 1_024, fuel: 20_000 } },
                  { type: "command", command: "a", timeout: 600 },
                ],
              },
            ],
          },
        },
      ],
    );
    expect(rules.map(({ timeoutMs }) => timeoutMs)).toEqual([500, 2_000]);
    expect(rules[0]?.handler).toMatchObject({ limits: { memoryBytes: 8 * 1_048_576, fuel: 10_000 } });
  });
});

describe("disableAllHooks", () => {
  const off = { disableAllHooks: true };
  const on = { disableAllHooks: false };

  const activeIn = (...entries: readonly (readonly [Layer, ConfigSettings])[]) =>
    LAYERS.filter((layer) => resolved(...entries).isActive(layer, "hookbox"));
  const trusted = LAYERS.filter((layer) => layer !== "project" && layer !== "local");

  test("of the user switches off every layer except the managed one", async () => {
    const { rules } = await load(
      ["managed", guardedBy("managed")],
      ["user", { ...guardedBy("user"), disableAllHooks: true }],
      ["project", guardedBy("project")],
    );
    expect(commandsIn(rules)).toEqual(["managed"]);
  });

  test("of the managed layer switches off everything", () => {
    expect(activeIn(["managed", off], ["user", on])).toEqual([]);
  });

  test.each([
    [["user", off], ["project", on], ["managed"]],
    [["project", on], ["user", off], ["managed"]],
    [["user", on], ["project", off], LAYERS],
    [["project", off], ["local", on], LAYERS],
    [["project", on], ["local", off], trusted],
    [["project", off], ["command-line", on], LAYERS],
    [["user", off], ["command-line", on], LAYERS],
    [["user", {}], ["project", off], trusted],
    [["user", {}], ["local", off], trusted],
    [["user", on], ["user", {}], LAYERS],
  ] as const)("of %j and %j leaves %j active", (first, second, active) => {
    expect(activeIn(first, second)).toEqual(active);
  });

  test("cannot be set if the managed layer says false", () => {
    expect(activeIn(["managed", on], ["project", off])).toEqual(LAYERS);
  });

  test("of a Claude Code file does not affect the hooks of a hookbox.json, and says so", async () => {
    const folder = folderWith({
      "settings.json": JSON.stringify({ ...guardedBy("claude"), disableAllHooks: true }),
      "hookbox.json": JSON.stringify(guardedBy("ours")),
    });
    const files = ["settings.json", "hookbox.json"].map((file) => ({ file, layer: "user" as const }));
    const { rules, problems } = await loadConfig(files, [], folder);
    expect(commandsIn(rules)).toEqual(["ours"]);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_SCOPE", place: { file: "settings.json", line: 1 } },
      { severity: "warning", code: "HOOK_CONFIG_DISABLED", message: expect.stringContaining("1 rule off") },
    ]);
  });

  test("removes broken rules with the others, and their problems stay listed", async () => {
    const { rules, problems } = await load(["user", off], ["project", { hooks: 7 }]);
    expect(rules).toEqual([]);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_TYPE" }, { code: "HOOK_CONFIG_DISABLED" }]);
  });

  test("in a file with an error in its settings switches off nothing", async () => {
    const { rules } = await load(["project", { ...guardedBy("a"), disableAllHooks: true, compat: "loose" }]);
    expect(commandsIn(rules)).toEqual(["a"]);
    expect(brokenIn(rules)).toMatchObject([{ event: "*", code: "HOOK_CONFIG_TYPE" }]);
  });
});

describe("allowManagedHooksOnly", () => {
  test("of the managed layer leaves only its rules", async () => {
    const { rules } = await load(
      ["command-line", guardedBy("line")],
      ["managed", { ...guardedBy("managed"), allowManagedHooksOnly: true }],
      ["user", { ...guardedBy("user"), disableAllHooks: false }],
    );
    expect(commandsIn(rules)).toEqual(["managed"]);
  });

  test("of any other layer has no effect", async () => {
    const { rules } = await load(["user", { ...guardedBy("user"), allowManagedHooksOnly: true }]);
    expect(commandsIn(rules)).toEqual(["user"]);
  });
});

describe("compat", () => {
  test("is safer if no file sets it, and the most specific layer's otherwise", () => {
    expect(resolved().compatOf("user")).toBe("safer");
    expect(resolved(["user", { compat: "faithful" }]).compatOf("local")).toBe("faithful");
    expect(resolved(["local", { compat: "safer" }], ["user", { compat: "faithful" }]).compatOf("local")).toBe("safer");
  });

  test.each(["session", "command-line"] as const)(
    "of the %s layer counts for files that it names, if no more specific file sets it",
    (layer) => {
      expect(resolved([layer, { compat: "faithful", defaultModel: "a/b" }]).compatOf("project")).toBe("faithful");
      expect(resolved([layer, { compat: "faithful", defaultModel: "a/b" }]).defaultModelOf("project")).toBe("a/b");
      expect(resolved([layer, { compat: "faithful" }], ["user", { compat: "safer" }]).compatOf("project")).toBe(
        "safer",
      );
      expect(resolved([layer, { compat: "faithful" }], ["managed", { compat: "safer" }]).compatOf("user")).toBe(
        "safer",
      );
    },
  );

  test("of one file counts for that file, and overrides all but managed ones", () => {
    expect(resolved(["user", { compat: "safer" }]).compatOf("project", "faithful")).toBe("faithful");
    expect(resolved(["managed", { compat: "safer" }]).compatOf("project", "faithful")).toBe("safer");
  });

  test("of the managed layer overrides all others", () => {
    expect(resolved(["managed", { compat: "safer" }], ["project", { compat: "faithful" }]).compatOf("project")).toBe(
      "safer",
    );
  });

  test.each(LAYERS.filter((layer) => layer !== "project" && layer !== "local"))(
    "of a repository's file does not affect %s rules",
    (layer) => {
      const effective = resolved(["project", { compat: "faithful", claudeContract: "2.1.240" }]);
      expect([effective.compatOf(layer), effective.claudeContractOf(layer)]).toEqual(["safer", undefined]);
      expect(effective.compatOf("project")).toBe("faithful");
    },
  );

  test("of a repository does not open the gates of the user's own guards", async () => {
    const folder = folderWith({
      "settings.json": JSON.stringify(guardedBy("user")),
      "hookbox.json": JSON.stringify({ ...guardedBy("project"), compat: "faithful" }),
    });
    const { rules } = await loadConfig(
      [
        { file: "settings.json", layer: "user" },
        { file: "hookbox.json", layer: "project" },
      ],
      [],
      folder,
    );
    expect(rules.map(({ layer, compat }) => [layer, compat])).toEqual([
      ["user", "safer"],
      ["project", "faithful"],
    ]);
  });
});
