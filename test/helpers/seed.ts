import { randomInt } from "node:crypto";

/**
 * What everything drawn in tests begins with. The same in each run, so that a run that fails says something about the
 * change and not about luck; `HOOKBOX_SEED=random`, or a number, looks where nobody has looked yet.
 */
const chosen = process.env["HOOKBOX_SEED"] ?? "20261122";

export const SEED = chosen === "random" ? randomInt(2 ** 31) : Number(chosen);
if (!Number.isSafeInteger(SEED)) throw new Error(`HOOKBOX_SEED is a whole number or "random", not "${chosen}"`);
