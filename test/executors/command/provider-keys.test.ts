import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createEngine, type Engine } from "../../../src/engine.ts";
import type { Layer } from "../../../src/layer-trust.ts";

/** A hook that prints the variables that it sees. */

const NAMES = ["TEAM_MODEL_KEY", "OTHER_TEAM_KEY", "ANTHROPIC_API_KEY", "BUILD_NUMBER"];

let folder: string;
let engine: Engine | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookbox-keys-"));
  for (const name of NAMES) vi.stubEnv(name, "set");
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
const written = (content: object): string => {
  files += 1;
  const file = join(folder, `${files}`, "hookbox.json");
  mkdirSync(join(folder, `${files}`));
  writeFileSync(file, JSON.stringify(content));
  return file;
};

const provider = (apiKeyEnv: string | null): object => ({
  modelProviders: { [`of-${apiKeyEnv}`]: { type: "openai", baseUrl: "http://localhost:9/v1", apiKeyEnv } },
  hooks: {},
});
const seen = NAMES.map((name) => `\${${name}:+${name}}`).join(" ");
const imported = { hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `echo ${seen}` }] }] } };

async function shownTo(hook: Layer, keys: readonly (readonly [Layer, string | null])[]): Promise<string> {
  engine = await createEngine({
    configFiles: [
      ...keys.map(([layer, name]) => ({ file: written(provider(name)), layer })),
      { file: written(imported), layer: hook, dialect: "claude-code" },
    ],
    cacheDir: false,
  });
  expect(engine.problems).toEqual([]);
  const verdict = await engine.dispatch("UserPromptSubmit", { prompt: "hello", cwd: folder, session_id: "s" });
  return verdict.additionalContext ?? "";
}

describe("an imported hook", () => {
  test("sees a variable that holds no key, and never the key of a known provider", async () => {
    expect(await shownTo("user", [])).toBe("TEAM_MODEL_KEY OTHER_TEAM_KEY BUILD_NUMBER");
  });

  test.each(["managed", "user", "command-line"] as const)(
    "does not see a key that the %s settings name, whatever its own layer is",
    async (layer) => {
      for (const hook of ["user", "project"] as const) {
        const shown = await shownTo(hook, [[layer, "TEAM_MODEL_KEY"]]);
        expect(shown).toContain("OTHER_TEAM_KEY BUILD_NUMBER");
        expect(shown).not.toContain("TEAM_MODEL_KEY");
        await engine?.close();
      }
    },
  );

  test("sees none of several keys, and a provider without a key hides nothing", async () => {
    const shown = await shownTo("user", [
      ["user", "TEAM_MODEL_KEY"],
      ["command-line", "OTHER_TEAM_KEY"],
      ["command-line", null],
    ]);
    expect(shown).toMatch(/BUILD_NUMBER$/);
    expect(shown).not.toMatch(/TEAM/);
  });
});
