import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COST_MODEL_VERSION } from "../../src/sandbox/admission/cost-model.ts";
import { digestsOfBuilds, writeGoldenBuilds } from "./built-guards.ts";
import { configIn } from "./guards.ts";
import { digestsOf, events, replay, writeGolden } from "./replay.ts";

/**
 * `npm run golden`: after an intended change of a shipped guard, the cost model, the events, or the tools that build
 * guards. Needs a build.
 */

// The built code, because threads only run there.
const dist = new URL("../../dist/bundle/index.js", import.meta.url).href;
const { createEngine } = (await import(dist)) as typeof import("../../src/index.ts");
const builder = new URL("../../dist/authoring/build.js", import.meta.url).href;
const { buildGuard } = (await import(builder)) as typeof import("../../src/authoring/build.ts");
writeGoldenBuilds(await digestsOfBuilds(buildGuard));

const folder = mkdtempSync(join(tmpdir(), "hookbox-golden-"));
const engine = await createEngine({ config: configIn(folder), sandbox: { threads: 1 } });
try {
  if (engine.problems.length > 0) throw new Error(JSON.stringify(engine.problems));
  const verdicts = await replay(engine, [...events.keys()], 1);
  writeGolden({ costModel: COST_MODEL_VERSION, digests: digestsOf(verdicts) });
} finally {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
}
