import { writeFileSync } from "node:fs";
import { probeSource } from "../test/helpers/self-test-probe.ts";

/**
 * `npm run probe`: writes the self-test's module into the source again. Needed after a change to admission's
 * instructions.
 */

writeFileSync(new URL("../src/sandbox/pool/self-test-probe.ts", import.meta.url), await probeSource());
