import { describe, expect, test } from "vitest";
import { LAYERS, mayComeWithRepository } from "../../src/layer-trust.ts";
import { configText, FORMATS, outcomeOf, parseHandler, placeOf } from "./parse.ts";

const web = (fields: object = {}) => ({ type: "http", url: "https://example.org/hook?key", ...fields });

describe.each(FORMATS)("a web hook in a %s file", (format) => {
  test("has its URL, headers and variables as written", async () => {
    const fields = { headers: { "X-A": "$A" }, allowedEnvVars: ["A"], timeout: 3 };
    const { rule, problems } = await parseHandler(format, web(fields), "PreToolUse", { layer: "user" });
    expect(problems).toEqual([]);
    expect(rule).toMatchObject({ timeoutMs: 3_000, async: false });
    expect(rule?.handler).toEqual({
      type: "http",
      url: "https://example.org/hook?key",
      headers: { "X-A": "$A" },
      allowedEnvVars: ["A"],
      network: "loopback",
    });
  });

  test("keeps its URL, which may contain a password or a key, out of its name", async () => {
    const { rule } = await parseHandler(format, web({ url: "http://me:secret@example.org/hook/key" }));
    expect(rule?.name).toMatch(/^[a-z]+\.json PreToolUse #1$/);
  });

  test.each(LAYERS)("may reach this machine unless it may come with a repository: %s", async (layer) => {
    const { rule } = await parseHandler(format, web(), "PreToolUse", { layer });
    expect(rule?.handler).toMatchObject({ network: mayComeWithRepository(layer) ? "public" : "loopback" });
  });

  test("cannot use the user's variables if it may come with a repository", async () => {
    const text = configText.handler('{ "type": "http", "url": "https://example.org", "allowedEnvVars": ["TOKEN"] }');
    const { broken, othersLoaded, problems } = await outcomeOf(format, text);
    expect(problems).toMatchObject([
      {
        severity: "error",
        code: "HOOK_CONFIG_TRUST",
        message: "a file that may come with a repository cannot send your environment variables",
        hint: "put the hook into your own configuration: ~/.config/hookbox/hookbox.json",
        place: placeOf('["TOKEN"]', text),
      },
    ]);
    expect(broken).toMatchObject([{ code: "HOOK_CONFIG_TRUST", type: "http" }]);
    expect(othersLoaded).toBe(true);
    const empty = await parseHandler(format, web({ allowedEnvVars: [] }));
    expect(empty.rule?.handler.type).toBe("http");
  });
});

describe("allowPrivate", () => {
  test("opens private networks to a hook of the user's own", async () => {
    const { rule } = await parseHandler("hookbox", web({ allowPrivate: true }), "PreToolUse", { layer: "user" });
    expect(rule?.handler).toMatchObject({ network: "private" });
  });

  test("is refused in a file that may come with a repository", async () => {
    const { rule, problems } = await parseHandler("hookbox", web({ allowPrivate: true }));
    expect(problems).toMatchObject([
      { severity: "error", code: "HOOK_CONFIG_TRUST", hint: expect.stringContaining("your own configuration") },
    ]);
    expect(rule?.handler.type).toBe("broken");
  });

  test("is not known to Claude Code's format", async () => {
    const { rule, problems } = await parseHandler("claude-code", web({ allowPrivate: true }), "Stop", {
      layer: "user",
    });
    expect(problems).toMatchObject([{ severity: "warning", code: "HOOK_CONFIG_UNKNOWN_KEY" }]);
    expect(rule?.handler).toMatchObject({ network: "loopback" });
  });
});
