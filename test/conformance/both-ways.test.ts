import { afterAll, beforeAll, describe, test } from "vitest";
import { type BothWays, isRun } from "./case.ts";
import { FAMILIES } from "./cases/index.ts";
import { matching } from "./matching.ts";
import { isForCommandLine, parsed, runByCommandLine } from "./run-case.ts";
import { openServers, type Servers } from "./servers.ts";

/**
 * If an agent's page and our default differ, `hookbox run` does the default, and with `--compat faithful` what the page
 * says.
 */

let servers: Servers;
beforeAll(async () => {
  servers = await openServers();
});
afterAll(() => servers.close());

/** The field names in their payloads differ from the agent's. */
const IN_OUR_WORDS = ["P4/input"];

const DIFFERENT = FAMILIES.flatMap((family) =>
  family.cases
    .filter(isRun)
    .filter((one) => "default" in one.expect && isForCommandLine(one) && !IN_OUR_WORDS.includes(one.id))
    .map((one) => ({ one, id: one.id, title: one.title, dialect: one.dialect ?? family.dialect })),
);

describe.concurrent("through the command line", () => {
  test.for(DIFFERENT)("$id: $title", async ({ one, dialect }, { expect, skip }) => {
    const { default: safer, faithful } = one.expect as BothWays;
    for (const [compat, expected] of [
      ["default", safer],
      ["faithful", faithful],
    ] as const) {
      for (const answer of ["verdict", "reply"] as const) {
        if (expected[answer] === undefined) continue;
        const seen = await runByCommandLine(one, compat, dialect, servers, answer);
        if (seen === undefined) return skip("its model is a function of the embedding program");
        const { stdout, stderr, exitCode } = seen;
        const told = answer === "verdict" ? parsed(stdout) : { stdout: parsed(stdout), stderr, exitCode };
        expect(told, compat).toEqual(matching(expected[answer]));
      }
    }
  });
});
