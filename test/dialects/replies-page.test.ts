import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PAGE_FILE, renderReplies } from "./replies-page.ts";

test("docs/replies.md contains what the tables contain (npm run replies writes it)", () => {
  expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderReplies());
});
