import { resolve } from "node:path";
import type { AgentPage, PageSection } from "./page.ts";

/** docs/agent-pages.md: what an agent's page describes, and which tests check hookbox against it. */

export const PAGE_FILE = resolve(import.meta.dirname, "../../docs/agent-pages.md");

export function renderAgentPages(pages: readonly AgentPage[]): string {
  const sections = pages.flatMap((page) => page.sections);
  const untested = sections.filter((section) => "why" in section).length;
  return [
    "# The agents' own pages",
    "",
    "This page lists the sections of each agent's page on its hooks, and the tests that compare hookbox with them: the title of a test",
    "in `test/agent-pages` or `test/hosts`, or the id of a case in [conformance.md](conformance.md). Every example of a page has a",
    "counterpart of the same form in the repository. A section without a test has the reason instead.",
    "",
    `${sections.length} sections, ${sections.length - untested} with tests. \`npm run agent-pages\` writes this page.`,
    "",
    ...pages.flatMap(renderPage),
  ].join("\n");
}

function renderPage({ agent, title, sections }: AgentPage): string[] {
  return [
    `## \`${agent}\`: ${title}`,
    "",
    "| section | content | tests |",
    "| --- | --- | --- |",
    ...sections.map((section) => `| ${[section.heading, section.about, holding(section)].map(cell).join(" | ")} |`),
    "",
  ];
}

function holding(section: PageSection): string {
  return "why" in section ? `no test: ${section.why}` : section.tests.map((one) => `\`${one}\``).join("<br>");
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
