import { expect, test } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { wat } from "../helpers/guests.ts";
import { times } from "../helpers/tier.ts";
import { PAGE, requirements } from "../sandbox/module-requirements.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "./bounded.ts";
import { BoundedRuns } from "./bounded-runs.ts";
import { makeProgram } from "./programs.ts";

const FUEL = 100_000_000;
const DEPTH = 262_144;

// The program must not see what the rewrite adds: not in its results, memory, globals and tables, nor in traps.
test(
  "a metered program does what it does without metering, and exactly its fuel is enough",
  async () => {
    const runs = new BoundedRuns();
    const ends: Record<string, number> = {};
    const attempts = await fuzz(times(1_000, 80), async (random) => {
      const text = makeProgram(random);
      const bytes = wat(text);
      const admission = await admit(bytes, requirements({ memoryBytes: 64 * PAGE }));
      if (!admission.ok) throw new Error(`${admission.message}\n${text}`);
      const original = await WebAssembly.compile(bytes);
      const values = [random.below(1_000) - 500, BigInt(random.next())];
      const call = { run: "f0", values, fuel: FUEL, depth: DEPTH };
      const { compiled: module, state } = admission.module;
      const metered = await runs.of({ ...call, module, state });
      const [end = ""] = metered.end.split(":");
      ends[end] = (ends[end] ?? 0) + 1;
      if (end === "fuel" || end === "depth") return;
      const plain = await runs.of({ ...call, module: original });
      expect([text, metered.end, metered.seen]).toEqual([text, plain.end, plain.seen]);
      const exactly = await runs.of({ ...call, module, state, fuel: metered.used });
      expect(exactly).toEqual(metered);
      const less = await runs.of({ ...call, module, state, fuel: metered.used - 1 });
      expect(less.end).toBe("fuel");
    });
    console.info(`${attempts} programs: ${JSON.stringify(ends)}`);
    expect(ends["return"] ?? 0).toBeGreaterThan(attempts / 3);
    expect(ends["trap"] ?? 0).toBeGreaterThan(0);
    expect(ends).not.toHaveProperty("endless");
  },
  FUZZ_TIMEOUT_MS,
);
