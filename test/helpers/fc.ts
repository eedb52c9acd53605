import * as fc from "./fc-sampled.ts";

/** fast-check with the seed of this run, and the number of runs of its tier. Tests import fast-check from here. */

export default fc;
