import * as fc from "./fc-sampled.ts";

/** fast-check with the seed of this run, and as many runs as its tier has. Tests import it from here. */

export default fc;
