import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { withProgress } from "../../src/cli/progress.ts";
import type { Console } from "../../src/cli/verb.ts";

function consoleFor(showsProgress: boolean): { readonly console: Console; readonly said: string[] } {
  const said: string[] = [];
  return { said, console: { showsProgress, writeError: (text: string) => void said.push(text) } as unknown as Console };
}

test("long work is shown on a terminal, and its line is removed at the end", async () => {
  const { console, said } = consoleFor(true);
  expect(await withProgress(console, "Building", () => sleep(1_000, "built"))).toBe("built");
  expect(said[0]).toMatch(/ {2}Building \(\d+ s\)$/);
  expect(said.at(-1)).toBe("\r\u001b[K");
});

test("a message is shown immediately, before work that blocks the thread", async () => {
  const { console, said } = consoleFor(true);
  await withProgress(console, "Building", async (tell) => {
    tell("Compiling slowly");
    expect(said).toEqual([expect.stringContaining("Compiling slowly")]);
  });
});

test("nothing is shown for short work, for failed work afterwards, or without a terminal", async () => {
  const short = consoleFor(true);
  await expect(withProgress(short.console, "Building", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(short.said).toEqual([]);
  const piped = consoleFor(false);
  await withProgress(piped.console, "Building", async (tell) => {
    tell("Compiling slowly");
    await sleep(1_000);
  });
  expect(piped.said).toEqual([]);
});
