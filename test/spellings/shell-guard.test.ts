import { beforeAll, describe, expect, test } from "vitest";
import { judge } from "../plugins/shell-guard-verdict.ts";
import { LAYERS } from "./layers.ts";
import { ranInBash } from "./run-in-bash.ts";
import { spell, spellAsData } from "./spelling.ts";

/** `npm run test:spellings` takes thousands; the first hundreds have each layer at least once. */
const COUNT = Number(process.env["HOOKBOX_SPELLINGS"] ?? LAYERS.length + 20);
const SEED = 19;
const TIMEOUT_MS = 60_000 + 1_000 * COUNT;
/** The part of the deleting spellings that shell-guard has to deny or to put to the user. */
const LEAST_STOPPED = 0.97;
/** In these layers the command also gets the name of a file in /etc, so that no removal is harmless. */
const NEVER_HARMLESS: ReadonlySet<string> = new Set(["find -exec +"]);

const numbers = Array.from({ length: COUNT }, (_, number) => number);
const deleting = numbers.map((number) => spell({ program: "rm", args: `-rf / x${number}` }, SEED, number));
const harmless = numbers.map((number) => spell({ program: "rm", args: `-rf /tmp/x${COUNT + number}` }, SEED, number));
const data = numbers.map((number) => spellAsData({ program: "rm", args: `-rf / x${number}` }, SEED, number));

let ran: ReadonlySet<number>;
beforeAll(async () => {
  ran = await ranInBash(
    [...deleting, ...harmless].map(({ text }) => text),
    "rm",
  );
}, TIMEOUT_MS);

const verdictOf = <Case extends { readonly text: string }>(one: Case) => ({ ...one, ...judge(one.text) });

describe(`${COUNT} ways to delete everything`, () => {
  test("shell-guard stops at least 97 of 100 that a real Bash runs", () => {
    const run = deleting.filter((_, number) => ran.has(number)).map(verdictOf);
    const passed = run.filter(({ decision }) => decision === "none");
    const denied = run.filter(({ decision }) => decision === "deny");
    const share = ((100 * (run.length - passed.length)) / run.length).toFixed(1);
    console.log(
      `Bash ran ${run.length} of ${COUNT}; shell-guard stopped ${share} %, ${denied.length} of them without a question`,
    );
    // Most spellings have to be valid, otherwise the test proves nothing.
    expect(run.length).toBeGreaterThan(0.75 * COUNT);
    const shown = passed.map(({ text, layers }) => `${JSON.stringify(text)} ${layers.join(" < ")}`).join("\n");
    expect(run.length - passed.length, shown).toBeGreaterThanOrEqual(LEAST_STOPPED * run.length);
  });
});

describe(`${COUNT} spellings of the same kinds that delete a temporary folder`, () => {
  test("shell-guard denies none that a real Bash runs, and asks about at most one in a hundred", () => {
    const run = harmless.filter((_, number) => ran.has(COUNT + number));
    const tried = run.filter(({ layers }) => !layers.some((layer) => NEVER_HARMLESS.has(layer)));
    expect(tried.length).toBeGreaterThan(0.7 * COUNT);
    const stopped = tried.map(verdictOf).filter(({ decision }) => decision !== "none");
    console.log(`${stopped.length} of ${tried.length} harmless spellings are put to the user`);
    expect(stopped.filter(({ decision }) => decision === "deny")).toEqual([]);
    // Values that a shell expands twice hide where a quote ends.
    expect(stopped.length).toBeLessThanOrEqual(tried.length / 100);
  });
});

describe(`${COUNT} texts in which the deleting command is data`, () => {
  test("shell-guard has no opinion", () => {
    expect(data.map((text) => verdictOf({ text })).filter(({ decision }) => decision !== "none")).toEqual([]);
  });
});
