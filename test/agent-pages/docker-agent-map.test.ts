import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAMILIES } from "../conformance/cases/index.ts";
import { dockerAgentPage } from "./docker-agent.ts";

test("every section of docker-agent's page has tests that exist, and every example is used by one", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => /^docker-agent.*\.test\.ts$/.test(file));
  const text = files.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join("\n");
  const ids = new Set(FAMILIES.flatMap(({ cases }) => cases.flatMap(({ id }) => [id, id.split("/")[0] as string])));
  const named = dockerAgentPage.sections.flatMap((section) => ("tests" in section ? section.tests : []));
  expect(named.filter((name) => !ids.has(name) && !text.includes(`"${name}"`))).toEqual([]);
  const headings = dockerAgentPage.sections.map(({ heading }) => heading);
  expect(new Set(headings).size).toBe(headings.length);
  const examples = readdirSync(join(import.meta.dirname, "docker-agent")).filter((file) => file.includes("."));
  expect(examples.filter((file) => !text.includes(file))).toEqual([]);
});
