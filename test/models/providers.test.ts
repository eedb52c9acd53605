import { describe, expect, test } from "vitest";
import { chooseModel, DEFAULT_MODEL, KNOWN_PROVIDERS } from "../../src/models/providers.ts";

const choose = (specification: string, settings = {}, functions: readonly string[] = []) =>
  chooseModel(specification, settings, functions, "public");

describe("a specification", () => {
  test.each(Object.keys(KNOWN_PROVIDERS))("finds %s without settings", (name) => {
    const { kind, baseUrl, keyVariable } = KNOWN_PROVIDERS[name] ?? {};
    expect(choose(`${name}/some-model`)).toMatchObject({
      choice: { model: "some-model", provider: { kind, name, keyVariable, ...(baseUrl && { baseUrl }) } },
    });
  });

  test.each([
    ["haiku", "claude-haiku-4-5"],
    ["sonnet", "claude-sonnet-5-5"],
    ["opus", "claude-opus-5-5"],
    ["claude-of-another-day", "claude-of-another-day"],
    ["constructor", "constructor"],
  ])("of one word is a model of Claude: %s", (word, model) => {
    expect(choose(word)).toMatchObject({ choice: { model, provider: { name: "anthropic", kind: "anthropic" } } });
  });

  test("keeps the slashes of a model's own name", () => {
    expect(choose("openrouter/vendor/model")).toMatchObject({ choice: { model: "vendor/model" } });
  });

  test("that is the default is found", () => {
    expect(choose(DEFAULT_MODEL)).toMatchObject({ choice: { provider: { name: "anthropic" } } });
  });

  test.each(["nobody/model", "constructor/model", "__proto__/model", "OpenAI/model", "/model"])(
    "of an unknown provider is rejected: %s",
    (specification) => {
      const chosen = choose(specification, { mine: {} }, ["own"]);
      expect(chosen).toMatchObject({ unknown: specification.split("/")[0] });
      expect(chosen).toMatchObject({ known: expect.arrayContaining(["own", "mine", "anthropic", "ollama"]) });
    },
  );

  test.each(["", "openai/", "own/"])("without a model is rejected: %j", (specification) => {
    expect(choose(specification, {}, ["own"])).toMatchObject({ unknown: specification });
  });
});

describe("settings", () => {
  test("define a provider, its protocol, address, key and network", () => {
    const mine = {
      type: "anthropic",
      baseUrl: "https://models.test/api//",
      apiKeyEnv: "MINE",
      stream: true,
      structured: false,
    };
    expect(choose("mine/m", { mine })).toEqual({
      choice: {
        model: "m",
        provider: {
          kind: "anthropic",
          name: "mine",
          baseUrl: "https://models.test/api",
          keyVariable: "MINE",
          streams: true,
          structured: false,
          network: "public",
        },
      },
    });
  });

  test("send no key that they do not name", () => {
    const mine = { type: "openai", baseUrl: "https://models.test" };
    expect(choose("mine/m", { mine })).toMatchObject({ choice: { provider: { keyVariable: null, streams: false } } });
    expect(choose("openai/m", { openai: { apiKeyEnv: null } })).toMatchObject({
      choice: { provider: { keyVariable: null } },
    });
  });

  test.each([{ type: "openai" }, { baseUrl: "https://models.test" }, {}])(
    "with missing fields define no provider: %o",
    (mine) => {
      expect(choose("mine/m", { mine })).toMatchObject({ unknown: "mine" });
    },
  );

  test("that give a known provider another protocol must give its address", () => {
    expect(choose("anthropic/m", { anthropic: { type: "openai" } })).toMatchObject({ unknown: "anthropic" });
    const anthropic = { type: "openai", baseUrl: "https://models.test/v1" };
    expect(choose("anthropic/m", { anthropic })).toMatchObject({
      choice: { provider: { kind: "openai", keyVariable: "ANTHROPIC_API_KEY" } },
    });
  });

  test("restrict addresses that they set, and not those of known providers", () => {
    expect(choose("ollama/m")).toMatchObject({ choice: { provider: { network: "private" } } });
    const ollama = { baseUrl: "http://10.0.0.1:11434/v1" };
    expect(choose("ollama/m", { ollama })).toMatchObject({ choice: { provider: { network: "public" } } });
  });

  test("may hold a model to a schema that it would not support otherwise", () => {
    expect(choose("deepseek/m")).toMatchObject({ choice: { provider: { structured: false } } });
    expect(choose("deepseek/m", { deepseek: { structured: true } })).toMatchObject({
      choice: { provider: { structured: true } },
    });
    const deepseek = { baseUrl: "https://models.test/v1" };
    expect(choose("deepseek/m", { deepseek })).toMatchObject({ choice: { provider: { structured: true } } });
  });
});

test("a function overrides every other model of its name", () => {
  expect(choose("openai/m", { openai: { type: "openai" } }, ["openai"])).toEqual({
    choice: { model: "m", provider: { kind: "function", name: "openai" } },
  });
});
