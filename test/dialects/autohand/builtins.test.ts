import { describe, expect, test } from "vitest";
import { BUILTIN_DEFAULTS } from "../../../src/config/layered-settings.ts";
import { autohandFormat } from "../../../src/dialects/autohand/config-format.ts";
import { autohandEditing } from "../../../src/dialects/autohand/editing.ts";
import { missingHooks, ownCommandFor, SHIPPED_HOOKS } from "../../../src/dialects/autohand/shipped-hooks.ts";
import { BUILTINS, misplacedBuiltin } from "../../../src/events/builtins.ts";
import { withDefaultHooks } from "../../../src/hosts/autohand/index.ts";
import type { JsonObject } from "../../../src/json.ts";
import { brokenIn, open } from "../../config/config-files.ts";
import { list, parse } from "./parse.ts";

const hook = (command: string, more: object = {}) => ({ event: "stop", command, ...more });

describe("builtin:NAME in place of a command", () => {
  test("is a built-in hook, with all fields of hooks", async () => {
    const said = {
      event: "file-modified",
      description: "Tidy",
      timeout: 9_000,
      async: true,
      filter: { path: ["*.ts"] },
    };
    const { rules, problems } = await parse(list(hook(" builtin:auto-format ", said)));
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      { event: "FileChanged", name: "Tidy", timeoutMs: 9_000, async: true, filter: { paths: ["*.ts"] } },
    ]);
    expect(rules[0]?.handler).toEqual({ type: "builtin", name: "auto-format", args: [], network: "loopback" });
  });

  test("is named after its function, and takes arguments after the name", async () => {
    const { rules, problems } = await parse(list(hook("builtin:log-stop  turns.log")));
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([{ name: "log-stop", handler: { name: "log-stop", args: ["turns.log"] } }]);
  });

  test("sends nothing to the user's own network from a file that may come with a repository", async () => {
    const document = await open(JSON.stringify(list(hook("builtin:slack-notify"))), "config.json");
    const context = { layer: "project", baseDir: "/base", defaults: BUILTIN_DEFAULTS } as const;
    const { rules } = autohandFormat.parseRules(document, context);
    expect(rules).toMatchObject([{ handler: { network: "public" } }]);
  });

  test.each<readonly [command: string, code: string, message: RegExp, hint: RegExp]>([
    ["builtin:sound-alarm", "HOOK_BUILTIN", /no built-in hook "sound-alarm"/, /"sound-alert"/],
    ["builtin:", "HOOK_BUILTIN", /no built-in hook ""/, /built-in hooks: /],
    ["builtin:shell-guard", "HOOK_BUILTIN", /is a guard/, /"module"/],
    ["builtin:log-stop; rm x", "HOOK_BUILTIN", /no built-in hook "log-stop;"/, /log-stop/],
    ['builtin:log-stop "a"', "HOOK_BUILTIN", /"\\?"a\\?"" cannot be an argument/, /no shell/],
    ["builtin:log-stop $HOME/x", "HOOK_BUILTIN", /cannot be an argument/, /no shell/],
    ["builtin:http_post", "HOOK_BUILTIN", /takes 2 args, not 0/, /builtin:http_post ARGUMENT/],
  ])("with an unknown name leaves its gate shut, and is reported: %s", async (command, code, message, hint) => {
    const { rules, problems } = await parse(
      `{ "hooks": { "hooks": [\n${JSON.stringify({ event: "pre-tool", command, matcher: "^run" })} ] } }`,
    );
    expect(brokenIn(rules)).toEqual([{ event: "PreToolUse", matcher: "^run", code, type: "builtin" }]);
    const place = { line: 2, pointer: "/hooks/hooks/0/command" };
    expect(problems).toMatchObject([{ severity: "error", code, place }]);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.hint).toMatch(hint);
  });

  test.each([
    ["builtin:sound-alert", "pre-tool", "does nothing at PreToolUse"],
    ["builtin:sound-alert x", "stop", "takes 0 args, not 1"],
  ])("that has no effect at its event is reported: %s at %s", async (command, event, message) => {
    const { rules, problems } = await parse(list(hook(command, { event })));
    expect(rules).toMatchObject([{ handler: { type: "builtin" } }]);
    expect(problems).toMatchObject([
      { severity: "warning", code: "HOOK_CONFIG_INERT", message: expect.stringContaining(message) },
    ]);
  });

  test.each([
    ["builtin:security-guard", "stop"],
    ["builtin:redact_secrets", "session-start"],
  ])("that judges is no rule where its agent's hook does nothing: %s at %s", async (command, event) => {
    const { rules, problems } = await parse(list(hook(command, { event })));
    expect(rules).toEqual([]);
    expect(problems).toMatchObject([
      { code: "HOOK_CONFIG_INERT", message: expect.stringContaining("does nothing at") },
    ]);
  });

  test("that is switched off is not reported, whatever its name is", async () => {
    expect(await parse(list(hook("builtin:security-guard", { enabled: false })))).toEqual({ rules: [], problems: [] });
  });
});

