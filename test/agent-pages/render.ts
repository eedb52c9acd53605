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
    "This page lists the sections of each agent's page on hooks, with the tests for each section. A test is the title of a test",
    "in `test/agent-pages` or `test/hosts`, or the id of a case in [conformance.md](conformance.md). Every example of an agent's",
    "page has a counterpart of the same form in hookbox's repository. A section without a test has a reason instead.",
    "",
    `The agents' pages have ${sections.length} sections, ${sections.length - untested} of which have tests. \`npm run agent-pages\` writes this page.`,
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
