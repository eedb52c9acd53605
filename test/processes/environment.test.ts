import { describe, expect, test } from "vitest";
import { childEnvironment, type EnvironmentSources } from "../../src/processes/environment.ts";

function environment(sources: Partial<EnvironmentSources>) {
  return childEnvironment({ inherit: "listed", parent: {}, dialect: {}, handler: {}, platform: "linux", ...sources });
}

const PARENT = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/ada",
  LC_ALL: "C.UTF-8",
  LC_: "odd but listed",
  LCX: "not listed",
  NODE_ENV: "test",
  NODE_OPTIONS: "--require ./evil.js",
  LD_PRELOAD: "/tmp/evil.so",
  BASH_ENV: "/tmp/evil.sh",
  GITHUB_TOKEN: "secret",
  ANTHROPIC_API_KEY: "secret",
  PROJECT_NAME: "kept",
  UNSET: undefined,
};

describe("a rule of hookbox's own format", () => {
  test("inherits what is on the list and nothing else", () => {
    expect(environment({ parent: PARENT }).variables).toEqual({
      PATH: "/usr/bin:/bin",
      HOME: "/home/ada",
      LC_ALL: "C.UTF-8",
      LC_: "odd but listed",
    });
  });

  test.each(["HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_CTYPE", "TZ", "TMPDIR", "TERM"])("sees %s", (name) => {
    expect(environment({ parent: { [name]: "value" } }).variables).toHaveProperty(name, "value");
  });

  test("gets what its own configuration names, keys included", () => {
    const { variables } = environment({ parent: PARENT, handler: { GITHUB_TOKEN: "on purpose" } });
    expect(variables).toHaveProperty("GITHUB_TOKEN", "on purpose");
  });
});

describe("a rule of another dialect", () => {
  test("inherits everything except the model provider's keys", () => {
    const { variables } = environment({ inherit: "most", parent: PARENT });
    expect(variables).toMatchObject({ GITHUB_TOKEN: "secret", PROJECT_NAME: "kept", NODE_ENV: "test" });
    expect(variables).not.toHaveProperty("ANTHROPIC_API_KEY");
    expect(variables).not.toHaveProperty("UNSET");
  });

  test.each([
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "AZURE_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "DEEPSEEK_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "LLM_API_KEY",
    "LLM_EXTRA_BODY",
    "MISTRAL_API_KEY",
    "MOONSHOT_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "XAI_API_KEY",
  ])("does not see %s", (name) => {
    expect(environment({ inherit: "most", parent: { [name]: "secret" } }).variables).not.toHaveProperty(name);
  });

  test("keeps names that only resemble a withheld one", () => {
    const parent = { OPENAI_API_KEY_FILE: "/run/key", MY_OPENAI_API_KEY: "x", HOTEL_ROOM: "12" };
    expect(environment({ inherit: "most", parent }).variables).toMatchObject(parent);
  });
});

test.each([
  ["acme", "ACME_API_KEY"],
  ["Acme-AI.eu", "ACME_AI_EU_API_KEY"],
])("the key of the configured provider (%s) is withheld though it is on no list", (provider, name) => {
  const parent = { LLM_PROVIDER: provider, [name]: "secret", OTHER_API_KEY: "kept" };
  const { variables } = environment({ inherit: "most", parent });
  expect(variables).toMatchObject({ LLM_PROVIDER: provider, OTHER_API_KEY: "kept" });
  expect(variables).not.toHaveProperty(name);
  expect(environment({ inherit: "most", parent: { ...parent, LLM_PROVIDER: "" } }).variables).toHaveProperty(name);
});

describe("the sources of variables", () => {
  test("let the dialect remove inherited ones, and the rule restore them", () => {
    const parts = {
      inherit: "most",
      parent: { A: "parent", B: "parent" },
      dialect: { A: undefined, B: undefined },
    } as const;
    const { variables } = environment({ ...parts, handler: { B: "handler" } });
    expect(variables).toEqual({ PATH: expect.any(String), B: "handler" });
  });

  test("override each other: parent, then dialect, then the rule itself", () => {
    const { variables } = environment({
      parent: { HOME: "parent", LANG: "parent", TZ: "parent" },
      dialect: { LANG: "dialect", TZ: "dialect" },
      handler: { TZ: "handler" },
    });
    expect(variables).toMatchObject({ HOME: "parent", LANG: "dialect", TZ: "handler" });
  });

  test("cannot add a relative entry to PATH", () => {
    const parts = [{ parent: { PATH: "/a::." } }, { dialect: { PATH: ":/a:" } }, { handler: { PATH: "./bin:/a" } }];
    for (const part of parts) expect(environment(part)).toMatchObject({ variables: { PATH: "/a" }, searchPath: "/a" });
  });

  test("leave a PATH of system folders if no entry can be used, because an empty one means the working directory", () => {
    for (const PATH of [undefined, "", ":", ".:bin"]) {
      expect(environment({ parent: { PATH } }).variables).toEqual({ PATH: "/usr/local/bin:/usr/bin:/bin" });
    }
  });

  test("are data: a variable called __proto__ is an ordinary one", () => {
    const handler = JSON.parse('{"__proto__": "value"}') as Record<string, string>;
    expect(Object.entries(environment({ handler }).variables)).toContainEqual(["__proto__", "value"]);
  });
});

describe("on Windows", () => {
  const NO_CWD = { NoDefaultCurrentDirectoryInExePath: "1" };

  test("names are compared ignoring case", () => {
    const parent = {
      Path: "C:\\Windows;.;tools",
      SystemRoot: "C:\\Windows",
      userprofile: "C:\\Users\\ada",
      Secret: "x",
    };
    expect(environment({ platform: "win32", parent })).toEqual({
      variables: { ...NO_CWD, Path: "C:\\Windows", SystemRoot: "C:\\Windows", userprofile: "C:\\Users\\ada" },
      searchPath: "C:\\Windows",
    });
  });

  test("a withheld key in another spelling is withheld", () => {
    const parent = { Path: "C:\\Windows", openai_api_key: "secret", Otel_Exporter: "x" };
    const { variables } = environment({ platform: "win32", inherit: "most", parent });
    expect(variables).toEqual({ ...NO_CWD, Path: "C:\\Windows" });
  });

  test("a later source replaces a variable in another spelling", () => {
    const { variables } = environment({
      platform: "win32",
      parent: { Path: "C:\\Windows", Temp: "C:\\Temp" },
      handler: { PATH: "D:\\tools", TEMP: "D:\\temp" },
    });
    expect(variables).toEqual({ ...NO_CWD, PATH: "D:\\tools", TEMP: "D:\\temp" });
  });

  test("elsewhere two spellings are two variables", () => {
    const { variables } = environment({ inherit: "most", parent: { Path: "a", PATH: "/bin" } });
    expect(variables).toEqual({ Path: "a", PATH: "/bin" });
  });
});
