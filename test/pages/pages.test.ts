import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { type Block, blocksOf, PAGES, ROOT, textOf } from "./blocks.ts";
import { Place } from "./place.ts";
import { buildBlock, lackFor, PROGRAMS, typeErrors } from "./programs.ts";
import { isKnown, isPossible, isPrinted, isRun, runBlock } from "./run-block.ts";

/**
 * Every code block of the pages is checked, built or run. `npm run docs:write` (HOOKBOX_DOCS=write) writes the outputs
 * of commands into the pages; without it they are compared. CONTRIBUTING.md lists the words that declare what a block
 * is.
 */

const WRITES = process.env["HOOKBOX_DOCS"] === "write";
const LIMIT_MS = 400_000;

const all = PAGES.flatMap((page) => blocksOf(page));
afterAll(() => rmSync(PROGRAMS, { recursive: true, force: true }));

const running = PAGES.filter((page) => blocksOf(page).some(isRun));
test.each(running)("the blocks of %s run, and print what the page shows", { timeout: LIMIT_MS }, async (page) => {
  const own = page.replace(/^docs\/|\.md$/g, "");
  const places = new Map<string, Place>();
  let written = textOf(page);
  for (const block of blocksOf(page).filter((one) => isRun(one) && isPossible(one))) {
    const name = block.attributes["in"] ?? own;
    const place = places.get(name) ?? new Place(name);
    if (!places.has(name)) onTestFinished(() => rmSync(place.root, { recursive: true, force: true }));
    places.set(name, place);
    const now = await runBlock(block, place);
    if (WRITES) written = written.replace(`\n${block.text}\`\`\``, () => `\n${now}\`\`\``);
    else expect.soft(now, `${page}:${block.line}; npm run docs:write writes it`).toBe(block.text);
  }
  if (written !== textOf(page)) writeFileSync(join(ROOT, page), written);
});

const guards = all.filter((block) => isRun(block) && block.kind === "guard" && block.file === undefined);
for (const block of guards) {
  test.skipIf(lackFor(block) !== "")(
    `the guard in ${block.language} at ${block.page}:${block.line} builds${lackFor(block)}`,
    { timeout: LIMIT_MS },
    async () => {
      await buildBlock(block);
    },
  );
}

test("every TypeScript program on the pages compiles, strictly, by the types in the package", () => {
  const programs = all.filter(({ language, attributes }) => language === "ts" && !("no-run" in attributes));
  expect(programs.length).toBeGreaterThanOrEqual(6);
  expect(typeErrors(programs)).toBe("");
});

describe("every code block", () => {
  const nameOf = ({ page, line }: Block): string => `${page}:${line}`;

  test("declares what it is: a kind that runs, the command that prints it, or why it does not run", () => {
    expect(all.filter((block) => !isKnown(block)).map(nameOf)).toEqual([]);
    const fences = PAGES.flatMap((page) => textOf(page).match(/^\s*(```|~~~)/gm) ?? []);
    expect(fences.length).toBe(2 * all.length);
  });

  test("that does not run gives a reason, or names the test that runs it", () => {
    const isReason = ({ page, attributes: { "no-run": reason, test: file } }: Block): boolean =>
      file === undefined
        ? reason === undefined || reason.length >= 8
        : existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), "utf8").includes(page);
    expect(all.filter((block) => !isReason(block)).map(nameOf)).toEqual([]);
  });
});

test("a digest is on a page only if a command prints it", () => {
  const bare = PAGES.flatMap((page) => {
    const printed = blocksOf(page).filter(isPrinted);
    const rest = printed.reduce((text, block) => text.replace(block.text, ""), textOf(page));
    return (rest.match(/\b[0-9a-f]{64}\b/g) ?? []).map((digest) => `${page}: ${digest}`);
  });
  expect(bare).toEqual([]);
});

test("every npm script that a page names exists", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = ""]) => name),
  );
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
