import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { folderWith } from "./config-files.ts";

/** What a page shows as a configuration loads as it stands. */

const DOCS = resolve(import.meta.dirname, "../../docs");
const SETTINGS = ["hooks", "modelProviders", "mcpServers", "defaultModel"];

/** Of other agents' files, which their own tests hold to account. */
const OTHERS = ["agentao.md", "autohand.md", "openclaw.md", "docker-agent.md", "claude-code.md", "patterns.md"];

const shown = readdirSync(DOCS)
  .filter((page) => page.endsWith(".md") && !OTHERS.includes(page))
  .flatMap((page) => {
    const text = readFileSync(join(DOCS, page), "utf8");
    return [...text.matchAll(/^```json\n([\s\S]*?)^```$/gm)].flatMap(([, block = ""], index) => {
      const isConfiguration = SETTINGS.some((key) => new RegExp(`^(\\{ | {2})"${key}":`, "m").test(block));
      return isConfiguration ? [{ page, number: index + 1, block }] : [];
    });
  });

test("the pages on hooks that think have examples", () => {
  const pages = new Set(shown.map(({ page }) => page));
  const thinking = ["agent-hooks.md", "llm-hooks.md", "mcp-tools.md", "models.md", "snapshots.md"];
  expect([...pages]).toEqual(expect.arrayContaining(thinking));
});

test.each(shown)("block $number of $page", async ({ block }) => {
  const folder = folderWith({ "hookbox.json": block });
  const { problems } = await loadConfig([{ file: "hookbox.json", layer: "user" }], [], folder);
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
});
