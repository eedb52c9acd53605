import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { claudeCode } from "../../../src/dialects/claude-code/dialect.ts";
import { claudeCodePlaces } from "../../../src/dialects/claude-code/places.ts";
import { folderWith } from "../../config/config-files.ts";

describe("Claude Code's settings", () => {
  test("are in the managed file and its parts, the user's, the project's and the local file", async () => {
    const managed = folderWith();
    const parts = join(managed, "managed-settings.d");
    mkdirSync(parts);
    for (const name of ["20-b.json", "10-a.json", ".hidden.json", "read.me"]) writeFileSync(join(parts, name), "{}");
    expect(await claudeCodePlaces({ cwd: "/project", home: "/home/me" }, managed)).toEqual([
      { file: join(managed, "managed-settings.json"), layer: "managed" },
      { file: join(parts, "10-a.json"), layer: "managed" },
      { file: join(parts, "20-b.json"), layer: "managed" },
      { file: "/home/me/.claude/settings.json", layer: "user" },
      { file: "/project/.claude/settings.json", layer: "project" },
      { file: "/project/.claude/settings.local.json", layer: "local" },
    ]);
  });

  test.each([
    ["/elsewhere", "/elsewhere/settings.json"],
    ["relative", "/home/me/.claude/settings.json"],
    ["", "/home/me/.claude/settings.json"],
  ])("of the user follow CLAUDE_CONFIG_DIR=%s to %s", async (folder, file) => {
    const variables = { CLAUDE_CONFIG_DIR: folder };
    const places = await claudeCode.places?.({ cwd: "/project", home: "/home/me", variables });
    expect(places?.filter(({ layer }) => layer === "user")).toEqual([{ file, layer: "user" }]);
  });

  test("include a folder of parts that cannot be listed, so that it is not treated as empty", async () => {
    // A path that is too long neither exists nor is missing, for root as well.
    const managed = `/${"x".repeat(300)}`;
    const places = await claudeCodePlaces({ cwd: "/project", home: "/home/me" }, managed);
    expect(places[1]).toEqual({ file: join(managed, "managed-settings.d"), layer: "managed" });
  });
});
