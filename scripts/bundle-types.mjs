// Writes one file of types for each entry point, and files for the parts that several share. They contain only types
// that a caller can reach, so that the caller's compiler does not read the types of packages that hookbox uses
// internally. The package contains these files, and not the hundreds from tsc. The guest SDK's types stay as they are,
// because they declare globals, which a bundle would leave out.

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
