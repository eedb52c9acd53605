import { afterEach, describe, expect, test, vi } from "vitest";
import type { Codec } from "../../src/codec.ts";
import { claudeCodeCodec } from "../../src/dialects/claude-code/codec.ts";
import { hookboxCodec } from "../../src/dialects/hookbox/codec.ts";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import { planSpawn } from "../../src/executors/command/spawn-form.ts";
import { commandRule, type RuleParts } from "../executors/command/command-rule.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const BOTH: readonly (readonly [string, Codec])[] = [
  ["hookbox", hookboxCodec],
  ["claude-code", claudeCodeCodec],
];
const PLUGIN: RuleParts = { place: { file: "/plugins/fmt/hooks/hooks.json" }, baseDir: "/plugins/fmt/hooks" };

/** Returns what is started for a rule; its environment is that of this process, as after `vi.stubEnv`. */
function plan(codec: Codec, parts: RuleParts = {}, payload = {}, name = "PreToolUse", handler = {}) {
  const rule = commandRule({ command: "true", ...handler }, { baseDir: "/", ...parts, codec });
  if (rule.handler.type !== "command") throw new Error("not a command rule");
  const event = { name, dialect: "claude-code", payload: { hook_event_name: name, ...payload } };
  return planSpawn(rule, rule.handler, event, process.env, "linux");
}

function variables(...args: Parameters<typeof plan>): Readonly<Record<string, string>> {
  const planned = plan(...args);
  if (!planned.ok) throw new Error(planned.failure.message);
  return planned.form.env;
}

describe.each(BOTH)("a hook of a %s file", (name, codec) => {
  test("gets the effort: the event's, or that of the session", () => {
    vi.stubEnv("CLAUDE_EFFORT", "low");
    expect(variables(codec, {}, { effort: { level: "high" } })).toHaveProperty("CLAUDE_EFFORT", "high");
    for (const effort of [undefined, "high", {}, { level: 7 }, { level: "" }])
      expect(variables(codec, {}, { effort })).toHaveProperty("CLAUDE_EFFORT", "low");
    vi.stubEnv("CLAUDE_EFFORT", undefined);
    expect(variables(codec)).not.toHaveProperty("CLAUDE_EFFORT");
  });

  test("gets a variable that says that the session is remote, if it is", () => {
    vi.stubEnv("CLAUDE_CODE_REMOTE", "true");
    expect(variables(codec)).toHaveProperty("CLAUDE_CODE_REMOTE", "true");
    vi.stubEnv("CLAUDE_CODE_REMOTE", undefined);
    expect(variables(codec)).not.toHaveProperty("CLAUDE_CODE_REMOTE");
  });

  test("may add to the session's environment at four events, and gets no file for this at others", () => {
    vi.stubEnv("CLAUDE_ENV_FILE", "/tmp/env");
    const given = EVENT_NAMES.filter((event) => "CLAUDE_ENV_FILE" in variables(codec, {}, {}, event));
    expect([...given].sort()).toEqual(["CwdChanged", "FileChanged", "SessionStart", "Setup"]);
    vi.stubEnv("CLAUDE_ENV_FILE", undefined);
    expect(variables(codec, {}, {}, "SessionStart")).not.toHaveProperty("CLAUDE_ENV_FILE");
  });

  test("gets nothing about a plugin that it does not belong to", () => {
    vi.stubEnv("CLAUDE_PLUGIN_ROOT", "/plugins/other");
    vi.stubEnv("CLAUDE_PLUGIN_DATA", "/data/other");
    vi.stubEnv("CLAUDE_PLUGIN_OPTION_TOKEN", "secret");
    for (const parts of [{}, PLUGIN]) {
      const { CLAUDE_PLUGIN_ROOT, ...rest } = variables(codec, parts);
      const isPlugins = name === "claude-code" && parts === PLUGIN;
      expect(CLAUDE_PLUGIN_ROOT).toBe(isPlugins ? "/plugins/fmt" : undefined);
      expect(Object.keys(rest).filter((key) => key.startsWith("CLAUDE_PLUGIN"))).toEqual([]);
    }
  });
});

describe("a plugin's hook", () => {
  const own = () => {
    vi.stubEnv("CLAUDE_PLUGIN_ROOT", "/plugins/fmt");
    vi.stubEnv("CLAUDE_PLUGIN_DATA", "/data/fmt");
    vi.stubEnv("CLAUDE_PLUGIN_OPTION_TOKEN", "$(id) ${user_config.TOKEN}");
  };
  const exec = (...args: string[]) => plan(claudeCodeCodec, PLUGIN, {}, "PreToolUse", { args });

  test("gets the plugin's folders and its user's settings", () => {
    own();
    expect(variables(claudeCodeCodec, PLUGIN)).toMatchObject({
      CLAUDE_PLUGIN_ROOT: "/plugins/fmt",
      CLAUDE_PLUGIN_DATA: "/data/fmt",
      CLAUDE_PLUGIN_OPTION_TOKEN: "$(id) ${user_config.TOKEN}",
    });
  });

  test.each([
    [{ file: "/plugins/fmt/hooks/settings.json" }, "/plugins/fmt/hooks"],
    [{ file: "/plugins/fmt/hooks.json" }, "/plugins/fmt"],
  ])("is in hooks/hooks.json, not in %j", (place, baseDir) => {
    expect(variables(claudeCodeCodec, { place, baseDir })).not.toHaveProperty("CLAUDE_PLUGIN_ROOT");
  });

  test("has placeholders replaced by plain text, once", () => {
    own();
    expect(exec("${CLAUDE_PLUGIN_ROOT}/x", "${user_config.TOKEN}", "${user_config.token}")).toMatchObject({
      form: { args: ["/plugins/fmt/x", "$(id) ${user_config.TOKEN}", "$(id) ${user_config.TOKEN}"] },
    });
  });

  test("is not started if a setting has no value", () => {
    own();
    expect(exec("${user_config.OTHER}")).toMatchObject({
      failure: { kind: "spawn", message: expect.stringContaining("${user_config.OTHER} has no value") },
    });
  });
});

test.each(BOTH)(
  "a shell hook of a %s file with a user's setting in its text is refused, because it would run as code",
  (_, codec) => {
    vi.stubEnv("CLAUDE_PLUGIN_ROOT", "/plugins/fmt");
    vi.stubEnv("CLAUDE_PLUGIN_OPTION_TOKEN", "x");
    for (const shell of [undefined, "bash", "powershell"]) {
      const handler = { command: 'curl -H "${user_config.TOKEN}"', ...(shell === undefined ? {} : { shell }) };
      expect(plan(codec, PLUGIN, {}, "PreToolUse", handler)).toMatchObject({
        failure: { kind: "spawn", message: expect.stringMatching(/\$\{user_config\.TOKEN\} would become shell code/) },
      });
    }
  },
);
