import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE_FILE, renderPage } from "./page.ts";

test("the page says what the engine does (npm run failure-policy writes it)", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderPage());
});
