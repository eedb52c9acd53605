import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEngine } from "../../../src/engine.ts";
import type { Layer } from "../../../src/layer-trust.ts";
import { folderWith } from "../../config/config-files.ts";

/** Claude Code has changed how it reads hooks; `claudeContract` names the version that hooks were written for. */

const hooksThatPrint = (text: string): string =>
  JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `printf '%s' '${text}'` }] }] } });

async function verdictOf(printed: string, own: object, ownLayer: Layer = "user") {
  const folder = folderWith({ "settings.json": hooksThatPrint(printed), "hookbox.json": JSON.stringify(own) });
  const engine = await createEngine({
    configFiles: [
      { file: join(folder, "settings.json"), layer: "user" },
      { file: join(folder, "hookbox.json"), layer: ownLayer },
    ],
    cwd: folder,
    cacheDir: false,
  });
  try {
    const reported = ownLayer === "project" ? ["HOOK_CONFIG_SCOPE"] : [];
    expect(engine.problems.map(({ code }) => code)).toEqual(reported);
    return await engine.dispatch("UserPromptSubmit", { prompt: "hello", cwd: folder });
  } finally {
    await engine.close();
  }
}

describe("malformed JSON", () => {
  test("is a failure, and at a gate a refusal", async () => {
    for (const own of [{}, { claudeContract: "2.1.295" }])
      expect(await verdictOf("{note: x}", own)).toMatchObject({ decision: "block", additionalContext: null });
  });

  test("is text by the contract of 2.1.240", async () => {
    const verdict = await verdictOf("{note: x}", { claudeContract: "2.1.240" });
    expect(verdict).toMatchObject({ decision: "none", additionalContext: expect.stringContaining("{note: x}") });
  });

  test("is no text for the user's hooks if only a project's file says so", async () => {
    expect(await verdictOf("{note: x}", { claudeContract: "2.1.240" }, "project")).toMatchObject({ decision: "block" });
  });
});

test("well-formed JSON means the same by both contracts", async () => {
  for (const claudeContract of ["2.1.240", "2.1.295"]) {
    const verdict = await verdictOf('{"decision":"block","reason":"no"}', { claudeContract });
    expect(verdict).toMatchObject({ decision: "block", reason: expect.stringContaining("no") });
  }
});

test("an unknown version shuts every gate", async () => {
  const folder = folderWith({ "hookbox.json": '{\n  "claudeContract": "1.0"\n}' });
  const engine = await createEngine({ configFiles: [{ file: join(folder, "hookbox.json") }], cwd: folder });
  try {
    expect(engine.problems).toMatchObject([{ severity: "error", place: { line: 2 } }]);
    expect((await engine.dispatch("UserPromptSubmit", { prompt: "hello" })).decision).toBe("block");
  } finally {
    await engine.close();
  }
});
