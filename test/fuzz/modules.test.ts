import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { admit } from "../../src/sandbox/admission/admission.ts";
import { ALWAYS_GRANTED } from "../../src/sandbox/grants/grants.ts";
import { hostFunction } from "../../src/sandbox/guest/guest-abi.ts";
import { wat } from "../helpers/guests.ts";
import { times } from "../helpers/tier.ts";
import { PAGE, requirements } from "../sandbox/module-requirements.ts";
import { FUZZ_TIMEOUT_MS, fuzz } from "./bounded.ts";
import { BoundedRuns } from "./bounded-runs.ts";
import { mutated } from "./mutations.ts";
import { makeProgram } from "./programs.ts";

const ROOT = new URL("../../", import.meta.url);
const guestsIn = (folder: string): Uint8Array[] =>
  readdirSync(new URL(folder, ROOT))
    .filter((name) => name.endsWith(".wat"))
    .map((name) => wat(readFileSync(new URL(`${folder}${name}`, ROOT), "utf8"), name));
const shellGuard = readFileSync(new URL("dist/guards/shell-guard.wasm", ROOT));
const guests = [...guestsIn("test/fixtures/guests/"), ...guestsIn("plugins/hostile/")];

/** A limit that is never reached, so that the original module does the same. */
const ALL_MEMORY = 65_536 * PAGE;
const BUDGET = { fuel: 300_000, depth: 40_000 };
/** For a valid module: that the rewrite failed, or could not parse it. */
const OUR_FAULT =
  /cannot be compiled|do not match the block type|does not end|is too long, at byte|after the end of its function|ends too early/;

test(
  "a changed module is refused with a code or runs as it would without metering, and always ends",
  async () => {
    const runs = new BoundedRuns();
    const seen: Record<string, number> = {};
    await fuzz(times(1_000, 100), async (random) => {
      const seed = random.chance(60) ? shellGuard : random.chance(4) ? wat(makeProgram(random)) : random.pick(guests);
      const bytes = mutated(random, seed, random.pick(guests));
      const admission = await admit(bytes, requirements({ memoryBytes: ALL_MEMORY }));
      const what = admission.ok ? "admitted" : admission.code;
      seen[what] = (seen[what] ?? 0) + 1;
      if (!admission.ok) {
        expect(admission.code).toMatch(/^HOOK_MODULE_(INVALID|IMPORT|ABI|FEATURE|LIMIT|MANIFEST)$/);
        expect(admission.message).not.toBe("");
        if (WebAssembly.validate(bytes)) expect(admission.message).not.toMatch(OUR_FAULT);
        return;
      }
      expect(WebAssembly.validate(bytes)).toBe(true);
      const { compiled: module, state } = admission.module;
      for (const { module: from, name, kind } of WebAssembly.Module.imports(module))
        expect([hostFunction({ module: from, name })?.capability, kind]).toEqual([
          expect.toBeOneOf([...ALWAYS_GRANTED]),
          "function",
        ]);

      const call = { run: "handle", values: [], ...BUDGET };
      const metered = await runs.of({ ...call, module, state });
      const [end = ""] = metered.end.split(":");
      seen[end] = (seen[end] ?? 0) + 1;
      expect(end).not.toBe("endless");
      if (end === "fuel" || end === "depth" || end === "stack" || end === "instantiate") return;
      const original = await WebAssembly.compile(bytes);
      const plain = await runs.of({ ...call, module: original });
      expect([metered.end, metered.seen]).toEqual([plain.end, plain.seen]);
    });
    console.info(JSON.stringify(seen));
    // Otherwise it would have tested refusals only.
    expect(seen["return"] ?? 0).toBeGreaterThan(0);
    expect(seen["HOOK_MODULE_INVALID"] ?? 0).toBeGreaterThan(0);
  },
  FUZZ_TIMEOUT_MS,
);
