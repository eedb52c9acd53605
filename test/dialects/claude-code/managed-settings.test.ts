import { afterEach, describe, expect, test, vi } from "vitest";
import { parseSources } from "../../../src/config/parse.ts";
import { openSources } from "../../../src/config/sources.ts";
import type { Layer } from "../../../src/layer-trust.ts";
import { folderWith } from "../../config/config-files.ts";

/** Which hooks of others remain with an administrator's settings. */

const LAYERS: readonly Layer[] = ["managed", "user", "project", "local", "command-line"];
const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };

async function layersLeft(
  policy: object,
  policyLayer: Layer = "managed",
  reported: readonly object[] = [],
): Promise<Layer[]> {
  const folder = folderWith(Object.fromEntries(LAYERS.map((layer) => [`${layer}.json`, JSON.stringify({ hooks })])));
  const own = folderWith({ "managed-settings.json": JSON.stringify(policy) });
  const files = LAYERS.map((layer) => ({ file: `${folder}/${layer}.json`, layer, dialect: "claude-code" }));
  const sources = await openSources(
    [{ file: `${own}/managed-settings.json`, layer: policyLayer }, ...files],
    [],
    folder,
  );
  const { rules, problems } = await parseSources(sources);
  expect(problems).toMatchObject(reported);
  return rules.map(({ layer }) => layer);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("strictPluginOnlyCustomization", () => {
  test.each([[true], [["hooks"]], [["skills", "hooks"]]])(
    "as %j in managed settings leaves none of the user's and of projects'",
    async (strictPluginOnlyCustomization) => {
      expect(await layersLeft({ strictPluginOnlyCustomization })).toEqual(["managed", "command-line"]);
    },
  );

  test.each([[false], [[]], [["skills"]]])("as %j leaves all hooks", async (strictPluginOnlyCustomization) => {
    expect(await layersLeft({ strictPluginOnlyCustomization })).toEqual(LAYERS);
  });

  test("has no effect outside of managed settings, and is reported", async () => {
    const reported = [{ code: "HOOK_CONFIG_SCOPE", severity: "warning", place: { line: 1 } }];
    expect(await layersLeft({ strictPluginOnlyCustomization: ["hooks"] }, "project", reported)).toEqual(LAYERS);
  });

  test("with another value shuts every gate", async () => {
    const folder = folderWith({ "managed-settings.json": '{\n  "strictPluginOnlyCustomization": "hooks"\n}' });
    const sources = await openSources([{ file: "managed-settings.json", layer: "managed" }], [], folder);
    const { rules, problems } = await parseSources(sources);
    expect(problems).toMatchObject([{ code: "HOOK_CONFIG_TYPE", place: { line: 2 } }]);
    expect(rules).toMatchObject([{ event: "*", handler: { type: "broken" } }]);
  });
});

test.each([
  ["4000", 4_000],
  ["", 1_500],
  ["soon", 1_500],
  ["-1", 1_500],
])("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS=%s gives hooks at a session's end %i ms", async (value, timeoutMs) => {
  vi.stubEnv("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", value);
  const config = { hooks: { SessionEnd: [{ hooks: [{ type: "command", command: "true" }] }] } };
  const folder = folderWith({ "settings.json": JSON.stringify(config) });
  const { rules } = await parseSources(await openSources([{ file: "settings.json" }], [], folder));
  expect(rules).toMatchObject([{ timeoutMs }]);
});
