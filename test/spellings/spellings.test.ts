import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { runsOn } from "../matcher/condition/conditions.ts";
import { EXCEPTIONS } from "./exceptions.ts";
import { LAYERS } from "./layers.ts";
import { ranInBash } from "./run-in-bash.ts";
import { spell, spellAsData } from "./spelling.ts";

/** `npm run test:spellings` takes thousands; the first hundreds have each layer at least once. */
const COUNT = Number(process.env["HOOKBOX_SPELLINGS"] ?? LAYERS.length + 20);
const SEED = 15;
/** For each text. Most take some milliseconds. */
const TIMEOUT_MS = 60_000 + 500 * COUNT;

const numbers = Array.from({ length: COUNT }, (_, number) => number);
const excused = new Set(EXCEPTIONS.flatMap(({ layers }) => layers));
const spellings = numbers.map((number) => spell({ program: "rm", args: `x${number}` }, SEED, number));
const data = numbers.map((number) => spellAsData({ program: "rm", args: `x${COUNT + number}` }, SEED, number));

const isFull = COUNT > 1_000;
/** For texts in which nothing runs, the short run takes four of each kind. */
const triedData = isFull ? data : data.slice(0, 72);

let ran: ReadonlySet<number>;
beforeAll(async () => {
  ran = await ranInBash([...spellings.map(({ text }) => text), ...triedData], "rm");
}, TIMEOUT_MS);

describe(`${COUNT} ways to run a command`, () => {
  test("are seen by a condition if a real Bash runs the command, except those in docs/conditions.md", () => {
    const run = spellings.filter((_, number) => ran.has(number));
    const unseen = run.filter(({ text }) => !runsOn("Bash(rm *)", text));
    const unexcused = unseen.filter(({ layers }) => !layers.some((layer) => excused.has(layer)));
    console.log(`Bash ran ${run.length} of ${COUNT}; unseen: ${unseen.length}, not excused: ${unexcused.length}`);
    expect(unexcused.map(({ text, layers }) => [text, layers.join(" < ")])).toEqual([]);
    // Most spellings have to be valid, otherwise the test proves nothing.
    expect(run.length).toBeGreaterThan(0.75 * COUNT);
    // An exception that no longer excuses anything has to be removed from the page. In the short run each may be met
    // only where it is seen.
    if (!isFull) return;
    const layersUnseen = new Set(unseen.flatMap(({ layers }) => layers));
    expect(EXCEPTIONS.filter(({ layers }) => !layers.some((layer) => layersUnseen.has(layer)))).toEqual([]);
  });
});

describe(`${COUNT} texts in which the same is data`, () => {
  test("do not run the hook", () => {
    // The earlier parser ran it for 6 of 100.
    expect(data.filter((text) => runsOn("Bash(rm *)", text))).toEqual([]);
  });

  test("do not run the command in a real Bash", () => {
    expect(triedData.filter((_, number) => ran.has(COUNT + number))).toEqual([]);
  });
});

test("the page lists each exception with its reason", () => {
  const page = readFileSync(new URL("../../docs/conditions.md", import.meta.url), "utf8");
  expect(EXCEPTIONS.filter(({ what, why }) => !page.includes(`| ${what} | ${why} |\n`))).toEqual([]);
});
