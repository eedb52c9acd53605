import { describe, expect, test } from "vitest";
import { readDocument } from "../../src/config/document.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ConfigDocument } from "../../src/dialects/dialect.ts";
import type { Layer } from "../../src/layer-trust.ts";
import { staysInProportion } from "../helpers/proportion.ts";
import { times } from "../helpers/tier.ts";
import { brokenIn, folderWith, open } from "./config-files.ts";

/** A file may have a hundred thousand mistakes. Reporting them must not take longer than an agent waits. */

const keys = (count: number): string[] => Array.from({ length: count }, (_, index) => `key${index}`);

const wrongJson = (count: number): string => JSON.stringify(Object.fromEntries(keys(count).map((key) => [key, 1])));
const wrongYaml = (count: number): string =>
  keys(count)
    .map((key) => `${key}: 1\n`)
    .join("");

/** Hooks with unknown keys: errors in hookbox's own format, warnings in Claude Code's. */
const wrongHooks = (count: number, each = 1): string => {
  const unknown = Object.fromEntries(keys(each).map((key) => [key, 1]));
  const hook = (command: string): object => ({ type: "command", command, ...unknown });
  return JSON.stringify({ hooks: { PreToolUse: [{ hooks: keys(count).map(hook) }] } });
};

const loaded = (name: string, text: string, layer: Layer = "user"): ReturnType<typeof loadConfig> =>
  loadConfig([{ file: name, layer }], [], folderWith({ [name]: text }));

test.each([
  ["JSON", "hookbox.json", wrongJson],
  ["YAML", "hookbox.yaml", wrongYaml],
])(
  "the time to find the places of all keys of an object is proportional to their number, in %s",
  async (_, name, text) => {
    const documents = new Map<number, ConfigDocument>();
    await staysInProportion(
      async (count) => {
        const document = documents.get(count) ?? (await open(text(count), name));
        documents.set(count, document);
        for (const key of keys(count)) document.locate([key], "key");
      },
      times(32_000, 16_000),
    );
  },
);

describe("the time to read a file is proportional to its length:", () => {
  const numbered = (count: number, item: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => item(index)).join("");
  test.each([
    ["keys", (count: number) => numbered(count, (index) => `k${index}: 1\n`)],
    ["keys between braces", (count: number) => `a: {${numbered(count, (index) => `k${index}: 1, `)}}\n`],
    ["items", (count: number) => numbered(count, () => "- a\n")],
    ["items between brackets", (count: number) => `[${"a,".repeat(count)}]`],
    ["comments", (count: number) => `${"# a\n".repeat(count)}a: 1\n`],
    ["empty lines", (count: number) => `a: 1\n${"\n".repeat(count)}b: 1\n`],
    ["lines of one text", (count: number) => `a:\n${" b\n".repeat(count)}`],
    ["lines of one quoted text", (count: number) => `a: "${"b\n ".repeat(count)}"\n`],
    ["lines of one block", (count: number) => `a: |\n${" b\n".repeat(count)}`],
    ["anchors", (count: number) => `[${numbered(count, (index) => `&a${index} b, `)}]`],
    ["aliases of anchors", (count: number) => `[${numbered(count / 2, (index) => `&a${index} b, *a${index}, `)}]`],
    ["tags", (count: number) => `[${"!!str a, ".repeat(count)}]`],
    ["commas", (count: number) => `[${",".repeat(count)}]`],
    ["colons", (count: number) => ":".repeat(count)],
    ["question marks", (count: number) => "? a\n".repeat(count)],
    ["documents", (count: number) => "--- a\n".repeat(count)],
    ["directives", (count: number) => `${"%A\n".repeat(count)}---\na: 1\n`],
    ["tabs", (count: number) => `a: ${"\t".repeat(count)}1\n`],
  ])("%s", async (_, text) => {
    await staysInProportion((count) => readDocument(text(count), "hookbox.yaml"), times(16_000, 8_000));
  });
});

describe("the time to load a configuration is proportional to the number of its problems:", () => {
  test.each([
    ["unknown keys in JSON", "hookbox.json", wrongJson],
    ["unknown keys in YAML", "hookbox.yaml", wrongYaml],
    ["hooks with an unknown key", "hookbox.json", wrongHooks],
    ["hooks of another agent with an unknown key", "settings.json", wrongHooks],
    ["unknown keys in one hook", "hookbox.json", (count: number) => wrongHooks(1, count)],
    [
      "hooks without a type",
      "hookbox.yaml",
      (count: number) => `hooks: {PreToolUse: [{hooks: [${"{a: 1},".repeat(count)}]}]}\n`,
    ],
  ])("%s", async (_, name, text) => {
    await staysInProportion(async (count) => {
      const { problems } = await loaded(name, text(count));
      expect(problems.length).toBeGreaterThan(100);
    }, 8_000);
  });

  test("and to the number of rules that have the same name", async () => {
    const { RuleIndex } = await import("../../src/matcher/rule-index.ts");
    const { withDistinctNames } = await import("../../src/engine/distinct-names.ts");
    const { makeRule } = await import("../helpers/rules.ts");
    await staysInProportion((count) => {
      const rules = keys(count).map((id) => makeRule({ id, identity: id, name: "the same" }));
      const names = new Set(new RuleIndex(withDistinctNames(rules)).rules.map(({ name }) => name));
      expect(names.size).toBe(count);
    }, 8_000);
  });
});

describe("of the problems of one file", () => {
  test("a hundred are reported, with the number of the others", async () => {
    const { rules, problems } = await loaded("hookbox.json", wrongJson(350));
    expect(problems).toHaveLength(101);
    expect(problems[0]).toMatchObject({ message: 'unknown key "key0"' });
    expect(problems[99]).toMatchObject({ message: 'unknown key "key99"' });
    expect(problems[100]).toEqual({
      severity: "error",
      code: "HOOK_CONFIG_LIMIT",
      message: "the file has 250 more problems; 100 are listed",
      place: { file: "hookbox.json" },
    });
    expect(brokenIn(rules)).toMatchObject([{ event: "*" }]);
  });

  test("all are reported if there are exactly a hundred", async () => {
    const { problems } = await loaded("hookbox.json", wrongJson(100));
    expect(problems).toHaveLength(100);
    expect(problems.map(({ code }) => code)).not.toContain("HOOK_CONFIG_LIMIT");
  });

  test("errors are reported before warnings", async () => {
    const hook = { type: "command", command: "a" };
    const groups = [...keys(150).map((key) => ({ hooks: [{ ...hook, [key]: 1 }] })), { hooks: [{ type: "commmand" }] }];
    const { problems } = await loaded("settings.json", JSON.stringify({ hooks: { PreToolUse: groups } }));
    expect(problems).toHaveLength(101);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([{ code: "HOOK_CONFIG_HANDLER" }]);
    expect(problems.at(-1)).toMatchObject({ severity: "warning", code: "HOOK_CONFIG_LIMIT" });
  });

  test("each still leaves a rule that fails at its event", async () => {
    const { rules } = await loaded("hookbox.json", wrongHooks(150));
    expect(brokenIn(rules)).toHaveLength(150);
  });

  test("none of another file is left out", async () => {
    const folder = folderWith({ "a.json": wrongJson(150), "b.json": wrongJson(2) });
    const files = ["a.json", "b.json"].map((file) => ({ file, layer: "user" as const }));
    const { problems } = await loadConfig(files, [], folder);
    expect(problems.filter(({ place }) => place?.file === "b.json")).toHaveLength(2);
  });
});