describe("the hooks that come with Autohand", () => {
  test("are ten, all off, and each is a built-in function or a guard, at events where it works", async () => {
    expect(SHIPPED_HOOKS).toHaveLength(10);
    expect(await parse(list(...SHIPPED_HOOKS))).toEqual({ rules: [], problems: [] });
    const { rules, problems } = await parse(list(...SHIPPED_HOOKS.map((one) => ({ ...one, enabled: true }))));
    expect([brokenIn(rules), problems]).toEqual([[], []]);
    const guards = rules.flatMap(({ handler }) => (handler.type === "wasm" ? [handler.module] : []));
    expect(guards).toEqual(["builtin:shell-guard", "builtin:path-guard"]);
    for (const { event, handler, name } of rules) {
      expect(name).not.toMatch(/^builtin:/);
      if (handler.type !== "builtin") continue;
      expect(Object.keys(BUILTINS)).toContain(handler.name);
      expect(misplacedBuiltin(handler.name, event, "autohand", [])).toBeUndefined();
    }
  });

  test("are added if they are missing, and existing ones stay as they are, on or off", () => {
    const own = [
      hook("~/.autohand/hooks/sound-alert.sh", { enabled: true }),
      hook("powershell -File C:\\Users\\me\\.autohand\\hooks\\slack-notify.ps1"),
      hook("builtin:smart-commit", { event: "session-end" }),
      hook("echo done", { description: "Log when the agent stops" }),
      hook("./mine.sh"),
    ];
    const config = withDefaultHooks({ theme: "dark", hooks: { enabled: false, hooks: own } });
    const { hooks, enabled } = config["hooks"] as { hooks: JsonObject[]; enabled: boolean };
    expect([config["theme"], enabled, hooks.slice(0, own.length)]).toEqual(["dark", false, own]);
    expect(hooks.slice(own.length).map(({ command }) => command)).toEqual([
      "builtin:log-session-start",
      "builtin:log-session-end",
      "builtin:log-file-modified",
      "builtin:auto-format",
      "builtin:git-auto-stage",
      "builtin:security-guard",
    ]);
    expect(withDefaultHooks(config)).toEqual(config);
    expect(withDefaultHooks()).toEqual({ hooks: { hooks: SHIPPED_HOOKS } });
  });

  test("are copies, so that no caller can change them for others", () => {
    const { hooks } = withDefaultHooks()["hooks"] as unknown as { hooks: { filter?: { path: string[] } }[] };
    hooks[3]?.filter?.path.push("x");
    expect(withDefaultHooks()).toEqual({ hooks: { hooks: SHIPPED_HOOKS } });
  });

  test.each([[{ hooks: [] }], [{ hooks: "x" }], [{ hooks: { hooks: {} } }]])(
    "are not added to something other than a list of hooks: %j",
    (config) => expect(() => withDefaultHooks(config)).toThrow(expect.objectContaining({ code: "HOOK_API_MISUSE" })),
  );

  test("are added at the end of a file's list, one after another", () => {
    const value = list(hook("builtin:log-stop"));
    const placed = autohandEditing.shipped?.(value) ?? [];
    expect(placed.map(({ path }) => path.at(-1))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(placed.map(({ value }) => value)).toEqual(missingHooks(value.hooks.hooks));
    expect(autohandEditing.shipped?.({})).toHaveLength(10);
  });
});

test.each([
  ["~/.autohand/hooks/sound-alert.sh", "builtin:sound-alert"],
  ["/home/me/.autohand/hooks/auto-format.sh --all", "builtin:auto-format"],
  ['powershell -File "$HOME\\.autohand\\hooks\\git-auto-stage.ps1"', "builtin:git-auto-stage"],
  ["~/.autohand/hooks/security-guard.sh", "builtin:security-guard"],
  ["~/.autohand/hooks/mine.sh", undefined],
  ["./sound-alert.sh", undefined],
  ["~/.autohand/hooks/sound-alert.sh.bak", undefined],
])("for the command %j hookbox suggests its own replacement: %s", (command, own) => {
  expect(ownCommandFor(command)).toBe(own);
});
