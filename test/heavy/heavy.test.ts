import { expect, test } from "vitest";
import { Random } from "../helpers/random.ts";
import { SEED } from "../helpers/seed.ts";
import { times } from "../helpers/tier.ts";
import { HEAVY_MODULES } from "./heavy-modules.ts";
import { WAYS } from "./hosts.ts";
import { expectUnharmed } from "./unharmed.ts";

/** One or three modules, which depend on the seed. `npm run test:heavy` runs all modules in all ways, on every Node. */

const random = new Random(SEED);
const sample = random
  .shuffled(WAYS)
  .slice(0, times(3, 1))
  .map((way, index) => {
    const is = (["heavy", "heavy", "light"] as const)[index];
    return { way, module: random.pick(HEAVY_MODULES.filter((one) => one.is === is)) };
  });

// Linux reports the memory of a process.
test.runIf(process.platform === "linux").each(sample.map(({ way, module }) => ({ way, name: module.name, module })))(
  "$name harms no host: $way",
  async ({ way, module }) => {
    const { peakMiB } = await expectUnharmed(module, { node: process.execPath, way, restMs: 300 });
    expect(peakMiB).toBeGreaterThan(-50);
  },
  180_000,
);
