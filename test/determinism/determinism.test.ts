import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine, type JsonObject, type Verdict } from "../../src/index.ts";
import { COST_MODEL_VERSION } from "../../src/sandbox/admission/cost-model.ts";
import { Random } from "../helpers/random.ts";
import { sampleOf, times } from "../helpers/tier.ts";
import { keepCoresBusy } from "./busy-cores.ts";
import { coldCalls } from "./cold-calls.ts";
import { configIn, GUARDS } from "./guards.ts";
import { canonical, chunkOf, digestsOf, events, readGolden, replay } from "./replay.ts";

/**
 * The same event, guards and configuration give the same verdict and use the same fuel: cold or warm, in any order,
 * under any load of the machine. The golden file extends this across Node versions.
 */

const HOW =
  "the verdicts or their fuel differ from test/determinism/golden.json; if a guard, the cost model or the events were " +
  "changed on purpose, write it anew: npm run build && npm run golden";

const folder = mkdtempSync(join(tmpdir(), "hookbox-determinism-"));
const config = configIn(folder);
/** A busy machine must not affect the result. */
const PATIENCE_MS = 180_000;
/** By hundreds, each of which has its own digest. */
const chunks = sampleOf([...readGolden().digests.keys()], 4, () => "events");
const inOrder = [...events.keys()].filter((index) => chunks.includes(chunkOf(index)));
/** One call at a time, in order. */
let alone: readonly string[];
/** With two threads. */
let pair: Engine;

beforeAll(async () => {
  const engine = await createEngine({ config, sandbox: { threads: 1 } });
  alone = await replay(engine, inOrder, 1);
  await engine.close();
  pair = await createEngine({ config, sandbox: { threads: 2 } });
  expect(pair.problems).toEqual([]);
}, PATIENCE_MS);

afterAll(async () => {
  await pair?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Names the first event with a different verdict, which digests do not show. */
function expectSame(verdicts: readonly string[], indices: readonly number[]): void {
  const first = indices.find((index) => verdicts[index] !== alone[index]);
  if (first === undefined) return;
  expect({ event: first, verdict: JSON.parse(verdicts[first] ?? "null") }).toEqual({
    event: first,
    verdict: JSON.parse(alone[first] ?? "null"),
  });
  expect(verdicts[first]).toBe(alone[first]);
}

test("verdicts and their fuel equal those of every other machine and Node version", () => {
  const golden = readGolden();
  expect(golden.costModel, HOW).toBe(COST_MODEL_VERSION);
  const digests = digestsOf(alone);
  for (const chunk of chunks) expect(digests[chunk], HOW).toBe(golden.digests[chunk]);
});

// Otherwise little would have been compared.
test("the guards answer in many ways, and fail in each way that does not depend on time", () => {
  const seen: Record<string, number> = {};
  for (const text of inOrder.map((index) => alone[index] as string)) {
    for (const { rule, status, decision, failure } of (JSON.parse(text) as Verdict).rules) {
      const what = failure?.kind ?? decision ?? status;
      for (const key of [what, `${rule}: ${what}`]) seen[key] = (seen[key] ?? 0) + 1;
    }
  }
  expect(seen).not.toHaveProperty("timeout");
  expect(seen).not.toHaveProperty("unavailable");
  const often = Object.entries(seen).flatMap(([what, count]) => (count >= times(10, 3) ? [what] : []));
  expect(often).toEqual(
    expect.arrayContaining(["deny", "ask", "abstained", "fuel", "stack", "trap", "memory", "exit"]),
  );
  const turns = [
    "loops out of fuel",
    "recurses too deep",
    "traps",
    "grows into its limit",
    "shell-guard short of fuel",
  ];
  for (const rule of turns) {
    const ways = often.filter((what) => what.startsWith(`${rule}: `));
    expect(ways.length, `${rule} ends in ${ways.join(", ")}`).toBeGreaterThan(1);
  }
  expect(Object.keys(GUARDS).filter((rule) => !often.some((what) => what.startsWith(`${rule}: `)))).toEqual([]);
});

describe("verdicts and fuel are the same", { timeout: PATIENCE_MS }, () => {
  test("in another order, with four calls in flight on two threads", async () => {
    const order = new Random(2).shuffled(inOrder).slice(0, times(events.length, 120));
    expectSame(await replay(pair, order, 4), order);
  });

  test("while other work keeps every core busy", async () => {
    keepCoresBusy(4, PATIENCE_MS);
    const order = new Random(3).shuffled(inOrder).slice(0, times(100, 40));
    expectSame(await replay(pair, order, 4), order);
  });

  test("in the first call of a new engine in a new process", async () => {
    const order = new Random(4).shuffled(inOrder).slice(0, 6);
    const cold = await Promise.all(
      [0, 1, 2].map((process) => {
        const payloads = order.slice(process * 2, (process + 1) * 2).map((index) => events[index] as JsonObject);
        return coldCalls(config, payloads);
      }),
    );
    const verdicts: string[] = [];
    for (const [place, verdict] of cold.flat().entries())
      verdicts[order[place] as number] = canonical(verdict as Verdict);
    expectSame(verdicts, order);
  });
});
