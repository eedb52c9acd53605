import { describe, expect, test } from "vitest";
import { BUILTIN_DEFAULTS, resolveSettings } from "../../src/config/layered-settings.ts";
import { LAYERS } from "../../src/layer-trust.ts";

describe("defaults of a file that may come with a repository", () => {
  const effective = resolveSettings([
    { layer: "user", settings: { defaults: { wasmTimeoutMs: 700 } } },
    { layer: "project", settings: { defaults: { commandTimeoutMs: 1, wasmTimeoutMs: 1, eventPatienceMs: 1 } } },
  ]);

  test.each(LAYERS)("do not change the timeouts of other rules: %s", (layer) => {
    const isOwn = layer === "project" || layer === "local";
    expect(effective.defaultsOf(layer)).toMatchObject({
      commandTimeoutMs: isOwn ? 1 : 30_000,
      wasmTimeoutMs: isOwn ? 1 : layer === "managed" ? BUILTIN_DEFAULTS.wasmTimeoutMs : 700,
    });
  });

  test("do not bound whole events, in which rules of others run", () => {
    expect(effective.eventPatienceMs).toBeUndefined();
  });
});
