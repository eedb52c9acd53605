import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import type { Layer } from "../../src/layer-trust.ts";
import { folderWith } from "./config-files.ts";

type Entry = readonly [layer: Layer, format: "hookbox" | "claude-code", settings: object];

/** Returns the web hook of each layer, with files that contain only settings next to them. */
async function listsOf(...entries: readonly Entry[]) {
  const hook = { type: "http", url: "https://h.test/", allowedEnvVars: ["A", "B", "C"] };
  const hooks = { PreToolUse: [{ hooks: [hook] }] };
  const files = entries.map(([layer, dialect, settings], index) => ({
    file: `${index}.json`,
    layer,
    dialect,
    settings,
  }));
  const rules = (["managed", "user"] as const).map((layer) => ({ file: `${layer}.json`, layer, dialect: "hookbox" }));
  const folder = folderWith({
    ...Object.fromEntries(files.map(({ file, settings }) => [file, JSON.stringify(settings)])),
    ...Object.fromEntries(rules.map(({ file }) => [file, JSON.stringify({ hooks })])),
  });
  const loaded = await loadConfig(
    [...files, ...rules].map(({ file, layer, dialect }) => ({ file, layer, dialect })),
    [],
    folder,
  );
  const of = (layer: Layer) => {
    const handler = loaded.rules.find((rule) => rule.layer === layer)?.handler;
    return handler?.type === "http" ? { urls: handler.allowedUrls, variables: handler.allowedEnvVars } : handler;
  };
  return { managed: of("managed"), user: of("user"), problems: loaded.problems };
}

const urls = (...allowedHttpHookUrls: string[]): object => ({ allowedHttpHookUrls });
const variables = (...httpHookAllowedEnvVars: string[]): object => ({ httpHookAllowedEnvVars });
const ALL = ["A", "B", "C"];

describe("lists that restrict web hooks", () => {
  test("restrict nothing if there are none", async () => {
    const { managed, user, problems } = await listsOf();
    expect({ managed, user }).toEqual({
      managed: { urls: undefined, variables: ALL },
      user: { urls: undefined, variables: ALL },
    });
    expect(problems).toEqual([]);
  });

  test("are combined over equally trusted files and over formats", async () => {
    const { user } = await listsOf(
      ["user", "hookbox", { ...urls("https://a/*"), ...variables("A") }],
      ["user", "claude-code", { ...urls("https://b/*", "https://a/*"), ...variables("C", "X") }],
      ["command-line", "hookbox", urls()],
    );
    expect(user).toEqual({ urls: [["https://a/*", "https://b/*"]], variables: ["A", "C"] });
  });

  test.each(["project", "local"] as const)(
    "of %s files do not restrict the user's hooks, which is reported",
    async (layer) => {
      const { user, problems } = await listsOf([layer, "claude-code", { ...urls(), ...variables() }]);
      expect(user).toEqual({ urls: undefined, variables: ALL });
      expect(problems.map(({ code, severity, place }) => [code, severity, place?.pointer])).toEqual([
        ["HOOK_CONFIG_SCOPE", "warning", "/allowedHttpHookUrls"],
        ["HOOK_CONFIG_SCOPE", "warning", "/httpHookAllowedEnvVars"],
      ]);
    },
  );

  test("allow nothing if settings for the hook cannot be read, because they may have been lists", async () => {
    const { user } = await listsOf(
      ["local", "hookbox", {}],
      ["managed", "hookbox", { ...urls("https://h.test/*"), compat: 1 }],
    );
    expect(user).toEqual({ urls: [[]], variables: [] });
    const project = await listsOf(["project", "hookbox", { compat: 1 }]);
    expect(project.user).toEqual({ urls: undefined, variables: ALL });
  });

  test("allow nothing if they are empty", async () => {
    const { user, managed } = await listsOf(["user", "claude-code", { ...urls(), ...variables() }]);
    expect(user).toEqual({ urls: [[]], variables: [] });
    expect(managed).toEqual({ urls: undefined, variables: ALL });
  });

  test("of the user narrow managed lists, and do not restrict managed hooks", async () => {
    const entries: readonly Entry[] = [
      ["user", "hookbox", { ...urls("https://a/*"), ...variables("A") }],
      ["managed", "claude-code", urls("https://m/*")],
    ];
    const { user, managed } = await listsOf(...entries);
    expect(managed).toEqual({ urls: [["https://m/*"]], variables: ALL });
    expect(user).toEqual({ urls: [["https://m/*"], ["https://a/*"]], variables: ["A"] });
  });

  test.each(["hookbox", "claude-code"] as const)("must be lists of text: %s", async (format) => {
    const { problems } = await listsOf(["user", format, { allowedHttpHookUrls: "https://a/*" }]);
    expect(problems).toMatchObject([{ severity: "error", code: "HOOK_CONFIG_TYPE" }]);
  });
});
