import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

/** Every test that a page names exists, because a promise in the docs is only as good as the test behind it. */

const ROOT = resolve(import.meta.dirname, "..");
const PAGES = ["README.md", "SECURITY.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith(".md"),
);

/**
 * Finds `test/FOLDER` and `test/FOLDER/NAME*.test.ts`; a name without a folder is in the folder of the name before it.
 */
function testsNamedIn(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), "utf8");
  let folder = "test";
  return [...text.matchAll(/`(test\/[^`\s]+|[\w.*-]+\.test\.ts)`/g)].map(([, name = ""]) => {
    const path = name.startsWith("test/") ? name : join(folder, name);
    folder = path.endsWith(".ts") ? dirname(path) : path;
    return path;
  });
}

function isThere(path: string): boolean {
  if (!path.includes("*")) return existsSync(join(ROOT, path));
  const [before = "", behind = ""] = basename(path).split("*");
  const folder = join(ROOT, dirname(path));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(before) && name.endsWith(behind));
}

describe("the tests that a page names", () => {
  test.each(PAGES)("exist, in %s", (page) => {
    expect(testsNamedIn(page).filter((path) => !isThere(path))).toEqual([]);
  });

  test("are in every row of the threat model's promises", () => {
    const page = readFileSync(join(ROOT, "docs/threat-model.md"), "utf8");
    const rows = /^## Promises$(.*?)^## /ms.exec(page)?.[1]?.match(/^\| (?!promise|---).*$/gm) ?? [];
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => !/`test\/|^\| no effect of a failure /.test(row))).toEqual([]);
  });
});
