import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../src/config/layers.ts";
import { LAYERS } from "../../src/rule.ts";

describe("defaults of a file that may come with a repository", () => {
  const effective = resolveSettings([
    { layer: "user", settings: { defaults: { wasmTimeoutMs: 700 } } },
    { layer: "project", settings: { defaults: { commandTimeoutMs: 1, wasmTimeoutMs: 1, eventBudgetMs: 1 } } },
  ]);

  test.each(LAYERS)("leave managed rules and the user's own their time: %s", (layer) => {
    const isAbove = layer === "managed" || layer === "user";
    expect(effective.defaultsOf(layer)).toMatchObject({
      commandTimeoutMs: isAbove ? 30_000 : 1,
      wasmTimeoutMs: isAbove ? 700 : 1,
    });
  });

  test("do not bound whole events, in which rules of others run", () => {
    expect(effective.eventBudgetMs).toBeUndefined();
  });
});
