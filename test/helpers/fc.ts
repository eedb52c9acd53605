import { configureGlobal } from "fast-check";
import { SEED } from "./seed.ts";

/** fast-check with the seed of this run. Tests import it from here. */

configureGlobal({ seed: SEED });

export { default } from "fast-check";
