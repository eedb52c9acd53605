import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs the tests that draw random inputs. Each round has another seed. Stops at the first failure or after the given
 * number of rounds: `npm run explore -- --rounds 10 test/matcher`.
 */

const DRAWS = /helpers\/(?:fc|seed)\.ts|fuzz\/bounded\.ts|"\.\/bounded\.ts"/;

const args = process.argv.slice(2);
const at = args.indexOf("--rounds");
const rounds = at < 0 ? Number.POSITIVE_INFINITY : Number(args.splice(at, 2)[1]);
if (!(rounds > 0)) {
  console.error("--rounds expects a number above zero");
  process.exit(2);
}

const wanted = args.length === 0 ? ["test"] : args;
const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((file) => join("test", file))
  .filter((file) => file.endsWith(".test.ts") && wanted.some((part) => file.includes(part)))
  .filter((file) => DRAWS.test(readFileSync(file, "utf8")));
if (files.length === 0) {
  console.error(`no test below ${wanted.join(", ")} draws random inputs`);
  process.exit(2);
}

for (let round = 1; round <= rounds; round += 1) {
  const seed = randomInt(2 ** 31);
  console.log(`round ${round}: HOOKBOX_SEED=${seed}, ${files.length} files`);
  const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files], {
    stdio: "inherit",
    env: { ...process.env, HOOKBOX_SEED: String(seed) },
  });
  if (status !== 0) {
    console.error(`HOOKBOX_SEED=${seed} failed`);
    process.exit(1);
  }
}
