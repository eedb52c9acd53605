import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { FAMILIES } from "../conformance/cases/index.ts";
import { AGENTS_WITH_PAGES, agentPages } from "./index.ts";
import { PAGE_FILE, renderAgentPages } from "./render.ts";

/** The maps of the agents' pages are true: what they name exists, and each section has a description. */

const pages = await agentPages();
const sections = pages.flatMap(({ agent, sections: all }) => all.map((section) => ({ agent, ...section })));

/** Folders with tests of the pages, and of what an embedder builds an agent with. */
const FOLDERS = [import.meta.dirname, resolve(import.meta.dirname, "../hosts")].filter(existsSync);
const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && file !== "checklist.test.ts")
    .map((file) => readFileSync(join(folder, file), "utf8")),
);
const ids = new Set(FAMILIES.flatMap(({ cases }) => cases.flatMap(({ id }) => [id, id.split("/")[0] as string])));

/** Whether the name is a literal in a test's source, in any of the three quotes. */
function isTitle(name: string): boolean {
  const escaped = JSON.stringify(name).slice(1, -1);
  return sources.some((source) =>
    [name, escaped, name.replaceAll("`", "\\`")].some((text) =>
      ['"', "'", "`"].some((quote) => source.includes(`${quote}${text}${quote}`)),
    ),
  );
}

test("each agent with a page has a map of it, and only one", () => {
  expect(pages.map(({ agent }) => agent)).toEqual([...AGENTS_WITH_PAGES]);
});

describe("every section", () => {
  test("names tests that exist", () => {
    const missing = sections.flatMap((section) =>
      "tests" in section
        ? section.tests
            .filter((name) => !ids.has(name) && !isTitle(name))
            .map((name) => `${section.agent}, ${section.heading}: ${name}`)
        : [],
    );
    expect(missing).toEqual([]);
  });

  test("has a test, or a reason why not", () => {
    const empty = sections.filter((section) =>
      "tests" in section ? section.tests.length === 0 : section.why.trim() === "",
    );
    expect(empty.map(({ agent, heading }) => `${agent}: ${heading}`)).toEqual([]);
  });

  test("has a description, under a heading of its own", () => {
    const silent = sections.filter(({ heading, about }) => heading.trim() === "" || about.trim() === "");
    expect(silent).toEqual([]);
    for (const { agent, sections: all } of pages) {
      const headings = all.map(({ heading }) => heading);
      expect([agent, headings.filter((one, index) => headings.indexOf(one) !== index)]).toEqual([agent, []]);
    }
  });
});

test("the page contains them unchanged (npm run agent-pages writes it)", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderAgentPages(pages));
});
