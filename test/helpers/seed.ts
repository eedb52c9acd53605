import { randomInt } from "node:crypto";

/**
 * The seed for everything random in tests. It is fixed, so that a failing run points at the change and not at chance.
 * `HOOKBOX_SEED=random`, or a number, tries other values.
 */
const chosen = process.env["HOOKBOX_SEED"] ?? "20261122";

export const SEED = chosen === "random" ? randomInt(2 ** 31) : Number(chosen);
if (!Number.isSafeInteger(SEED)) throw new Error(`HOOKBOX_SEED is a whole number or "random", not "${chosen}"`);
