import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { JUDGE_NAMES } from "../../../src/dialects/agents-judges.ts";
import { BUILTIN_NAMES } from "../../../src/events/builtins.ts";

test("the page about built-in hooks has a row for each of them, and for nothing else", () => {
  const page = readFileSync(path.resolve(import.meta.dirname, "../../../docs/builtin-hooks.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual([...BUILTIN_NAMES].sort());
  for (const name of JUDGE_NAMES) expect(page).toContain(`\`${name}\``);
});
