// The command line in a few files: Node takes about a millisecond for each file that it loads, and an agent starts a
// process for each event. Our own code only; packages stay where npm has put them.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const dist = new URL("../dist/", import.meta.url);
const path = (name) => fileURLToPath(new URL(name, dist));

await build({
  entryPoints: {
    hookbox: path("cli/main.js"),
    // Looked for beside the chunk that starts the threads.
    "chunks/worker": path("executors/wasm/worker.js"),
  },
  outdir: path("bin/"),
  // As deep as the modules that look for the guards from where they are.
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20.19",
  logLevel: "warning",
});
