import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { usualName } from "../../src/cli/convert/format-config.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import type { JsonObject } from "../../src/json.ts";
import type { Verdict } from "../../src/verdict.ts";
import { CONFIGS, payloads, type Written } from "../dialects/writing/configs.ts";
import { convertTo, eventFrom, read } from "../dialects/writing/conversions.ts";
import fc from "../helpers/fc.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";

/** The same hooks, run from the agent's own file, and from the `hookbox.json` that it was converted to. */

const folder = mkdtempSync(join(tmpdir(), "hookbox-convert-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PAYLOADS = fc.sample(payloads as fc.Arbitrary<JsonObject>, { numRuns: 1_000, seed: 11 });
const DIALECTS = [
  "claude-code",
  "docker-agent",
  "agentao",
  "autohand",
  "patterns",
] as const satisfies readonly Written[];
const MOST_RUNS = times(5, 2);

/** What an agent receives. The file and the place of a hook are not part of it. */
function decisionOf({ decision, reason, updatedInput, additionalContext, systemMessage, ...verdict }: Verdict): object {
  const told = { decision, reason, updatedInput, additionalContext, systemMessage, continue: verdict.continue };
  const text = JSON.stringify(told)
    .replaceAll(/\([^()]*:\d+:\d+\)/g, "(place)")
    .replaceAll(/\d+-(?:before|after)-\S+ \S+ #\d+/g, "unnamed");
  return JSON.parse(text) as object;
}

/** Web hooks would send to servers, and later or single runs depend on earlier ones. */
function runnable(config: object): string {
  const left = ["async", "asyncRewake", "once", "disableAllHooks"];
  return JSON.stringify(config, (key, value) => {
    if (left.includes(key)) return undefined;
    return value?.type === "http" ? { type: "command", command: "exit 2", timeout: 5 } : value;
  });
}

async function engineOf(dialect: string, text: string, name: string): Promise<Engine> {
  const file = join(folder, `${name}-${usualName(dialect)}`);
  writeFileSync(file, text);
  return createEngine({ configFiles: [{ file, layer: "command-line", dialect }], cwd: folder, dialect: "claude-code" });
}

test.each(DIALECTS)(
  "gives the verdicts of a %s file from the hookbox.json that it is converted to",
  async (dialect) => {
    const configs = fc.sample(CONFIGS[dialect], { numRuns: 30, seed: SEED });
    let ran = 0;
    for (const [index, config] of configs.entries()) {
      const text = runnable(config);
      if (ran >= MOST_RUNS) break;
      const own = await convertTo("hookbox", await read(dialect, text));
      // Some formats run a hook as often as it is configured; if that is lost, the report says so.
      if (own.losses.some(({ what }) => what === "duplicate")) continue;
      const before = await engineOf(dialect, text, `${index}-before`);
      const after = await engineOf("hookbox", own.text, `${index}-after`);
      try {
        for (const event of new Set(before.rules.map((rule) => rule.event))) {
          // Among the event's hooks: some formats have all hooks in one list.
          const place = (engine: Engine) =>
            new Map(engine.rules.filter((rule) => rule.event === event).map((rule, at) => [rule, at]));
          const [placeBefore, placeAfter] = [place(before), place(after)];
          // A thousand events select few different sets of hooks; each set is run once.
          const distinct = new Map<string, JsonObject>();
          for (const payload of PAYLOADS) {
            const { payload: whole } = eventFrom(event, "claude-code", payload);
            const chosen = (engine: Engine, places: ReadonlyMap<unknown, number>) =>
              engine
                .explain(event, whole)
                .flatMap(({ rule, applies }) => (applies ? [places.get(rule)] : []))
                .join();
            const key = chosen(before, placeBefore);
            expect(chosen(after, placeAfter), `HOOKBOX_SEED=${SEED}`).toBe(key);
            if (key !== "" && distinct.size < 3) distinct.set(key, whole);
          }
          for (const payload of distinct.values()) {
            const [one, other] = await Promise.all([before.dispatch(event, payload), after.dispatch(event, payload)]);
            expect(decisionOf(other), `HOOKBOX_SEED=${SEED}: ${event} in ${text}`).toEqual(decisionOf(one));
            ran += 1;
          }
        }
      } finally {
        await Promise.all([before.close(), after.close()]);
      }
    }
    expect(ran).toBeGreaterThanOrEqual(MOST_RUNS - 1);
  },
);
