import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { sampleOf } from "../helpers/tier.ts";
import { type BothWays, isRun, waysOf } from "./case.ts";
import { FAMILIES } from "./cases/index.ts";
import { matching } from "./matching.ts";
import { PAGE_FILE, renderPage } from "./page.ts";
import { runCase } from "./run-case.ts";
import { openServers, type Servers } from "./servers.ts";

let servers: Servers;
let state: string;
beforeAll(async () => {
  servers = await openServers();
  state = mkdtempSync(join(tmpdir(), "hookbox-state-"));
  vi.stubEnv("XDG_STATE_HOME", state);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await servers.close();
  rmSync(state, { recursive: true, force: true });
});

const all = FAMILIES.flatMap(({ cases }) => cases);

/** Each separate case, and some rows of each matrix, both ways. */
const sampled = FAMILIES.flatMap((family) => {
  const runs = family.cases.filter(isRun).flatMap((one) => waysOf(one).map(([compat]) => ({ one, compat })));
  return sampleOf(runs, 6, ({ one, compat }) => `${one.id.split("/")[0]} ${compat}`);
});

for (const family of FAMILIES.filter(({ cases }) => cases.some(isRun))) {
  describe.concurrent(family.title, () => {
    for (const one of family.cases.filter(isRun)) {
      for (const [compat, expected] of waysOf(one)) {
        if (!sampled.some((run) => run.one === one && run.compat === compat)) continue;
        const way = compat === "faithful" ? ", to the letter" : "";
        test(`${one.id}: ${one.title}${way}`, async ({ expect: expectHere }) => {
          const seen = await runCase(one, compat, one.dialect ?? family.dialect, servers);
          const { runs = {} } = expected;
          const counted = Object.fromEntries(Object.keys(runs).map((name) => [name, seen.runs[name] ?? 0]));
          expectHere({ throws: seen.throws, runs: counted, problems: expected.problems && seen.problems }).toEqual({
            throws: expected.throws,
            runs,
            problems: expected.problems,
          });
          if (expected.verdict !== undefined) expectHere(seen.verdict).toEqual(matching(expected.verdict));
          if (expected.reply !== undefined) expectHere(seen.reply).toEqual(matching(expected.reply));
          // A broken configuration would deny for another reason.
          if (expected.problems === undefined) expectHere(seen.problems).toEqual([]);
        });
      }
    }
  });
}

describe("the cases", () => {
  test("have unique ids", () => {
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test("expect something", () => {
    const empty = all
      .filter(isRun)
      .flatMap((one) => waysOf(one).filter(([, expected]) => Object.keys(expected).length === 0));
    expect(empty).toEqual([]);
  });

  test("have different expectations of the two ways if they run twice", () => {
    const same = all.filter(isRun).filter((one) => {
      if (!("default" in one.expect)) return false;
      const { default: safer, faithful } = one.expect as BothWays;
      return isDeepStrictEqual(safer, faithful);
    });
    expect(same.map(({ id }) => id)).toEqual([]);
  });

  test("are named by the tests that cover them elsewhere", () => {
    const root = resolve(import.meta.dirname, "../..");
    const wrong = all.filter((one) => {
      if (!("coveredBy" in one)) return false;
      const file = resolve(root, one.coveredBy);
      return !existsSync(file) || !new RegExp(`["\`]${one.id}: `).test(readFileSync(file, "utf8"));
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test("are in the page unchanged (npm run conformance writes it)", () => {
    expect(readFileSync(PAGE_FILE, "utf8")).toBe(renderPage(FAMILIES));
  });
});
