import { describe, expect, test } from "vitest";
import { type LayeredSettings, resolveSettings } from "../../src/config/layered-settings.ts";
import { LAYERS, type Layer } from "../../src/layer-trust.ts";

const naming = (layer: Layer, ...names: readonly (string | null)[]): LayeredSettings => ({
  layer,
  settings: { modelProviders: Object.fromEntries(names.map((apiKeyEnv, n) => [`${layer}-${n}`, { apiKeyEnv }])) },
});

describe("names of variables that contain keys", () => {
  test("count for all rules that are at most as trusted, once each", () => {
    const settings = resolveSettings([
      naming("managed", "A", "B"),
      naming("user", "B", null),
      naming("command-line", "C"),
    ]);
    for (const layer of LAYERS.filter((one) => one !== "managed"))
      expect(settings.keyVariablesFor(layer)).toEqual(["A", "B", "C"]);
    expect(settings.keyVariablesFor("managed")).toEqual(["A", "B"]);
  });

  test("from a repository hide nothing from the user's own hooks", () => {
    const settings = resolveSettings([naming("user", "A"), naming("project", "NEEDED")]);
    expect(settings.keyVariablesFor("project")).toEqual(["A", "NEEDED"]);
    for (const layer of ["user", "session", "command-line"] as const) {
      expect(settings.keyVariablesFor(layer)).toEqual(["A"]);
    }
    expect(settings.keyVariablesFor("managed")).toEqual([]);
  });

  test("are none if no file gives any", () => {
    expect(resolveSettings([{ layer: "user", settings: {} }]).keyVariablesFor("user")).toEqual([]);
  });
});
