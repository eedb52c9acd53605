import { writeFileSync } from "node:fs";
import { probeSource } from "../test/helpers/self-test-probe.ts";

/** `npm run probe`: writes the module of the self-test into the code again, after a change of what admission writes into modules. */

writeFileSync(new URL("../src/executors/wasm/pool/self-test-probe.ts", import.meta.url), await probeSource());
