// One file of types for each entry point, with the parts that several share: only what a caller can reach, so that no
// caller's compiler reads the types of the packages that we use inside. The package has these, and not the hundreds that
// tsc writes. What guards are written with stays as it is: it declares globals, which a bundle leaves out.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const ENTRIES = {
  index: "index",
  agentao: "hosts/agentao/index",
  autohand: "hosts/autohand/index",
  openclaw: "hosts/openclaw/index",
};

const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `${dist}${file}.d.ts`]));
const bundle = await rolldown({
  input,
  external: /^[^./]/,
  plugins: [dts({ dtsInput: true, emitDtsOnly: true, sourcemap: false })],
});
const { output } = await bundle.generate({ format: "es", chunkFileNames: "shared-[name].d.ts" });
await bundle.close();
mkdirSync(`${dist}types`);
for (const { fileName, code } of output) writeFileSync(`${dist}types/${fileName}`, code);
