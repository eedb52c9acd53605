import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DIALECT_NAMES } from "../../src/dialects/registry.ts";
import { contractOf, EVENT_NAMES } from "../../src/events/lookup.ts";
import { gatesWithoutRefusal, PAGE_FILE, renderDialects } from "./families-page.ts";
import { WHY_SAFER, WORDS } from "./families-words.ts";

test("the page contains what the tables contain (npm run dialects writes it)", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderDialects());
});

test("every dialect has its texts", () => {
  expect(Object.keys(WORDS).sort()).toEqual([...DIALECT_NAMES].sort());
});

test("every difference of an agent's page from the default has its reason", () => {
  const silent = DIALECT_NAMES.flatMap((dialect) =>
    EVENT_NAMES.flatMap((event) => {
      const safer = contractOf(event, dialect);
      const faithful = contractOf(event, dialect, undefined, "faithful");
      return Object.keys(safer ?? {}).filter(
        (column) =>
          !["agents", "overrides", "pages", "lanes"].includes(column) &&
          JSON.stringify(safer?.[column as keyof typeof safer]) !==
            JSON.stringify(faithful?.[column as keyof typeof faithful]) &&
          !(column in WHY_SAFER),
      );
    }),
  );
  expect(silent).toEqual([]);
});

test("every event that is called a gate can be refused", () => {
  expect(gatesWithoutRefusal()).toEqual([]);
});
